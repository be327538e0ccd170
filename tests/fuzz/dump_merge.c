// links: cli/dump/merge
/*
 * A byte of options, then bytes as files of `dump --json`, in two files if the options say so: what
 * is a dump becomes text that a terminal may show, in which each thread is counted once; what is
 * none is rejected.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cli/dump/merge/dumpread.h"
#include "cli/dump/merge/merged.h"
#include "cli/dump/merge/mergetext.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_shown(const struct buffer *text)
{
	for (size_t i = 0; i < text->len; i++)
		must(text->data[i] == '\n' || (text->data[i] >= ' ' && text->data[i] != 0x7f));
}

/* All have a frame at least, and stand in the order by one of each. */
static void check_order(const struct merged *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->thread_count; i++) {
		const struct merged_thread *t = &m->threads[m->order[i]];

		must(t->count && t->first + t->count <= m->frame_count);
		must(t->process < m->process_count);
		must(!i || merged_compare(m, m->order[i - 1], m->order[i]) < 0);
		sum += m->order[i];
	}
	must(!m->thread_count || sum == m->thread_count * (m->thread_count - 1) / 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer text = { 0 };
	struct merged m;
	size_t half;
	int rc;

	if (!size)
		return 0;
	must(!merged_init(&m));
	m.no_native = data[0] & 1;
	m.no_inline = data[0] & 2;
	half = data[0] & 4 ? (size - 1) / 2 : size - 1;
	rc = dumpread(&m, data[0] & 8 ? "host\x1b" : NULL, data + 1, half, NULL);
	if (!rc && data[0] & 4)
		rc = dumpread(&m, "other", data + 1 + half, size - 1 - half, NULL);
	must(!rc || rc == ERR_FORMAT);
	if (!rc) {
		must(!merged_text(&m, &text, NULL));
		check_order(&m);
		check_shown(&text);
	}
	buffer_release(&text);
	merged_release(&m);
	return 0;
}
