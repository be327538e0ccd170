/* Process contexts in memory of ours: whole, being written, and hostile ones. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "rounds/resource/attributes.h"
#include "rounds/resource/context.h"

/* resource { service.name "shop", k 7, b true, d 1.5, list, telemetry.sdk.language "go" },
 * attributes { x "y" } */
static const char payload[] = "\x0a\x6a"
			      "\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop"
			      "\x0a\x07\x0a\x01k\x12\x02\x18\x07"
			      "\x0a\x07\x0a\x01"
			      "b\x12\x02\x10\x01"
			      "\x0a\x0e\x0a\x01"
			      "d\x12\x09\x21\0\0\0\0\0\0\xf8\x3f"
			      "\x0a\x0c\x0a\x01l\x12\x07\x2a\x05\x0a\x03\x0a\x01q"
			      "\x0a\x1e\x0a\x16telemetry.sdk.language\x12\x04\x0a\x02go"
			      "\x10\x03"
			      "\x12\x08\x0a\x01x\x12\x03\x0a\x01y";

Test(context, decodes_plain_attributes)
{
	struct attributes a = { 0 };

	cr_assert_eq(context_decode(payload, sizeof(payload) - 1, &a), 0);
	cr_assert_eq(a.count, 3);
	cr_expect_str_eq(attributes_find(&a, "service.name"), "shop");
	cr_expect_str_eq(attributes_find(&a, "k"), "7");
	cr_expect_str_eq(attributes_find(&a, "b"), "true");
	attributes_release(&a);
}

/* Any part of the payload that ends too early, and what follows it. */
Test(context, a_payload_that_is_cut_is_refused)
{
	for (size_t len = 1; len < sizeof(payload) - 1; len++) {
		struct attributes a = { 0 };
		/* where a field of the outermost message ends */
		bool whole = len == 2 + 0x6a;

		cr_expect_eq(context_decode(payload, len, &a), whole ? 0 : ERR_FORMAT, "%zu", len);
		attributes_release(&a);
	}
}

