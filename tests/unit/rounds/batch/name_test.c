/* Names of batches, of hidden entries beside them, and of files in them. */
#include <criterion/criterion.h>
#include <string.h>

#include "rounds/batch/name.h"

static void assert_comes_back(uint64_t sequence, int64_t start_s, const char *want)
{
	struct batch_name n = { .sequence = sequence, .start_s = start_s }, again;
	char text[BATCH_NAME_ROOM];

	batch_name_text(&n, text);
	cr_assert_str_eq(text, want);
	cr_assert(batch_name_parse(text, &again), "%s", text);
	cr_assert_eq(again.sequence, sequence);
	cr_assert_eq(again.start_s, start_s);
}

Test(batchname, number_and_start_come_back)
{
	assert_comes_back(1, 0, "000001-19700101T000000Z");
	assert_comes_back(42, 1700000000, "000042-20231114T221320Z");
	assert_comes_back(1234567, 1709210096, "1234567-20240229T123456Z");
	assert_comes_back(999999999999999, 253402300799, "999999999999999-99991231T235959Z");
	assert_comes_back(0, -1, "000000-19691231T235959Z");
}

/* Values beyond the limits must neither overflow nor give the name of another batch. */
Test(batchname, clocks_beyond_all_years_have_a_name)
{
	struct batch_name n = { .sequence = UINT64_MAX, .start_s = INT64_MAX };
	char text[BATCH_NAME_ROOM];

	batch_name_text(&n, text);
	cr_assert_str_eq(text, "18446744073709551615-00000101T000000Z");
	n.start_s = INT64_MIN;
	batch_name_text(&n, text);
	cr_assert_str_eq(text, "18446744073709551615-00000101T000000Z");
	n.start_s = 253402300800;
	batch_name_text(&n, text);
	cr_assert_str_eq(text, "18446744073709551615-00000101T000000Z");
}

Test(batchname, other_names_are_none)
{
	static const char *const texts[] = {
		"",
		"000001",
		"000001-",
		"00001-20231114T221320Z",
		"000001-20231114T221320",
		"000001-20231114T221320Zx",
		"000001-20231114 T221320Z",
		"0000001-20231114T221320Z",
		"000001-20231314T221320Z",
		"000001-20230230T221320Z",
		"000001-20231114T221360Z",
		"000001-2023114T221320Z",
		"-00001-20231114T221320Z",
		" 000001-20231114T221320Z",
		"1234567890123456-20231114T221320Z",
		"000001-20231114T221320Z/",
		".000001-20231114T221320Z",
		"000001-+2023111T221320Z",
		"000001- 0231114T221320Z",
	};
	struct batch_name n;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		cr_assert(!batch_name_parse(texts[i], &n), "'%s'", texts[i]);
}

static void assert_hidden(const char *name, enum batch_hidden kind, const char *key_text)
{
	char have[BATCH_KEY_ROOM] = "";

	cr_assert_eq(batch_hidden_parse(name, have), kind, "%s", name);
	cr_assert_str_eq(have, key_text);
}

static void assert_key(const char *key, const char *begins)
{
	char text[BATCH_KEY_ROOM], name[BATCH_HIDDEN_ROOM];

	batch_key_text(key, text);
	cr_assert(!strncmp(text, begins, strlen(begins)), "%s is not %s…", text, begins);
	cr_assert_eq(strlen(text), strlen(begins) + 16);
	batch_lock_name(text, name);
	assert_hidden(name, BATCH_LOCK, text);
	batch_temporary_name(text, 18446744073709551615u, name);
	assert_hidden(name, BATCH_TEMPORARY, text);
}

Test(batchname, keys_become_names)
{
	char a[BATCH_KEY_ROOM], b[BATCH_KEY_ROOM], long_key[300];

	assert_key("pid-1234-56", "pid-1234-56-");
	assert_key("redis@6379.service", "redis@6379.service-");
	assert_key("../../etc/\n", ".._.._etc__-");
	assert_key("", "-");
	memset(long_key, 'x', sizeof(long_key) - 1);
	long_key[sizeof(long_key) - 1] = '\0';
	assert_key(long_key, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-");
	batch_key_text("a/b", a);
	batch_key_text("a_b", b);
	cr_assert_str_neq(a, b);
	batch_key_text(long_key, a);
	long_key[200] = 'y';
	batch_key_text(long_key, b);
	cr_assert_str_neq(a, b);
}

Test(batchname, other_hidden_names_are_left_alone)
{
	assert_hidden(".lock", BATCH_VISIBLE, "");
	assert_hidden(".lock-x", BATCH_VISIBLE, "");
	assert_hidden(".lock-x-0123456789abcdeg", BATCH_VISIBLE, "");
	assert_hidden(".lock-x-0123456789abcdef", BATCH_LOCK, "x-0123456789abcdef");
	assert_hidden(".lock-x y-0123456789abcdef", BATCH_VISIBLE, "");
	assert_hidden(".tmp-", BATCH_VISIBLE, "");
	assert_hidden(".tmp-1", BATCH_VISIBLE, "");
	assert_hidden(".tmp-x-0123456789abcdef", BATCH_VISIBLE, "");
	assert_hidden(".tmp-x-0123456789abcdef-", BATCH_VISIBLE, "");
	assert_hidden(".tmp-x-0123456789abcdef-1x", BATCH_VISIBLE, "");
	assert_hidden(".tmp-x-0123456789abcdef-1", BATCH_TEMPORARY, "x-0123456789abcdef");
	assert_hidden("000001-20231114T221320Z", BATCH_VISIBLE, "");
}

Test(batchname, files_are_plain)
{
	char name[300];

	cr_assert(batch_file_name_ok("cpu.pprof") && batch_file_name_ok("custom-a b\n.pprof"));
	cr_assert(!batch_file_name_ok("") && !batch_file_name_ok(".") && !batch_file_name_ok(".."));
	cr_assert(!batch_file_name_ok(".x") && !batch_file_name_ok("a/b"));
	memset(name, 'x', sizeof(name));
	name[255] = '\0';
	cr_assert(batch_file_name_ok(name));
	name[255] = 'x';
	name[256] = '\0';
	cr_assert(!batch_file_name_ok(name));
}
