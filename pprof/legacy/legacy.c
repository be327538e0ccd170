/*
 * Finds the form by the first line and passes the others on. A line that begins with # is a
 * comment: names.c reads names of it.
 */
#include "pprof/legacy/legacy.h"

#include "base/error.h"
#include "pprof/legacy/build.h"

static const struct legacy_form *const forms[] = { &legacy_counts, &legacy_heap,
						   &legacy_contention };

/* A carriage return before the newline is removed, as Go's bufio.Scanner does. */
static bool legacy_next_line(struct cursor *text, struct cursor *line)
{
	if (!cursor_line(text, line))
		return false;
	if (cursor_left(line) && line->end[-1] == '\r')
		line->end--;
	return true;
}

static int legacy_read_line(struct legacy *l, const struct legacy_form *form, struct cursor line)
{
	if (!cursor_left(&line) || *line.pos == '#')
		return legacy_comment(l, line);
	return form->read(l, line);
}

/* The lines behind the first. */
static int legacy_read_lines(struct legacy *l, const struct legacy_form *form, struct cursor text,
			     struct error *err)
{
	struct cursor line;
	size_t number = 1;
	int rc = 0;

	while (!rc && legacy_next_line(&text, &line)) {
		rc = legacy_read_line(l, form, line);
		number++;
	}
	if (rc == ERR_FORMAT)
		return error_set(err, rc, "line %zu: is no sample, '%s'", number, form->row);
	return rc ? rc : legacy_finish(l);
}

static int legacy_read(struct legacy *l, struct cursor text, struct error *err)
{
	struct cursor line;
	int rc = NOT_THIS;
	size_t i = 0;

	if (legacy_next_line(&text, &line))
		while (rc == NOT_THIS && i < sizeof(forms) / sizeof(*forms))
			rc = forms[i++]->begin(l, line);
	if (rc == NOT_THIS)
		return error_set(err, ERR_NOTFOUND, "begins as no text of Go's debug=1");
	return rc ? rc : legacy_read_lines(l, forms[i - 1], text, err);
}

int legacy_parse(struct profile *p, const void *data, size_t len, struct error *err)
{
	struct legacy l = { .p = p };
	struct cursor text;
	int rc;

	cursor_init(&text, data, len, "text");
	rc = legacy_read(&l, text, err);
	legacy_release(&l);
	return rc == ERR_NOMEM ? error_nomem(err) : rc;
}
