/* Profiles for tests of stack filters, written and read as text. A sample is its frames, leaf
 * first, separated by blanks; "a/b" is one location at which a was inlined into b; samples are
 * separated by " | .". A function's file is its name and ".c", its mapping "/lib/m". */
#ifndef TESTS_STACKS_H
#define TESTS_STACKS_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "pprof/profile.h"

static inline uint32_t stacks_location(struct profile *p, const char *names)
{
	struct profile_location l = { .mapping = 1 };
	struct profile_line lines[8] = { 0 };
	size_t count = 0;
	uint32_t id = 0;
	char text[256], *state;

	snprintf(text, sizeof(text), "%s", names);
	for (char *n = strtok_r(text, "/", &state); n; n = strtok_r(NULL, "/", &state), count++) {
		struct profile_function f = { 0 };
		char file[300];

		snprintf(file, sizeof(file), "%s.c", n);
		cr_assert(!profile_string(p, n, &f.name) && !profile_string(p, file, &f.filename) &&
			  !profile_add_function(p, &f, &lines[count].function));
	}
	cr_assert(!profile_add_location(p, &l, lines, count, &id));
	return id;
}

static inline void stacks_add(struct profile *p, const char *names,
			      const struct profile_label *labels, size_t label_count)
{
	uint32_t ids[16];
	size_t count = 0;
	int64_t value = 1;
	char text[256], *state;

	snprintf(text, sizeof(text), "%s", names);
	for (char *n = strtok_r(text, " ", &state); n; n = strtok_r(NULL, " ", &state))
		ids[count++] = stacks_location(p, n);
	cr_assert(!profile_add_sample(p, ids, count, &value, labels, label_count));
}

static inline void stacks_begin(struct profile *p)
{
	struct profile_mapping m = { 0 };
	uint32_t id;

	cr_assert(!profile_init(p) && !profile_add_type(p, "samples", "count") &&
		  !profile_string(p, "/lib/m", &m.filename) && !profile_add_mapping(p, &m, &id));
}

static inline void stacks_make(struct profile *p, const char *samples)
{
	const char *bar;

	stacks_begin(p);
	for (; (bar = strstr(samples, " | ")); samples = bar + 3) {
		char one[256];

		snprintf(one, sizeof(one), "%.*s", (int)(bar - samples), samples);
		stacks_add(p, one, NULL, 0);
	}
	stacks_add(p, samples, NULL, 0);
}

static inline void stacks_expect(const struct profile *p, const char *want)
{
	struct buffer text = { 0 };

	for (size_t i = 0; i < p->sample_count; i++) {
		const struct profile_sample *s = &p->samples[i];

		buffer_addf(&text, "%s", i ? " | " : "");
		for (size_t j = 0; j < s->locations; j++) {
			uint32_t id = p->stack[s->first_location + j];
			const struct profile_location *l = &p->locations[id - 1];

			buffer_addf(&text, "%s", j ? " " : "");
			for (size_t k = 0; k < l->lines; k++) {
				uint32_t f = p->lines[l->first_line + k].function;

				buffer_addf(&text, "%s%s", k ? "/" : "",
					    strset_get(&p->strings, p->functions[f - 1].name));
			}
		}
	}
	cr_assert(!buffer_add(&text, "", 1));
	cr_expect_str_eq((char *)text.data, want);
	buffer_release(&text);
}

#endif
