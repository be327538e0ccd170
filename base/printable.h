/* Makes foreign text safe for a terminal. */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>

/* Puts a NUL at the end of `room` bytes and replaces ASCII control characters by '?'. */
static inline void printable(char *text, size_t room)
{
	text[room - 1] = '\0';
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
}

#endif
