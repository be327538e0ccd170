#include "report/livefilter.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 1000 };

static bool has_upper(const char *text)
{
	for (; *text; text++)
		if (isupper((unsigned char)*text))
			return true;
	return false;
}

void livefilter_set(struct livefilter *f, const char *text)
{
	int flags = REG_EXTENDED | REG_NOSUB | (has_upper(text) ? 0 : REG_ICASE);

	livefilter_release(f);
	snprintf(f->text, sizeof(f->text), "%s", text);
	f->is_regex = *f->text && regcomp(&f->regex, f->text, flags) == 0;
}

void livefilter_release(struct livefilter *f)
{
	if (f->is_regex)
		regfree(&f->regex);
	memset(f, 0, sizeof(*f));
}

bool livefilter_matches(const struct livefilter *f, const char *name)
{
	char text[NAME_MAX_BYTES + 1];

	if (!*f->text)
		return true;
	snprintf(text, sizeof(text), "%s", name);
	if (f->is_regex)
		return regexec(&f->regex, text, 0, NULL, 0) == 0;
	return has_upper(f->text) ? strstr(text, f->text) != NULL : strcasestr(text, f->text) != NULL;
}
