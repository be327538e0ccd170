/* An array has for each string whether it matches, is not known yet, or does not. Failures of the
 * pattern are kept, and nothing matches after one. */
#include "pprof/select/matches.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/profile.h"
#include "pprof/select/pattern.h"

enum { UNKNOWN, NO, YES };

int matches_init(struct matches *m, const struct profile *p, const struct pattern *pattern,
		 struct error *err)
{
	*m = (struct matches){ .p = p, .pattern = pattern, .err = err };
	if (pattern && !(m->known = calloc(p->strings.count + 1, 1)))
		m->rc = error_nomem(err);
	return m->rc;
}

void matches_release(struct matches *m)
{
	free(m->known);
	m->known = NULL;
}

/* The length to which simplifyFunc cuts a name without its leading dot. */
static size_t simple_length(const char *name, size_t len)
{
	static const char *const reserved[] = { "(anonymous namespace)", "operator()" };
	size_t i = 0;

	while (i < len) {
		size_t skip = 0;

		for (size_t j = 0; j < 2; j++) {
			size_t n = strlen(reserved[j]);

			if (len - i >= n && !memcmp(name + i, reserved[j], n))
				skip = n;
		}
		if (!skip && name[i] == '(')
			return i;
		i += skip ? skip : 1;
	}
	return len;
}

static bool matches_ask(struct matches *m, uint32_t string)
{
	const struct strset_entry *e = &m->p->strings.entries[string];
	const char *text = e->text;
	size_t len = e->len;
	int rc;

	if (m->simplified) {
		if (len && *text == '.') {
			text++;
			len--;
		}
		len = simple_length(text, len);
	}
	rc = pattern_match(m->pattern, text, len, m->err);
	if (rc < 0)
		m->rc = rc;
	return rc > 0;
}

bool matches_string(struct matches *m, uint32_t string)
{
	if (!m->pattern || m->rc)
		return false;
	if (m->known[string] == UNKNOWN)
		m->known[string] = matches_ask(m, string) ? YES : NO;
	return m->known[string] == YES;
}

bool matches_function(struct matches *m, uint32_t function)
{
	const struct profile_function *f;

	if (!function)
		return false;
	f = &m->p->functions[function - 1];
	return matches_string(m, f->name) || matches_string(m, f->filename);
}

bool matches_mapping(struct matches *m, const struct profile_location *l)
{
	return l->mapping && matches_string(m, m->p->mappings[l->mapping - 1].filename);
}

bool matches_location(struct matches *m, const struct profile_location *l)
{
	for (size_t i = 0; i < l->lines; i++)
		if (matches_function(m, m->p->lines[l->first_line + i].function))
			return true;
	return matches_mapping(m, l);
}
