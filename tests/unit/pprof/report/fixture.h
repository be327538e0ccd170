/* Small profiles for the tests of reports. */
#ifndef TESTS_REPORT_FIXTURE_H
#define TESTS_REPORT_FIXTURE_H

#include "pprof/profile.h"

static inline uint32_t add_function(struct profile *p, const char *name, const char *file)
{
	struct profile_function f = { .start_line = 5 };
	uint32_t id = 0;

	profile_string(p, name, &f.name);
	profile_string(p, file, &f.filename);
	profile_add_function(p, &f, &id);
	return id;
}

/* A location at line 10 of `inner`, inlined into line 20 of `outer` unless that is 0. */
static inline uint32_t add_location(struct profile *p, uint64_t address, uint32_t mapping,
				    uint32_t inner, uint32_t outer)
{
	struct profile_line lines[2] = { { .function = inner, .line = 10, .column = 3 },
					 { .function = outer, .line = 20 } };
	struct profile_location l = { .address = address, .mapping = mapping };
	uint32_t id = 0;

	profile_add_location(p, &l, lines, inner ? outer ? 2 : 1 : 0, &id);
	return id;
}

/* A new function with one location. */
static inline uint32_t add_frame(struct profile *p, const char *name)
{
	return add_location(p, p->location_count + 1, 0, add_function(p, name, "a.c"), 0);
}

static inline uint32_t add_mapping(struct profile *p, const char *file)
{
	struct profile_mapping m = { .limit = 1 };
	uint32_t id = 0;

	profile_string(p, file, &m.filename);
	profile_add_mapping(p, &m, &id);
	return id;
}

static inline struct profile_label string_label(struct profile *p, const char *key,
						const char *value)
{
	struct profile_label l = { 0 };

	profile_string(p, key, &l.key);
	profile_string(p, value, &l.str);
	return l;
}

#endif
