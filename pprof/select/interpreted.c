/* A location's kind is told by its mapping's name, once for each location. Native frames between
 * interpreted ones are dropped; a stack without any of these becomes one frame. */
#include "pprof/select/interpreted.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/profile.h"

/* What a location is. A seam stands between native and interpreted frames, a note for no code. */
enum interpreted_kind { NATIVE, INTERPRETED, SEAM, NOTE };

static bool is_language(const struct profile *p, uint32_t mapping)
{
	static const char *const languages[] = { "[python]", "[ruby]",	 "[php]", "[java]",
						 "[node]",   "[erlang]", "[jit]" };
	const char *name = strset_get(&p->strings, p->mappings[mapping - 1].filename);

	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages); i++)
		if (!strcmp(name, languages[i]))
			return true;
	return false;
}

static bool is_seam(const struct profile *p, const struct profile_location *l)
{
	uint32_t function = l->lines ? p->lines[l->first_line].function : 0;

	return function &&
	       !strcmp(strset_get(&p->strings, p->functions[function - 1].name), "[not merged]");
}

static enum interpreted_kind interpreted_kind_of(const struct profile *p,
						 const struct profile_location *l)
{
	if (!l->mapping)
		return l->address ? NATIVE : NOTE;
	if (!is_language(p, l->mapping))
		return NATIVE;
	return is_seam(p, l) ? SEAM : INTERPRETED;
}

bool interpreted_any(const struct profile *p)
{
	for (size_t i = 0; i < p->location_count; i++)
		if (interpreted_kind_of(p, &p->locations[i]) == INTERPRETED)
			return true;
	return false;
}

/* By location; NULL: no memory. */
static uint8_t *kinds_of(const struct profile *p)
{
	uint8_t *kinds = calloc(p->location_count + 1, sizeof(*kinds));

	for (size_t i = 0; kinds && i < p->location_count; i++)
		kinds[i] = (uint8_t)interpreted_kind_of(p, &p->locations[i]);
	return kinds;
}

static bool has_interpreted(const struct profile *p, const struct profile_sample *s,
			    const uint8_t *kinds)
{
	for (size_t i = 0; i < s->locations; i++)
		if (kinds[p->stack[s->first_location + i] - 1] == INTERPRETED)
			return true;
	return false;
}

bool interpreted_most(const struct profile *p, size_t type)
{
	uint8_t *kinds = kinds_of(p);
	double all = 0, interpreted = 0;

	for (size_t i = 0; kinds && i < p->sample_count; i++) {
		double value = fabs((double)p->values[p->samples[i].first_value + type]);

		all += value;
		interpreted += has_interpreted(p, &p->samples[i], kinds) ? value : 0;
	}
	free(kinds);
	return interpreted > all / 2;
}

static int add_native(struct profile *p, uint32_t *id)
{
	const struct profile_location place = { 0 };
	struct profile_function function = { 0 };
	struct profile_line line = { 0 };

	if (profile_string(p, "[native]", &function.name) ||
	    profile_add_function(p, &function, &line.function))
		return ERR_NOMEM;
	return profile_add_location(p, &place, &line, 1, id);
}

/* `kinds` is by location; `native` the location to stand for frames that are dropped. */
static void interpreted_keep_frames(const struct profile *p, struct profile_sample *s,
				    const uint8_t *kinds, uint32_t native)
{
	uint32_t *stack = p->stack + s->first_location;
	bool told = has_interpreted(p, s, kinds); /* or `native` is in the stack */
	size_t kept = 0;

	for (size_t i = 0; i < s->locations; i++) {
		uint8_t kind = kinds[stack[i] - 1];

		if (kind == INTERPRETED || kind == NOTE) {
			stack[kept++] = stack[i];
		} else if (!told) {
			stack[kept++] = native;
			told = true;
		}
	}
	s->locations = kept;
}

int interpreted_only(struct profile *p, struct error *err)
{
	uint8_t *kinds = kinds_of(p);
	uint32_t native;

	if (!kinds)
		return error_nomem(err);
	if (add_native(p, &native)) {
		free(kinds);
		return error_nomem(err);
	}
	for (size_t i = 0; i < p->sample_count; i++)
		interpreted_keep_frames(p, &p->samples[i], kinds, native);
	free(kinds);
	return 0;
}
