/* Arena, hash index, string set, buffer, error. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/room.h"
#include "base/strset.h"

Test(arena, hands_out_zeroed_aligned_memory)
{
	struct arena a = { 0 };

	for (size_t size = 0; size < 5000; size += 37) {
		unsigned char *p = arena_alloc(&a, size);

		cr_assert_not_null(p);
		cr_assert_eq((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < size; i++)
			cr_assert_eq(p[i], 0);
		memset(p, 0xff, size);
	}
	cr_assert_not_null(arena_alloc(&a, 4 << 20), "larger than any block");
	cr_assert_null(arena_alloc(&a, SIZE_MAX - 5));
	cr_assert_str_eq(arena_copy(&a, "abcdef", 3), "abc");
	arena_release(&a);
	cr_assert_eq(a.total, 0);
}

static bool same_number(const void *owner, uint32_t id, const void *key)
{
	return ((const uint64_t *)owner)[id] == *(const uint64_t *)key;
}

Test(hashindex, finds_what_was_added_and_nothing_else)
{
	enum { COUNT = 20000 };
	static uint64_t keys[COUNT];
	struct hashindex ix = { 0 };

	for (uint32_t i = 0; i < COUNT; i++) {
		keys[i] = i * 2654435761u;
		cr_assert_eq(
			hashindex_find(&ix, hash_bytes(&keys[i], 8), same_number, keys, &keys[i]),
			HASHINDEX_NONE);
		cr_assert_eq(hashindex_add(&ix, hash_bytes(&keys[i], 8), i), 0);
	}
	for (uint32_t i = 0; i < COUNT; i++)
		cr_assert_eq(
			hashindex_find(&ix, hash_bytes(&keys[i], 8), same_number, keys, &keys[i]),
			i);
	hashindex_clear(&ix);
	cr_assert_eq(hashindex_find(&ix, hash_bytes(&keys[0], 8), same_number, keys, &keys[0]),
		     HASHINDEX_NONE);
	hashindex_release(&ix);
}

Test(hashindex, lives_with_equal_hashes)
{
	static uint64_t keys[300];
	struct hashindex ix = { 0 };

	for (uint32_t i = 0; i < 300; i++) {
		keys[i] = i;
		hashindex_add(&ix, 42, i);
	}
	for (uint32_t i = 0; i < 300; i++)
		cr_assert_eq(hashindex_find(&ix, 42, same_number, keys, &keys[i]), i);
	hashindex_release(&ix);
}

Test(strset, keeps_each_string_once)
{
	struct strset s;
	uint32_t a, b, c;

	cr_assert_eq(strset_init(&s), 0);
	strset_addz(&s, "main", &a);
	strset_add(&s, "mainly", 4, &b);
	strset_addz(&s, NULL, &c);
	cr_assert_eq(a, 1);
	cr_assert_eq(b, 1);
	cr_assert_eq(c, 0);
	strset_add(&s, "a\0b", 3, &a);
	strset_add(&s, "a\0c", 3, &b);
	cr_assert_neq(a, b, "NULs count");
	cr_assert_str_eq(strset_get(&s, 99), "");
	for (int i = 0; i < 10000; i++) {
		char text[32];

		snprintf(text, sizeof(text), "name %d", i);
		strset_addz(&s, text, &a);
		cr_assert_str_eq(strset_get(&s, a), text);
	}
	cr_assert_eq(s.count, 10004);
	strset_release(&s);
}

Test(buffer, hexadecimal_numbers)
{
	static const uint64_t numbers[] = { 0, 9, 0x10, 0xdeadbeef, UINT64_MAX };
	struct buffer b = { 0 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		cr_assert(!buffer_add_hex(&b, numbers[i]) && !buffer_add(&b, " ", 1));
	cr_assert_eq(buffer_add(&b, "", 1), 0);
	cr_assert_str_eq((char *)b.data, "0x0 0x9 0x10 0xdeadbeef 0xffffffffffffffff ");
	buffer_release(&b);
}

Test(buffer, grows_and_formats)
{
	struct buffer b = { 0 };

	for (int i = 0; i < 1000; i++)
		cr_assert_eq(buffer_addf(&b, "%d,", i), 0);
	cr_assert_eq(b.len, 3890);
	cr_assert_eq(memcmp(b.data, "0,1,2,", 6), 0);
	cr_assert_eq(buffer_reserve(&b, SIZE_MAX / 2), ERR_NOMEM);
	buffer_release(&b);
}

Test(room, zeros_only_what_is_new)
{
	uint32_t *all = NULL;
	size_t room = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		cr_assert_eq(room_for_zeros((void **)&all, &room, i + 1u, sizeof(*all)), 0);
		cr_assert_geq(room, i + 1u);
		for (size_t j = 0; j < room; j++)
			cr_assert_eq(all[j], j < i ? j + 1 : 0);
		all[i] = i + 1;
	}
	free(all);
}

Test(error, says_what_and_why)
{
	struct error err = { 0 };

	errno = ENOENT;
	cr_assert_eq(error_errno(&err, ERR_IO, "cannot read '%s'", "x"), ERR_IO);
	cr_assert_str_eq(err.text, "cannot read 'x': No such file or directory");
	cr_assert_eq(error_prefix(&err, "'%s'", "y"), ERR_IO);
	cr_assert_str_eq(err.text, "'y': cannot read 'x': No such file or directory");
	cr_assert_eq(error_set(NULL, ERR_LIMIT, "without a struct error"), ERR_LIMIT);
	error_set(&err, ERR_IO, "%01000d", 1);
	cr_assert_eq(strlen(err.text), sizeof(err.text) - 1, "cut, not overflown");
}
