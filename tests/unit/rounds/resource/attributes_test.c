/* What may be an attribute, and which of several stays. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "rounds/resource/attributes.h"

Test(attributes, the_first_of_a_key_stays)
{
	struct attributes a = { 0 }, b = { 0 };

	cr_assert_eq(attributes_addz(&a, "service.name", "shop"), 0);
	cr_assert_eq(attributes_addz(&a, "service.name", "other"), 0);
	cr_assert_eq(attributes_addz(&b, "service.name", "third"), 0);
	cr_assert_eq(attributes_addz(&b, "k", "v"), 0);
	cr_assert_eq(attributes_add_all(&a, &b), 0);
	cr_assert_eq(a.count, 2);
	cr_assert_str_eq(attributes_find(&a, "service.name"), "shop");
	cr_assert_str_eq(attributes_find(&a, "k"), "v");
	cr_assert_null(attributes_find(&a, "service"));
	attributes_release(&a);
	attributes_release(&b);
}

Test(attributes, values_are_plain_text)
{
	static const char *const bad[] = {
		"",
		"a\nb",
		"\x1b[31m",
		"\x7f",
		"a\tb",
		"\xc2\x9b",
		/* CSI, C1 */ "\xff",
		"\xc0\xaf",
		"\xed\xa0\x80",
		"caf\xc3",
	};
	static const char *const good[] = { "a", "sh\xc3\xb6p", "a b", "\xe6\x97\xa5",
					    "\xef\xbf\xbd" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_expect_not(attribute_value_ok(bad[i], strlen(bad[i])), "%zu", i);
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		cr_expect(attribute_value_ok(good[i], strlen(good[i])), "%zu", i);
	cr_expect_not(attribute_value_ok("a\0b", 3));
}

Test(attributes, keys_are_words)
{
	static const char *const bad[] = { "", " ", "a b", "a\n", "k\xc3\xb6", "\x7f" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_expect_not(attribute_key_ok(bad[i], strlen(bad[i])), "%zu", i);
	cr_expect(attribute_key_ok("k8s.pod.uid", 11));
	cr_expect(attribute_key_ok("A/b-c_d", 7));
}

Test(attributes, are_bounded)
{
	struct attributes a = { 0 };
	char key[ATTRIBUTE_KEY_MAX + 2], value[ATTRIBUTE_VALUE_MAX + 2];

	memset(key, 'k', sizeof(key));
	memset(value, 'v', sizeof(value));
	cr_assert_eq(attributes_add(&a, key, ATTRIBUTE_KEY_MAX + 1, "v", 1), 0);
	cr_assert_eq(attributes_add(&a, "k", 1, value, ATTRIBUTE_VALUE_MAX + 1), 0);
	cr_assert_eq(a.count, 0);
	cr_assert_eq(attributes_add(&a, key, ATTRIBUTE_KEY_MAX, value, ATTRIBUTE_VALUE_MAX), 0);
	cr_assert_eq(a.count, 1);
	for (int i = 0; i < 2 * ATTRIBUTES_MAX; i++) {
		snprintf(key, sizeof(key), "key.%d", i);
		cr_assert_eq(attributes_addz(&a, key, "v"), 0);
	}
	cr_assert_eq(a.count, ATTRIBUTES_MAX);
	attributes_release(&a);
}
