// links: pprof/report pprof/wire
/*
 * Four bytes that choose a view, then pprof bytes: every writer of text and of JSON on any profile
 * that decodes. Text for a terminal has no control characters except newlines, and lines are not
 * wider than the view allows. JSON is one value.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "pprof/inlines.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/report/change.h"
#include "pprof/report/reports.h"
#include "pprof/wire/decode.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More text is a matter of the limit (tests/unit/pprof/graph/text_test.c); its time is worth more
 * on other inputs. */
enum { TEXT_WORTH = 8 << 20, HEAD = 4 };

static const struct report_choice fuzz_choices[] = { { "focus", "a\xff\"" }, { NULL, NULL } };
static const struct report_selection fuzz_selection = { "file\n", true, false, fuzz_choices };

static struct change fuzz_change(const struct profile *p, const struct report_view *v)
{
	return (struct change){ { "base\x1b", p->time_nanos, p->duration_nanos },
				{ "new", -1, 1000000000 },
				v->cum };
}

static int write_change(const struct profile *p, const struct report_view *v, struct buffer *out,
			struct error *err)
{
	const struct change change = fuzz_change(p, v);

	return report_change(p, v, &change, out, err);
}

static int write_change_json(const struct profile *p, const struct report_view *v,
			     struct buffer *out, struct error *err)
{
	const struct change change = fuzz_change(p, v);

	return report_change_json(p, v, &change, out, err);
}

static report_writer *const writers[] = { report_top,	report_tree,  report_traces, report_raw,
					  report_calls, write_change, report_locks,  report_waits };

static report_writer *const json_writers[] = { report_top_json, report_tree_json, report_locks_json,
					       report_waits_json, write_change_json };

static struct report_view view_of(const uint8_t head[HEAD], const struct profile *p)
{
	static const char *const units[] = { NULL, "auto", "ms", "kb" };
	static const double shares[] = { 0, 0.005, 0.3, 1 };

	return (struct report_view){ .type = head[0] % p->type_count,
				     .by = (enum report_by)(head[1] % (REPORT_BY_THREAD + 1)),
				     .cum = head[2] & 1,
				     .verbose = head[3] & 32,
				     .unit = units[head[2] >> 1 & 3],
				     .node_fraction = shares[head[2] >> 3 & 3],
				     .edge_fraction = shares[head[2] >> 5 & 3],
				     .nodecount = head[3] & 7,
				     .width = head[3] & 8 ? 40 : 0,
				     .selection = &fuzz_selection };
}

static bool is_much(const struct profile *p)
{
	size_t longest = 0, times = p->stack_count + p->line_count + p->sample_count +
				    p->location_count + p->label_count + p->comment_count;

	for (uint32_t i = 0; i < p->strings.count; i++)
		if (p->strings.entries[i].len > longest)
			longest = p->strings.entries[i].len;
	/* The lines of a location are written for each stack that contains it. */
	for (size_t i = 0; i < p->stack_count; i++)
		times += p->locations[p->stack[i] - 1].lines;
	return times * (longest + 100) > TEXT_WORTH;
}

static void check_text(const struct buffer *text)
{
	for (size_t i = 0; i < text->len; i++)
		must(text->data[i] >= ' ' ? text->data[i] != 0x7f :
					    text->data[i] == '\n' || text->data[i] == '\t');
}

static void check_json(const struct buffer *text)
{
	struct cursor c;

	check_text(text);
	cursor_init(&c, text->data, text->len, "json");
	jsonread_skip(&c);
	jsonread_end(&c);
	must(!c.failed);
}

static void show(const struct profile *p, const struct report_view *v)
{
	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
		struct buffer text = { 0 };
		int rc = writers[i](p, v, &text, NULL);

		must(!rc || (rc == ERR_NOTFOUND &&
			     (writers[i] == report_locks || writers[i] == report_waits)));
		check_text(&text);
		buffer_release(&text);
	}
	for (size_t i = 0; i < sizeof(json_writers) / sizeof(*json_writers); i++) {
		struct buffer text = { 0 };
		int rc = json_writers[i](p, v, &text, NULL);

		must(!rc || (rc == ERR_NOTFOUND && (json_writers[i] == report_locks_json ||
						    json_writers[i] == report_waits_json)));
		if (!rc)
			check_json(&text);
		buffer_release(&text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report_view v;
	struct profile p;

	if (size < HEAD)
		return 0;
	must(profile_init(&p) == 0);
	if (profile_decode(&p, data + HEAD, size - HEAD, NULL) == 0 && p.type_count &&
	    !is_much(&p)) {
		uint32_t *units = labels_units(&p);

		must(units);
		v = view_of(data, &p);
		v.label_units = units;
		show(&p, &v);
		if (data[3] & 16) {
			profile_drop_inlines(&p);
			show(&p, &v);
		}
		free(units);
	}
	profile_release(&p);
	return 0;
}
