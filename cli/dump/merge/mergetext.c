/* What differs comes first, since the tree of a hundred processes is longer than a screen. */
#include "cli/dump/merge/mergetext.h"

#include <string.h>

#include "base/error.h"
#include "base/printer.h"
#include "cli/dump/merge/merged.h"
#include "cli/dump/merge/mergetree.h"
#include "cli/dump/merge/outliers.h"

enum { SECONDS = sizeof("2026-12-01T10:00:00") - 1 };

static size_t mergetext_count_hosts(const struct merged *m)
{
	size_t hosts = 0;

	for (size_t i = 0; i < m->process_count; i++) /* those of one host follow one another */
		hosts += m->processes[i].host &&
			 (!i || m->processes[i].host != m->processes[i - 1].host);
	return hosts;
}

/* To the second. */
static void mergetext_print_time(const struct merged *m, uint32_t time, struct printer *p)
{
	const char *text = strset_get(&m->texts, time);

	print_foreign_bytes(p, text, strnlen(text, SECONDS));
	print_to(p, text[0] ? "Z" : "");
}

/* `8 processes of 2 files, 24 threads, 2026-12-01T10:00:00Z to …` */
static void mergetext_print_heading(const struct merged *m, struct printer *p)
{
	size_t hosts = mergetext_count_hosts(m);

	print_to(p, "%zu process%s", m->process_count, m->process_count == 1 ? "" : "es");
	if (hosts)
		print_to(p, " of %zu files", hosts);
	print_to(p, ", %zu thread%s", m->thread_count, m->thread_count == 1 ? "" : "s");
	print_to(p, m->first_time ? ", " : "");
	mergetext_print_time(m, m->first_time, p);
	if (strncmp(strset_get(&m->texts, m->first_time), strset_get(&m->texts, m->last_time),
		    SECONDS)) {
		print_to(p, " to ");
		mergetext_print_time(m, m->last_time, p);
	}
	print_to(p, "\n\n");
}

int merged_text(struct merged *m, struct buffer *out, struct error *err)
{
	struct printer p = { out, merged_finish(m) };
	size_t start;

	mergetext_print_heading(m, &p);
	start = out->len;
	if (!p.rc)
		outliers_print(m, &p);
	print_to(&p, out->len > start ? "\n" : "");
	if (!p.rc)
		mergetree_print(m, &p);
	return printer_result(&p, err);
}
