/* Goroutines as lines of text that tests can compare. */
#ifndef TESTS_UNIT_GOPARSE_SHOW_H
#define TESTS_UNIT_GOPARSE_SHOW_H

#include <stdlib.h>

#include "base/buffer.h"
#include "goparse/goparse.h"

#define SHOW_TEXT(t) (int)(t).len, (t).at ? (t).at : ""

static inline int show_hex(struct buffer *out, const char *before, uint64_t value)
{
	return value ? buffer_addf(out, "%s0x%lx", before, value) : 0;
}

static inline int show_frame(struct buffer *out, const char *before, const struct goparse_frame *f)
{
	int rc = buffer_addf(out, "%s%.*s", before, SHOW_TEXT(f->function));

	if (f->file.len)
		rc |= buffer_addf(out, " %.*s:%lu", SHOW_TEXT(f->file), f->line);
	return rc | show_hex(out, " +", f->pc_offset) | show_hex(out, " pc=", f->pc);
}

static inline int show_stack(struct buffer *out, const struct goparse_stack *s)
{
	int rc = 0;

	for (size_t i = 0; i <= s->count; i++) {
		if (s->elided && s->elided_at == i)
			rc |= buffer_addf(out, "| ...%lu", s->elided_count);
		if (i < s->count)
			rc |= show_frame(out, "| ", &s->frames[i]);
	}
	if (s->unavailable)
		rc |= buffer_addf(out, "| unavailable");
	if (s->created_by.function.len)
		rc |= show_frame(out, "| by ", &s->created_by);
	if (s->created_in)
		rc |= buffer_addf(out, " in %lu", s->created_in);
	return rc;
}

/* Appends "LINE: ID [STATE]… | FRAME | … | by FRAME in ID ^ ANCESTOR | FRAME …" and a newline.
 * 0, or negative when out of memory. */
static inline int show_goroutine(struct buffer *out, const struct goparse_goroutine *g)
{
	static const char *const flags[] = { "scan", "leaked", "durable", "synctest" };
	int rc = buffer_addf(out, "%lu: %lu [%.*s]", g->line, g->stack.id, SHOW_TEXT(g->state));

	for (size_t i = 0; i < 4; i++)
		if (g->flags & 1U << i)
			rc |= buffer_addf(out, " (%s)", flags[i]);
	if (g->wait_ns)
		rc |= buffer_addf(out, " %.15gm", (double)g->wait_ns / 60e9);
	if (g->locked)
		rc |= buffer_addf(out, " locked");
	rc |= show_hex(out, " gp=", g->gp);
	if (g->has_m)
		rc |= buffer_addf(out, " m=%ld", g->m);
	rc |= show_hex(out, " mp=", g->mp);
	if (g->bubble)
		rc |= buffer_addf(out, " bubble=%lu", g->bubble);
	if (g->group)
		rc |= buffer_addf(out, " group=%lu", g->group);
	for (size_t i = 0; i < g->label_count; i++)
		rc |= buffer_addf(out, " <%.*s>=<%.*s>", SHOW_TEXT(g->labels[i].key),
				  SHOW_TEXT(g->labels[i].value));
	if (g->cut)
		rc |= buffer_addf(out, " cut");
	rc |= show_stack(out, &g->stack);
	for (size_t i = 0; i < g->ancestor_count; i++)
		rc |= buffer_addf(out, " ^ %lu", g->ancestors[i].id) |
		      show_stack(out, &g->ancestors[i]);
	return rc | buffer_addf(out, "\n");
}

static inline int show_errors(struct buffer *out, const struct goparse_stats *stats)
{
	int rc = 0;

	for (size_t i = 0; i < stats->error_count && i < GOPARSE_ERRORS_KEPT; i++)
		rc |= buffer_addf(out, "%lu! %s ? %s\n", stats->errors[i].line,
				  stats->errors[i].text, stats->errors[i].expected);
	return rc;
}

#endif
