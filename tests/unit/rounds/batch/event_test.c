/* event.json, byte by byte, and the owner of a batch that it names. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "rounds/batch/batch.h"
#include "rounds/batch/event.h"

static const char key_text[] = "redis-0123456789abcdef";

static void assert_written(const struct batch_event *e, const char *series, const char *want)
{
	struct buffer b = { 0 };

	cr_assert_eq(event_write(&b, e, series, key_text), 0);
	cr_assert_eq(buffer_add(&b, "", 1), 0);
	cr_assert_str_eq((char *)b.data, want);
	buffer_release(&b);
}

Test(event, says_all)
{
	static const struct batch_tag tags[] = {
		{ "env", "old" },
		{ "a\"b", "c\\d" },
		{ "env", "prod" },
	};
	static const struct batch_tag resource[] = {
		{ "systemd.unit.name", "redis.service" },
		{ "service.name", "sh\xc3\xb6p \"1\"" },
	};
	static const struct batch_entry entries[] = {
		{ .type = "cpu", .file = "cpu.pprof", .bytes = 4096 },
		{ .type = "block", .why_not = "no \"block\" profile" },
		{ .type = "heap",
		  .file = "delta-heap.pprof",
		  .bytes = 17,
		  .delta = true,
		  .note = "first of its kind, whole" },
		{ .type = "mutex", .why_not = "time-out" },
	};
	struct batch_event e = {
		.sequence = 7,
		.start_ns = 1700000000123456789,
		.end_ns = 1700000060999999999,
		.duration_ns = 60876543210,
		.host = "db1",
		.command = "redis-server *:6379\n",
		.build_id = "",
		.pid = 42,
		.process_start_ns = 1699999000123456789,
		.ended = "time",
		.version = "0.1.0",
		.tags = tags,
		.tag_count = 3,
		.resource = resource,
		.resource_count = 2,
		.entries = entries,
		.entry_count = 4,
		.sampling = "{\"samples\": 3}",
	};

	assert_written(&e, "redis",
		       "{\n"
		       "  \"series\": \"redis\",\n"
		       "  \"key\": \"redis-0123456789abcdef\",\n"
		       "  \"sequence\": 7,\n"
		       "  \"start\": \"2023-11-14T22:13:20.123Z\",\n"
		       "  \"end\": \"2023-11-14T22:14:20.999Z\",\n"
		       "  \"duration_ns\": 60876543210,\n"
		       "  \"ended\": \"time\",\n"
		       "  \"host\": \"db1\",\n"
		       "  \"pid\": 42,\n"
		       "  \"process_start_ns\": 1699999000123456789,\n"
		       "  \"command\": \"redis-server *:6379\\u000a\",\n"
		       "  \"build_id\": \"\",\n"
		       "  \"version\": \"0.1.0\",\n"
		       "  \"tags\": {\"a\\\"b\": \"c\\\\d\", \"env\": \"prod\"},\n"
		       "  \"resource\": {\n"
		       "    \"systemd.unit.name\": \"redis.service\",\n"
		       "    \"service.name\": \"sh\xc3\xb6p \\\"1\\\"\"},\n"
		       "  \"profiles\": [\n"
		       "    {\"type\": \"cpu\", \"file\": \"cpu.pprof\", \"bytes\": 4096, "
		       "\"delta\": false},\n"
		       "    {\"type\": \"heap\", \"file\": \"delta-heap.pprof\", \"bytes\": 17, "
		       "\"delta\": true, \"note\": \"first of its kind, whole\"}],\n"
		       "  \"skipped\": [\n"
		       "    {\"type\": \"block\", \"why\": \"no \\\"block\\\" profile\"},\n"
		       "    {\"type\": \"mutex\", \"why\": \"time-out\"}],\n"
		       "  \"sampler\": {\"samples\": 3}\n"
		       "}\n");
}

Test(event, times_before_1970_are_times)
{
	struct batch_event e = { .start_ns = -1, .end_ns = -1000000001 };

	assert_written(&e, "s",
		       "{\n"
		       "  \"series\": \"s\",\n"
		       "  \"key\": \"redis-0123456789abcdef\",\n"
		       "  \"sequence\": 0,\n"
		       "  \"start\": \"1969-12-31T23:59:59.999Z\",\n"
		       "  \"end\": \"1969-12-31T23:59:58.999Z\",\n"
		       "  \"duration_ns\": 0,\n"
		       "  \"ended\": null,\n"
		       "  \"host\": null,\n"
		       "  \"pid\": 0,\n"
		       "  \"process_start_ns\": 0,\n"
		       "  \"command\": null,\n"
		       "  \"build_id\": null,\n"
		       "  \"version\": null,\n"
		       "  \"tags\": {},\n"
		       "  \"resource\": {},\n"
		       "  \"profiles\": [],\n"
		       "  \"skipped\": []\n"
		       "}\n");
}

static bool is_of(const char *head, const char *series, char have[BATCH_KEY_ROOM])
{
	return event_is_of(head, strlen(head), series, have);
}

Test(event, its_first_bytes_say_whose_it_is)
{
	struct batch_event e = { .sequence = 1 };
	char have[BATCH_KEY_ROOM] = "";
	struct buffer b = { 0 };

	cr_assert_eq(event_write(&b, &e, "a \"b\"\\", key_text), 0);
	cr_assert(event_is_of(b.data, b.len, "a \"b\"\\", have));
	cr_assert_str_eq(have, key_text);
	cr_assert(!event_is_of(b.data, b.len, "a \"b\"", have));
	cr_assert(!event_is_of(b.data, b.len, "", have));
	for (size_t len = 0; len < strlen("{\n  \"series\": \"a \\\"b\\\"\\\\\",\n  \"key\": \"") +
					   strlen(key_text) + 1;
	     len++)
		cr_assert(!event_is_of(b.data, len, "a \"b\"\\", have), "%zu bytes", len);
	buffer_release(&b);
}

Test(event, other_files_are_nobodys)
{
	char have[BATCH_KEY_ROOM], text[300] = "{\n  \"series\": \"s\",\n  \"key\": \"";

	cr_assert(!is_of("", "s", have));
	cr_assert(!is_of("{\"series\": \"s\", \"key\": \"k\"}", "s", have));
	memset(text + strlen(text), 'x', BATCH_KEY_ROOM);
	strcat(text, "\"");
	cr_assert(!is_of(text, "s", have), "a key that is too long");
	text[strlen(text) - 2] = '"';
	cr_assert(is_of(text, "s", have));
	cr_assert_eq(strlen(have), BATCH_KEY_ROOM - 1);
}
