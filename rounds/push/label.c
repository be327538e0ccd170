/* Characters are replaced byte by byte, so a character of UTF-8 becomes as many '_' as it has
 * bytes. */
#include "rounds/push/label.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"

int pushlabel_clean(struct buffer *b, const char *text, const char *others)
{
	int rc = 0;

	for (; !rc && *text; text++) {
		bool fine = isascii(*text) && (isalnum(*text) || strchr(others, *text));

		rc = buffer_add(b, fine ? text : "_", 1);
	}
	return rc;
}

int pushlabel_name(struct buffer *b, const char *text, const char *others)
{
	int rc = isdigit((unsigned char)*text) ? buffer_add(b, "_", 1) : 0;

	return rc ? rc : pushlabel_clean(b, text, others);
}
