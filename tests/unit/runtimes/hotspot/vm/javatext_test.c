/* Modified UTF-8, class names, descriptors and strings to UTF-8. */
#include <criterion/criterion.h>
#include <string.h>

#include "runtimes/hotspot/vm/javatext.h"

static char text[1024];

static const char *symbol(const char *bytes)
{
	cr_assert_eq(javatext_symbol((const uint8_t *)bytes, strlen(bytes), text), strlen(text));
	return text;
}

static const char *class(const char *bytes)
{
	cr_assert_eq(javatext_class((const uint8_t *)bytes, strlen(bytes), text), strlen(text));
	return text;
}

static const char *parameters(const char *bytes)
{
	size_t len = javatext_parameters((const uint8_t *)bytes, strlen(bytes), text);

	text[len] = '\0';
	return text;
}

Test(javatext, characters_of_utf_16_units)
{
	cr_expect_str_eq(symbol("total"), "total");
	cr_expect_str_eq(symbol("\xc3\xa9\xe2\x82\xac"), "é€");
	cr_expect_str_eq(symbol("\xed\xa0\xbd\xed\xb8\x80"), "\xf0\x9f\x98\x80");
}

Test(javatext, what_is_no_character_is_replaced)
{
	cr_expect_str_eq(symbol("a\xc0\x80z"), "a\xef\xbf\xbdz"); /* a NUL */
	cr_expect_str_eq(symbol("\xff"), "\xef\xbf\xbd");
	cr_expect_str_eq(symbol("\xc3"), "\xef\xbf\xbd");
	cr_expect_str_eq(symbol("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");
	cr_expect_str_eq(symbol("\xed\xa0\xbdz"), "\xef\xbf\xbdz");
	cr_expect_str_eq(symbol("\xed\xb8\x80"), "\xef\xbf\xbd");
}

Test(javatext, classes_have_dots)
{
	cr_expect_str_eq(class("com/example/Shop$Inner"), "com.example.Shop$Inner");
	cr_expect_str_eq(class("Shop"), "Shop");
}

Test(javatext, hidden_classes_have_an_address)
{
	cr_expect_str_eq(class("a/Shop$$Lambda+0x00007f3d1c000a00"),
			 "a.Shop$$Lambda/0x00007f3d1c000a00");
	cr_expect_str_eq(class("a/Shop+0x00007f3d1c000a0"), "a.Shop+0x00007f3d1c000a0");
	cr_expect_str_eq(class("a/Shop+0x00007f3d1c000a0g"), "a.Shop+0x00007f3d1c000a0g");
	cr_expect_str_eq(class("+0x00007f3d1c000a00"), "+0x00007f3d1c000a00");
}

Test(javatext, parameters_as_in_the_source)
{
	cr_expect_str_eq(parameters("()V"), "()");
	cr_expect_str_eq(parameters("(ILjava/lang/String;)V"), "(int, String)");
	cr_expect_str_eq(parameters("([[JLjava/util/Map$Entry;[LShop;)Lx/Y;"),
			 "(long[][], Map$Entry, Shop[])");
	cr_expect_str_eq(parameters("(BCDFIJSZ)V"),
			 "(byte, char, double, float, int, long, short, boolean)");
}

Test(javatext, what_is_no_descriptor_has_no_parameters)
{
	static const char *const none[] = {
		"", "I", "(", "(I", "([", "(Ljava/lang/String", "(V)V", "(Q)V", "([)V", NULL
	};

	for (const char *const *d = none; *d; d++)
		cr_expect_str_eq(parameters(*d), "", "%s", *d);
}

Test(javatext, strings)
{
	static const uint16_t units[] = { 'a', 0xe9, 0x20ac, 0xd83d, 0xde00, 0xd83d, 0 };

	javatext_utf16(units, 7, text);
	cr_expect_str_eq(text, "aé€\xf0\x9f\x98\x80\xef\xbf\xbd\xef\xbf\xbd");
	javatext_latin1((const uint8_t *)"a\xe9", 2, text);
	cr_expect_str_eq(text, "aé");
}