#define EXPECT_REFUSED(bytes) \
	do { \
		struct attributes a = { 0 }; \
\
		cr_expect_eq(context_decode(bytes, sizeof(bytes) - 1, &a), ERR_FORMAT, #bytes); \
		attributes_release(&a); \
	} while (0)

Test(context, refuses_what_is_no_message)
{
	EXPECT_REFUSED("\x0b");						/* a group */
	EXPECT_REFUSED("\x02\x00");					/* field 0 */
	EXPECT_REFUSED("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"); /* longer than memory */
	EXPECT_REFUSED("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	/* The draft of the format, where the payload itself was a Resource. */
	EXPECT_REFUSED("\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop");
}

Test(context, leaves_out_what_is_no_plain_text)
{
	static const char bytes[] = "\x0a\x1e\x0a\x08\x0a\x01"
				    "a\x12\x03\x0a\x01\x1b"
				    "\x0a\x08\x0a\x01 \x12\x03\x0a\x01v"
				    "\x0a\x08\x0a\x01"
				    "c\x12\x03\x0a\x01v";
	struct attributes a = { 0 };

	cr_assert_eq(context_decode(bytes, sizeof(bytes) - 1, &a), 0);
	cr_assert_eq(a.count, 1);
	cr_expect_str_eq(attributes_find(&a, "c"), "v");
	attributes_release(&a);
}

/* The mapping. */

static uint64_t found(const char *maps)
{
	return context_find(maps, strlen(maps));
}

Test(context, is_found_by_its_names)
{
	static const char *const names[] = { "/memfd:OTEL_CTX", "/memfd:OTEL_CTX (deleted)",
					     "[anon:OTEL_CTX]", "[anon_shmem:OTEL_CTX]" };
	static const char *const others[] = { "/memfd:OTEL_CTX2 (deleted)", "[anon:OTEL_CTX2]",
					      "/memfd:OTEL", "/tmp/memfd:OTEL_CTX", "[heap]" };
	char text[300];

	for (size_t i = 0; i < 4; i++) {
		snprintf(text, sizeof(text),
			 "1000-2000 r-xp 00000000 08:01 5     /bin/x\n"
			 "7f0000001000-7f0000002000 rw-p 00000000 00:01 7    %s\n",
			 names[i]);
		cr_expect_eq(found(text), 0x7f0000001000, "%s", names[i]);
		memcpy(strstr(text, "rw-p"), "rwxp", 4);
		cr_expect_eq(found(text), 0, "%s", text);
	}
	for (size_t i = 0; i < 5; i++) {
		snprintf(text, sizeof(text), "1000-2000 rw-p 00000000 00:01 7    %s\n", others[i]);
		cr_expect_eq(found(text), 0, "%s", others[i]);
	}
	cr_expect_eq(found(""), 0);
	cr_expect_eq(found("nonsense\n"), 0);
}

enum { AT = 0x10000, PAYLOAD_AT = 0x10100, SIZE = 0x1000 };

struct image {
	struct memory memory;
	char bytes[SIZE];
	unsigned reads;
	unsigned changes; /* after each of so many readings of the header the time is another */
};

static int read_image(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	struct image *i = (struct image *)m;
	uint64_t published;

	i->reads++;
	if (addr < AT || addr - AT > SIZE || len > SIZE - (addr - AT))
		return ERR_IO;
	memcpy(buf, i->bytes + (addr - AT), len);
	if (addr == AT && i->changes) {
		i->changes--;
		memcpy(&published, i->bytes + 16, 8);
		published++;
		memcpy(i->bytes + 16, &published, 8);
	}
	return 0;
}

static void put(struct image *i, uint32_t version, uint32_t len, uint64_t published, uint64_t at)
{
	memcpy(i->bytes, "OTEL_CTX", 8);
	memcpy(i->bytes + 8, &version, 4);
	memcpy(i->bytes + 12, &len, 4);
	memcpy(i->bytes + 16, &published, 8);
	memcpy(i->bytes + 24, &at, 8);
}

static void make(struct image *i)
{
	*i = (struct image){ .memory = { .read = read_image } };
	memcpy(i->bytes + (PAYLOAD_AT - AT), payload, sizeof(payload));
	put(i, 2, sizeof(payload) - 1, 1000, PAYLOAD_AT);
}

Test(context, is_read_again_only_when_it_was_published_again)
{
	struct context c = { .at = AT };
	struct image i;

	make(&i);
	cr_assert_eq(context_read(&c, &i.memory), 0);
	cr_expect_str_eq(attributes_find(&c.attributes, "service.name"), "shop");
	cr_expect_eq(i.reads, 3);
	cr_assert_eq(context_read(&c, &i.memory), 0);
	cr_expect_eq(i.reads, 4, "only its header");
	memcpy(strstr(i.bytes + (PAYLOAD_AT - AT) + 20, "shop"), "cart", 4);
	put(&i, 2, sizeof(payload) - 1, 1001, PAYLOAD_AT);
	cr_assert_eq(context_read(&c, &i.memory), 0);
	cr_expect_str_eq(attributes_find(&c.attributes, "service.name"), "cart");
	context_release(&c);
}

Test(context, that_is_being_written_stays_as_it_was)
{
	struct context c = { .at = AT };
	struct image i;

	make(&i);
	cr_assert_eq(context_read(&c, &i.memory), 0);
	put(&i, 2, 0, 0, 0);
	cr_assert_eq(context_read(&c, &i.memory), 0);
	cr_expect_str_eq(attributes_find(&c.attributes, "service.name"), "shop");
	cr_expect_eq(c.at, AT);
	context_release(&c);
}

Test(context, that_changes_meanwhile_is_tried_again)
{
	struct context c = { .at = AT };
	struct image i;

	make(&i);
	i.changes = 1;
	cr_assert_eq(context_read(&c, &i.memory), 0);
	cr_expect_str_eq(attributes_find(&c.attributes, "service.name"), "shop");
	context_release(&c);
	c.at = AT;
	i.changes = 1000;
	i.reads = 0;
	cr_assert_eq(context_read(&c, &i.memory), 0);
	cr_expect_eq(c.attributes.count, 0);
	cr_expect_leq(i.reads, 9);
	context_release(&c);
}

Test(context, that_is_gone_is_looked_for_again)
{
	struct context c = { .at = AT };
	struct image i;

	make(&i);
	cr_assert_eq(context_read(&c, &i.memory), 0);
	i.bytes[0] = 'X';
	cr_expect_eq(context_read(&c, &i.memory), ERR_NOTFOUND);
	cr_expect_eq(c.at, 0);
	cr_expect_eq(c.attributes.count, 0);
	c.at = 0x5000;
	cr_expect_eq(context_read(&c, &i.memory), ERR_NOTFOUND);
	context_release(&c);
}

Test(context, that_cannot_be_read_has_no_attributes)
{
	static const struct {
		uint32_t version, len;
		uint64_t at;
	} bad[] = {
		{ 1, sizeof(payload) - 1, PAYLOAD_AT },
		{ 3, sizeof(payload) - 1, PAYLOAD_AT },
		{ 2, 0, PAYLOAD_AT },
		{ 2, UINT32_MAX, PAYLOAD_AT },
		{ 2, (64 << 10) + 1, PAYLOAD_AT },
		{ 2, 64 << 10, PAYLOAD_AT },
		{ 2, sizeof(payload) - 1, 0 },
		{ 2, sizeof(payload) - 1, UINT64_MAX - 3 },
		{ 2, 50, PAYLOAD_AT },
	};

	for (size_t n = 0; n < sizeof(bad) / sizeof(*bad); n++) {
		struct context c = { .at = AT };
		struct image i;

		make(&i);
		cr_assert_eq(context_read(&c, &i.memory), 0);
		put(&i, bad[n].version, bad[n].len, 2000, bad[n].at);
		cr_expect_eq(context_read(&c, &i.memory), ERR_FORMAT, "%zu", n);
		cr_expect_eq(c.attributes.count, 0, "%zu", n);
		cr_expect_eq(c.at, AT, "%zu: it may be published again", n);
		context_release(&c);
	}
}
