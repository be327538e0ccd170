/* How a text begins and ends. */
#ifndef BASE_AFFIX_H
#define BASE_AFFIX_H

#include <stdbool.h>
#include <string.h>

static inline bool begins_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Removes `end` from the text, if there is something before it. */
static inline void cut_end(char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	if (len > n && !strcmp(text + len - n, end))
		text[len - n] = '\0';
}

#endif
