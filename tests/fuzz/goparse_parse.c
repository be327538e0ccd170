// links: goparse
/*
 * Goroutine dumps. All parsed texts lie within the input, and a stream gives the same as memory,
 * wherever the window ends: the first two bytes choose how much foreign text precedes the dump.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "goparse/goparse.h"
#include "tests/fuzz/must.h"
#include "tests/unit/goparse/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 64 << 10, WINDOW = 128 << 10 };

struct seen {
	const char *start, *end; /* of the input; NULL if texts lie in a window */
	struct buffer shown;
	uint64_t goroutines, last_line;
};

static void check_text(const struct seen *seen, struct goparse_text t)
{
	if (t.len && seen->start)
		must(t.at >= seen->start && t.at <= seen->end &&
		     t.len <= (size_t)(seen->end - t.at));
}

static void check_frame(const struct seen *seen, const struct goparse_frame *f)
{
	must(f->function.len);
	check_text(seen, f->function);
	check_text(seen, f->file);
}

static void check_stack(const struct seen *seen, const struct goparse_stack *s)
{
	must(s->elided_at <= s->count && (s->elided || (!s->elided_at && !s->elided_count)));
	for (size_t i = 0; i < s->count; i++)
		check_frame(seen, &s->frames[i]);
	if (s->created_by.function.len)
		check_frame(seen, &s->created_by);
	else
		must(!s->created_in && !s->created_by.line);
}

static int each(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	struct seen *seen = ctx;

	(void)err;
	must(g->line > seen->last_line && g->state.len);
	seen->last_line = g->line;
	seen->goroutines++;
	check_text(seen, g->state);
	check_stack(seen, &g->stack);
	for (size_t i = 0; i < g->ancestor_count; i++)
		check_stack(seen, &g->ancestors[i]);
	return show_goroutine(&seen->shown, g);
}

/* Lines with `pad` bytes in all, and then the input. */
struct input {
	const uint8_t *data;
	size_t size, pad, at;
};

static int give(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	struct input *in = ctx;
	size_t left = in->at < in->pad ? in->pad - in->at : in->pad + in->size - in->at;

	(void)err;
	*got = len < left ? len : left;
	if (in->at < in->pad)
		memset(buf, '.', *got);
	else
		memcpy(buf, in->data + (in->at - in->pad), *got);
	in->at += *got;
	if (*got && in->at == in->pad)
		((char *)buf)[*got - 1] = '\n';
	return 0;
}

static void check_same(const struct buffer *whole, const struct buffer *streamed)
{
	must(whole->len == streamed->len &&
	     (!whole->len || !memcmp(whole->data, streamed->data, whole->len)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen whole = { 0 }, streamed = { .last_line = 0 };
	struct input in = { 0 };
	struct goparse *p;

	if (size < 2 || size > INPUT_MAX)
		return 0;
	in = (struct input){ data + 2, size - 2, WINDOW - (data[0] << 8 | data[1]), 0 };
	must(goparse_new(&p, NULL) == 0);

	/* The same number of lines before it, so that line numbers are equal. */
	whole.start = malloc(in.size + 1);
	must(whole.start);
	whole.end = whole.start + in.size + 1;
	*(char *)whole.start = '\n';
	memcpy((char *)whole.start + 1, in.data, in.size);
	must(goparse_memory(p, whole.start, in.size + 1, each, &whole, NULL) == 0);
	must(goparse_stats(p)->goroutines == whole.goroutines);
	must(show_errors(&whole.shown, goparse_stats(p)) == 0);

	must(goparse_stream(p, give, &in, each, &streamed, NULL) == 0);
	must(goparse_stats(p)->bytes == in.size + in.pad);
	must(show_errors(&streamed.shown, goparse_stats(p)) == 0);
	check_same(&whole.shown, &streamed.shown);

	goparse_free(p);
	free((char *)whole.start);
	buffer_release(&whole.shown);
	buffer_release(&streamed.shown);
	return 0;
}
