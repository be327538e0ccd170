/* The short forms of pprof/shortname.h are tried from the longest. What still does not fit loses
 * its middle. */
#include "pprof/graph/fitname.h"

#include <string.h>

#include "pprof/graph/text.h"
#include "pprof/shortname.h"

static const char dots[] = "…";

static size_t columns_of(const char *text)
{
	return text_columns(text, strlen(text));
}

/* Cuts the middle out, in place. */
static void fitname_cut(char *text, size_t columns)
{
	size_t head, tail;

	if (columns_of(text) <= columns)
		return;
	text_cut(text, strlen(text), columns, &head, &tail);
	memmove(text + head + sizeof(dots) - 1, text + tail, strlen(text + tail) + 1);
	memcpy(text + head, dots, sizeof(dots) - 1);
}

/* The longest form that fits; else the shortest that still has the scope, which tells apart the
 * methods of a name. NULL: it has no other form. */
static const char *form_for(const char *name, size_t columns,
			    char forms[SHORTNAME_FORMS][SHORTNAME_MAX])
{
	size_t count = shortname(name, strlen(name), forms), i = 0;

	count -= count > 1;
	while (i < count && columns_of(forms[i]) > columns)
		i++;
	return count ? forms[i < count ? i : count - 1] : NULL;
}

const char *fitname(const char *name, size_t columns, char *text)
{
	char forms[SHORTNAME_FORMS][SHORTNAME_MAX];
	const char *form = columns_of(name) > columns ? form_for(name, columns, forms) : NULL;
	size_t len;

	name = form ? form : name;
	len = strnlen(name, FITNAME_MAX - sizeof(dots)); /* room for the dots */
	memcpy(text, name, len);
	text[len] = '\0';
	fitname_cut(text, columns);
	return text;
}
