/*
 * Goroutines for tests, made from a small notation: a stack is its frames separated by blanks,
 * innermost first. "main.f" has the file /main.f.go and line 1, "main.f:7" line 7; "..." stands for
 * frames that Go left out.
 */
#ifndef TESTS_GOROUTINES_H
#define TESTS_GOROUTINES_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "goparse/goparse.h"

enum { STACK_MAX = 8, NAME_MAX_LEN = 32 };

/* A stack's frames and texts. The frames point into it: it must not move. */
struct made_stack {
	struct goparse_frame frames[STACK_MAX];
	char functions[STACK_MAX][NAME_MAX_LEN], files[STACK_MAX][NAME_MAX_LEN + 8];
};

static inline struct goparse_text text_of(const char *s)
{
	return (struct goparse_text){ s, s ? strlen(s) : 0 };
}

static inline struct goparse_frame make_frame(struct made_stack *m, size_t i, const char *name)
{
	size_t len = strcspn(name, ":");
	const char *line = name[len] ? name + len + 1 : "1";

	cr_assert(i < STACK_MAX && len < NAME_MAX_LEN);
	snprintf(m->functions[i], sizeof(m->functions[i]), "%.*s", (int)len, name);
	snprintf(m->files[i], sizeof(m->files[i]), "/%.*s.go", (int)len, name);
	return (struct goparse_frame){ .function = text_of(m->functions[i]),
				       .file = text_of(m->files[i]),
				       .line = strtoul(line, NULL, 10) };
}

/* `creator` NULL: none. The stack is valid as long as *m. */
static inline struct goparse_stack make_stack(struct made_stack *m, const char *frames,
					      const char *creator)
{
	struct goparse_stack s = { .frames = m->frames };
	char *text = strdup(frames), *state;

	cr_assert(text);
	for (char *n = strtok_r(text, " ", &state); n; n = strtok_r(NULL, " ", &state)) {
		if (strcmp(n, "...")) {
			m->frames[s.count] = make_frame(m, s.count, n);
			s.count++;
		} else {
			s.elided = true;
			s.elided_at = s.count;
		}
	}
	free(text);
	if (creator)
		s.created_by = make_frame(m, s.count, creator);
	return s;
}

#endif
