// links: sampler/capture
/* Any bytes as a perf record: two bytes of type (with 0x80: kernel frames were requested) and flags, then the body. What is accepted lies
 * within it, and belongs to a process. */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/capture/event.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sample(const struct perf_event_header *header, const uint8_t *body, size_t len,
			 bool kernel, const struct event *e)
{
	unsigned sum = 0;
	struct event again;

	must(e->kernel_count <= EVENT_KERNEL_MOST && (kernel || !e->kernel_count));
	must(e->stack >= body && e->stack + e->stack_len <= body + len);
	for (size_t i = 0; i < e->stack_len; i++)
		sum += e->stack[i];
	must(sum <= 255 * e->stack_len);
	if (!e->stack_len)
		return;
	event_parse(header, body, (size_t)(e->stack - body), kernel,
		    &again); /* the stack is missing */
	must(again.kind == EVENT_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_event_header header = { 0 };
	size_t len = size > 2 ? size - 2 : 0;
	uint8_t *body = calloc(len + !len, 1); /* so that a read behind the end is found */
	struct event e;
	bool kernel = false;

	must(body);
	if (len) {
		kernel = data[0] & 0x80;
		header.type = data[0] & 0x7f;
		header.misc = (uint16_t)(data[1] << 8);
		memcpy(body, data + 2, len);
	}
	event_parse(&header, body, len, kernel, &e);
	must(event_process_at(&header) <= 4);
	must(len < 8 || event_time_at(&header, len) <= (len > 16 ? len - 8 : 8));
	if (e.kind == EVENT_SAMPLE)
		check_sample(&header, body, len, kernel, &e);
	if (e.kind != EVENT_NONE && e.kind != EVENT_LOST)
		must(e.pid > 0 && e.tid > 0);
	free(body);
	return 0;
}
