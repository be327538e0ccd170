/* Forms, byte by byte. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "rounds/push/multipart.h"

static struct multipart m;

static void add(const char *name, const char *file, const char *type, const char *data, size_t len)
{
	cr_assert_eq(multipart_part(&m, name, file, type), 0);
	cr_assert_eq(buffer_add(&m.body, data, len), 0);
}

/* `want` has "%" for the boundary. */
static void body_is(const char *want)
{
	char text[2048];
	size_t len = 0;

	for (; *want; want++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					*want == '%' ? "%s" : "%.1s",
					*want == '%' ? m.boundary : want);
	cr_assert_eq(m.body.len, len, "%.*s", (int)m.body.len, (char *)m.body.data);
	cr_assert_eq(memcmp(m.body.data, text, len), 0, "%.*s", (int)len, (char *)m.body.data);
	buffer_release(&m.body);
}

Test(multipart, parts)
{
	cr_assert_eq(multipart_init(&m, NULL), 0);
	add("one", "a.pprof", NULL, "data\r\n", 6);
	add("two", "b.json", "application/json", "", 0);
	cr_assert_eq(multipart_end(&m), 0);
	body_is("--%\r\nContent-Disposition: form-data; name=\"one\"; filename=\"a.pprof\"\r\n"
		"Content-Type: application/octet-stream\r\n\r\ndata\r\n\r\n"
		"--%\r\nContent-Disposition: form-data; name=\"two\"; filename=\"b.json\"\r\n"
		"Content-Type: application/json\r\n\r\n\r\n--%--\r\n");
}

Test(multipart, names_cannot_end_a_header)
{
	cr_assert_eq(multipart_init(&m, NULL), 0);
	add("a\"b", "c\r\nd\\", NULL, "x", 1);
	cr_assert_eq(multipart_end(&m), 0);
	for (size_t i = 0; i < m.body.len; i++)
		if (m.body.data[i] == '%')
			m.body.data[i] = '^';
	body_is("--%\r\nContent-Disposition: form-data; name=\"a^22b\"; filename=\"c^0D^0Ad\\\"\r\n"
		"Content-Type: application/octet-stream\r\n\r\nx\r\n--%--\r\n");
}

Test(multipart, boundaries_differ)
{
	struct multipart other;
	char type[80], want[80];

	cr_assert_eq(multipart_init(&m, NULL), 0);
	cr_assert_eq(multipart_init(&other, NULL), 0);
	cr_assert_eq(strlen(m.boundary), MULTIPART_BOUNDARY);
	cr_assert_str_neq(m.boundary, other.boundary);
	multipart_type(&m, type);
	snprintf(want, sizeof(want), "multipart/form-data; boundary=%s", m.boundary);
	cr_assert_str_eq(type, want);
}
