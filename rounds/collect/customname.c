/* Names that ServeMux would clean, and those that are too long, are encoded, too, so that the
 * reason why they are missing can name them. */
#include "rounds/collect/customname.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool stands_for_itself(char ch)
{
	return isascii(ch) && (isalnum(ch) || strchr("._-", ch)) && ch;
}

/* net/http's ServeMux removes empty, "." and ".." segments from a path (cleanPath). */
static bool has_bad_segment(const char *name)
{
	for (;; name++) {
		size_t len = strcspn(name, "/");

		if (!len || (len <= 2 && !strncmp(name, "..", len)))
			return true;
		name += len;
		if (!*name)
			return false;
	}
}

bool customname_encode(const char *name, char out[CUSTOMNAME_MAX + 1])
{
	bool good = !has_bad_segment(name);
	size_t len = 0;

	for (; *name; name++) {
		char piece[4] = { *name };

		if (!stands_for_itself(*name))
			snprintf(piece, sizeof(piece), "%%%02X", (unsigned char)*name);
		if (len + strlen(piece) > CUSTOMNAME_MAX) {
			good = false;
			break;
		}
		memcpy(out + len, piece, strlen(piece));
		len += strlen(piece);
	}
	out[len] = '\0';
	return good;
}

bool customname_good(const char *encoded)
{
	size_t len = strlen(encoded);

	for (const char *c = encoded; *c; c++)
		if (!stands_for_itself(*c) && *c != '%')
			return false;
	return len && len <= CUSTOMNAME_MAX;
}
