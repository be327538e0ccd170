/* Waits as JSON: what was waited for, with all stacks in which threads did. */
#include "base/buffer.h"
#include "base/error.h"
#include "pprof/report/reportjson.h"
#include "pprof/report/reports.h"
#include "pprof/report/waitsum.h"

static void waits_json_thing(const struct waitsum *w, struct json *j, const struct waits_row *rows,
			     size_t count)
{
	static const char *const parts[] = { "wait", "event loop", "idle" };

	json_add(j, "{\"what\":");
	json_add_text(j, strset_get(&w->things, rows->what));
	json_addf(j, ",\"part\":\"%s\",\"value\":%ld,\n \"stacks\":[", parts[rows->part],
		  (long)rows->what_sum);
	for (size_t i = 0; i < count && reportjson_row(j, i); i++) {
		json_addf(j, "  {\"value\":%ld", (long)rows[i].sum);
		reportjson_frames(j, strset_get(&w->stacks.stacks, rows[i].stack), rows[i].stack);
		json_add(j, "}");
	}
	json_add(j, "]}");
}

int report_waits_json(const struct profile *p, const struct report_view *v, struct buffer *out,
		      struct error *err)
{
	struct json j = { out, 0 };
	struct waitsum w;
	int rc = waitsum_find(&w, p, v, err);

	if (!rc) {
		reportjson_open(&j, "waits");
		reportjson_profile(&j, p, v, w.total);
		reportjson_selection(&j, v);
		json_add(&j, ",\n\"rows\":[");
		for (size_t i = 0, n = 0, count; i < w.count && reportjson_row(&j, n++);
		     i += count) {
			count = waitsum_group(&w, i);
			waits_json_thing(&w, &j, &w.rows[i], count);
		}
		rc = reportjson_close(&j, err);
	}
	waitsum_release(&w);
	return rc;
}
