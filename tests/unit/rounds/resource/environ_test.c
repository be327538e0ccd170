/* Environments, and the list in OTEL_RESOURCE_ATTRIBUTES. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rounds/resource/attributes.h"
#include "rounds/resource/environ.h"

/* The attributes as "key=value;…". */
static const char *joined(const struct attributes *a)
{
	static char text[4096];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < a->count; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s=%s", i ? ";" : "",
					a->list[i].key, a->list[i].value);
	return text;
}

static void expect_pairs(const char *text, const char *wanted)
{
	struct attributes a = { 0 };

	cr_assert_eq(environ_pairs(text, strlen(text), &a), 0);
	cr_expect_str_eq(joined(&a), wanted, "'%s' gives '%s'", text, joined(&a));
	attributes_release(&a);
}

Test(pairs, of_the_specified_form)
{
	expect_pairs("", "");
	expect_pairs("a=b", "a=b");
	expect_pairs("a=b,c=d", "a=b;c=d");
	expect_pairs(" a = b ,\tc\t= d\t", "a=b;c=d");
	expect_pairs("a=b,", "a=b");
	expect_pairs("a=b c", "a=b c");
	expect_pairs("a=b=c", "a=b=c");
	expect_pairs("a=", "");
	expect_pairs("a=,b=c", "b=c");
	expect_pairs("a=1,a=2", "a=1");
}

Test(pairs, are_decoded)
{
	expect_pairs("a=b%2Cc%3dd", "a=b,c=d");
	expect_pairs("a%2eb=c", "a.b=c");
	expect_pairs("a=sh%C3%B6p", "a=sh\xc3\xb6p");
	expect_pairs("a=%20b%20", "a= b ");
	expect_pairs("a=100%25", "a=100%");
	expect_pairs("a=+", "a=+");
}

/* The specification: any error discards all. */
Test(pairs, of_another_form_are_left_out_with_all_others)
{
	expect_pairs("a=b,c", "");
	expect_pairs("a=b,,c=d", "");
	expect_pairs(",a=b", "");
	expect_pairs("=b,c=d", "");
	expect_pairs(" ", "");
	expect_pairs("a=b,c=%", "");
	expect_pairs("a=b,c=%4", "");
	expect_pairs("a=b,c=%zz", "");
	expect_pairs("a=b,%=d", "");
}

Test(pairs, that_are_no_plain_text_are_left_out_alone)
{
	expect_pairs("a=b%00c,d=e", "d=e");
	expect_pairs("a=b%0Ac,d=e", "d=e");
	expect_pairs("a=%1B%5B31m,d=e", "d=e");
	expect_pairs("a=%ff,d=e", "d=e");
	expect_pairs("a%20b=c,d=e", "d=e");
}

Test(pairs, may_be_long)
{
	size_t len = 1 << 20;
	char *text = malloc(len);

	cr_assert(text);
	memset(text, 'x', len);
	memcpy(text, "a=", 2);
	memcpy(text + len - 4, ",b=c", 4);
	struct attributes a = { 0 };

	cr_assert_eq(environ_pairs(text, len, &a), 0);
	cr_expect_str_eq(joined(&a), "b=c");
	attributes_release(&a);
	free(text);
}

#define EXPECT_READ(text, wanted) \
	do { \
		struct attributes a = { 0 }; \
\
		cr_assert_eq(environ_read(text, sizeof(text) - 1, &a), 0); \
		cr_expect_str_eq(joined(&a), wanted); \
		attributes_release(&a); \
	} while (0)

Test(environ, has_two_variables)
{
	EXPECT_READ("", "");
	EXPECT_READ("PATH=/bin\0OTEL_SERVICE_NAME=shop\0TOKEN=secret\0", "service.name=shop");
	EXPECT_READ("OTEL_SERVICE_NAME=shop", "service.name=shop");
	EXPECT_READ("OTEL_RESOURCE_ATTRIBUTES=a=b,service.name=x\0OTEL_SERVICE_NAME=shop\0",
		    "service.name=shop;a=b");
	EXPECT_READ("OTEL_SERVICE_NAME=\0OTEL_RESOURCE_ATTRIBUTES=service.name=x\0",
		    "service.name=x");
	EXPECT_READ("OTEL_SERVICE_NAME=one\0OTEL_SERVICE_NAME=two\0", "service.name=one");
}

Test(environ, has_no_other_variable)
{
	EXPECT_READ("OTEL_EXPORTER_OTLP_HEADERS=api-key=secret\0"
		    "XOTEL_SERVICE_NAME=a\0OTEL_SERVICE_NAMES=b\0OTEL_SERVICE_NAME\0"
		    "OTEL_RESOURCE_ATTRIBUTES_=c=d\0otel_service_name=e\0"
		    "X=\nOTEL_SERVICE_NAME=f\0",
		    "");
}

/* setproctitle(3) and others write over the environment. */
Test(environ, may_have_been_written_over)
{
	EXPECT_READ("\0\0\0\0", "");
	EXPECT_READ("postgres: writer\0\0\0OTEL_SERVICE_NAME=db\0\0", "service.name=db");
	EXPECT_READ("\xff\xfe\0=\0==\0OTEL_SERVICE_NAME=\x1b[2J\0", "");
}
