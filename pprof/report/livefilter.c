/* "(?i)" in front of the text makes the pattern ignore case. A pattern that fails while it is typed
 * is searched for as a text. */
#include "pprof/report/livefilter.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "pprof/select/pattern.h"

static bool has_upper(const char *text)
{
	for (; *text; text++)
		if (isupper((unsigned char)*text))
			return true;
	return false;
}

void livefilter_set(struct livefilter *f, const char *text)
{
	char pattern[LIVEFILTER_ROOM + 8];
	int len;

	livefilter_release(f);
	snprintf(f->text, sizeof(f->text), "%s", text);
	len = snprintf(pattern, sizeof(pattern), "%s%s", has_upper(f->text) ? "" : "(?i)", f->text);
	if (*f->text && pattern_new(&f->pattern, pattern, (size_t)len, NULL))
		f->pattern = NULL;
}

void livefilter_release(struct livefilter *f)
{
	pattern_free(f->pattern);
	memset(f, 0, sizeof(*f));
}

bool livefilter_matches(const struct livefilter *f, const char *name)
{
	if (!*f->text)
		return true;
	if (f->pattern)
		return pattern_match(f->pattern, name, strlen(name), NULL) == 1;
	return (has_upper(f->text) ? strstr(name, f->text) : strcasestr(name, f->text)) != NULL;
}
