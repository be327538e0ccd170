/* Memory that is read in pieces: our own, in the same way as another process's. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "sampler/dump/livestack.h"

static struct livestack reach;

static void open_reach(void)
{
	cr_assert_eq(livestack_init(&reach), 0);
	livestack_into(&reach, getpid(), NULL);
}

static void close_reach(void)
{
	livestack_release(&reach);
}

TestSuite(livestack, .init = open_reach, .fini = close_reach);

static int word(const void *at, uint64_t *value)
{
	return memory_read_u64(&reach.memory, (uint64_t)(uintptr_t)at, value);
}

static uint64_t *pages(size_t bytes)
{
	uint64_t *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(p, MAP_FAILED);
	for (size_t i = 0; i < bytes / 8; i++)
		p[i] = i;
	return p;
}

Test(livestack, reads_what_is_there_and_no_more)
{
	uint64_t *p = pages(4 * 4096), value = 0;

	munmap(p + 3 * 512, 4096);
	for (size_t i = 0; i < 3 * 512; i += 7) {
		cr_assert_eq(word(p + i, &value), 0);
		cr_assert_eq(value, i);
	}
	cr_assert_eq(word((char *)p + 4093, &value), 0, "across pages");
	cr_assert_eq(word(p + 3 * 512, &value), ERR_IO);
	cr_assert_eq(word((char *)(p + 3 * 512) - 4, &value), ERR_IO);
	cr_assert_eq(word(NULL, &value), ERR_IO);
	cr_assert_leq(reach.count, 2);
}

Test(livestack, keeps_what_it_has_read)
{
	uint64_t *p = pages(4096), value;

	cr_assert_eq(word(p, &value), 0);
	p[5] = 99;
	cr_assert_eq(word(p + 5, &value), 0);
	cr_assert_eq(value, 5);
	livestack_into(&reach, getpid(), NULL);
	cr_assert_eq(word(p + 5, &value), 0);
	cr_assert_eq(value, 99);
}

Test(livestack, asks_the_copy_first)
{
	uint64_t *p = pages(4096), copy[2] = { 7, 8 }, value;
	struct memory_bytes bytes;

	memory_bytes_init(&bytes, copy, (uint64_t)(uintptr_t)p, sizeof(copy));
	bytes.more = 100;
	livestack_into(&reach, getpid(), &bytes.memory);
	cr_assert_eq(word(p + 1, &value), 0);
	cr_assert_eq(value, 8);
	cr_assert_eq(word(p + 2, &value), 0);
	cr_assert_eq(value, 2);
}

Test(livestack, has_a_bound)
{
	uint64_t *p = pages(LIVESTACK_BYTES + LIVESTACK_PIECE), value;
	size_t at = 0;
	int rc = 0;

	for (; !rc && at < LIVESTACK_BYTES + LIVESTACK_PIECE; at += 8)
		rc = word(p + at / 8, &value);
	cr_assert_eq(rc, ERR_SHORT);
	cr_assert_eq(at - 8, LIVESTACK_BYTES);
}
