/*
 *   #	0x89e12e	main.receive		/src/main.go:17
 *   #	0x89e134	main.receiveInto	/src/main.go:21
 *
 * Go also writes the distance from the function's entry behind a name ("+0x2e"); profile.proto
 * has no entry addresses. In profile.proto, inlined calls share the address of their location.
 */
#include "pprof/gotext/stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/room.h"
#include "pprof/profile.h"

enum { TAB = 8 };

void stack_lines_release(struct stack_lines *s)
{
	free(s->lines);
}

static int gotext_stack_add_line(struct stack_lines *s, struct stack_line line)
{
	if (room_for((void **)&s->lines, &s->room, s->count + 1, sizeof(line)))
		return ERR_NOMEM;
	s->lines[s->count++] = line;
	return 0;
}

static bool gotext_stack_begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Is a frame shown? `show`: a frame that it called is shown, or all frames are requested. */
static bool gotext_stack_is_shown(const char *name, bool show)
{
	if (!*name)
		return true;
	return strcmp(name, "runtime.goexit") != 0 &&
	       (show || !(gotext_stack_begins(name, "runtime.") ||
			  gotext_stack_begins(name, "internal/runtime/")));
}

/* A thread that Go did not start has a stack of addresses 0; here each of them is 0 - 1. */
static bool gotext_stack_is_padding(const struct profile *p,
				    const struct profile_location *location)
{
	const struct profile_line *line = p->lines + location->first_line;

	return location->address == UINT64_MAX &&
	       (!location->lines || !p->functions[line->function - 1].name);
}

static bool gotext_stack_is_empty(const struct profile *p, const struct profile_sample *sample)
{
	for (size_t i = 0; i < sample->locations; i++)
		if (!gotext_stack_is_padding(
			    p, &p->locations[p->stack[sample->first_location + i] - 1]))
			return false;
	return true;
}

static int collect_location(struct stack_lines *s, const struct profile *p,
			    const struct profile_location *location, bool *show)
{
	struct stack_line line = { .address = location->address, .name = "", .file = "" };
	int rc = 0;

	if (gotext_stack_is_padding(p, location))
		return 0;
	if (!location->lines) {
		*show = true;
		return gotext_stack_add_line(s, line);
	}
	for (size_t i = 0; !rc && i < location->lines; i++) {
		const struct profile_line *l = &p->lines[location->first_line + i];
		const struct profile_function *f = &p->functions[l->function - 1];

		line.name = strset_get(&p->strings, f->name);
		line.file = strset_get(&p->strings, f->filename);
		line.line = l->line;
		if (!gotext_stack_is_shown(line.name, *show))
			continue;
		*show = true;
		rc = gotext_stack_add_line(s, line);
	}
	return rc;
}

static int gotext_stack_collect(struct stack_lines *s, const struct profile *p,
				const struct profile_sample *sample, bool all)
{
	bool show = all;
	int rc = 0;

	s->count = 0;
	if (gotext_stack_is_empty(p, sample))
		return gotext_stack_add_line(s, (struct stack_line){ .name = "" });
	for (size_t i = 0; !rc && i < sample->locations; i++)
		rc = collect_location(s, p, &p->locations[p->stack[sample->first_location + i] - 1],
				      &show);
	return rc || show ? rc : gotext_stack_collect(s, p, sample, true);
}

/* The width in characters, as text/tabwriter counts. */
static size_t gotext_stack_width_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static size_t address_width(uint64_t address)
{
	return (size_t)snprintf(NULL, 0, "0x%" PRIx64, address);
}

/* runtime/pprof writes "[...]" for type arguments, which the Go linker spells out in a name.
 * Returns their first bracket; *end is behind the last one, NULL for a name without arguments. */
static const char *type_arguments(const char *name, const char **end)
{
	const char *start = strchr(name, '['), *last = strrchr(name, ']');

	*end = start && last > start && strstr(name, "go.shape.") ? last + 1 : NULL;
	return start;
}

static size_t name_width(const char *name)
{
	const char *end, *start = type_arguments(name, &end);

	if (end)
		return gotext_stack_width_of(name) - gotext_stack_width_of(start) +
		       strlen("[...]") + gotext_stack_width_of(end);
	return gotext_stack_width_of(name);
}

static int put_name(struct buffer *out, const char *name)
{
	const char *end, *start = type_arguments(name, &end);

	if (!end)
		return buffer_add_printable(out, name, strlen(name));
	if (buffer_add_printable(out, name, (size_t)(start - name)) || buffer_addf(out, "[...]"))
		return ERR_NOMEM;
	return buffer_add_printable(out, end, strlen(end));
}

/* Writes the tabs from the end of a cell of this width to the end of its column. */
static int put_tabs(struct buffer *out, size_t width, size_t column)
{
	size_t end = (column + 1 + TAB - 1) / TAB * TAB;
	int rc = 0;

	for (size_t n = (end - width + TAB - 1) / TAB; !rc && n; n--)
		rc = buffer_add(out, "\t", 1);
	return rc;
}

static int gotext_stack_put_line(const struct stack_line *line, size_t address_column,
				 size_t name_column, struct buffer *out)
{
	if (buffer_addf(out, "#\t0x%" PRIx64, line->address) ||
	    put_tabs(out, address_width(line->address), address_column) ||
	    put_name(out, line->name) || put_tabs(out, name_width(line->name), name_column) ||
	    buffer_add_printable(out, line->file, strlen(line->file)))
		return ERR_NOMEM;
	return buffer_addf(out, ":%" PRId64 "\n", line->line);
}

/* The column widths of the run of lines with names from `from` on; returns the run's end. */
static size_t gotext_stack_columns(const struct stack_lines *s, size_t from, size_t *address,
				   size_t *name)
{
	*address = *name = 0;
	for (; from < s->count && *s->lines[from].name; from++) {
		size_t a = address_width(s->lines[from].address);
		size_t n = name_width(s->lines[from].name);

		*address = a > *address ? a : *address;
		*name = n > *name ? n : *name;
	}
	return from;
}

int stack_lines_write(struct stack_lines *s, const struct profile *p,
		      const struct profile_sample *sample, bool all, struct buffer *out)
{
	int rc = gotext_stack_collect(s, p, sample, all);
	size_t i = 0;

	while (!rc && i < s->count) {
		size_t address, name, end = gotext_stack_columns(s, i, &address, &name);

		for (; !rc && i < end; i++)
			rc = gotext_stack_put_line(&s->lines[i], address, name, out);
		if (!rc && i < s->count)
			rc = buffer_addf(out, "#\t0x%" PRIx64 "\n", s->lines[i++].address);
	}
	return rc ? rc : buffer_add(out, "\n", 1);
}
