/* Text from outside, before it meets a terminal. */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>

/* Ends the text within its `room` and makes '?' of what would act on a terminal. */
static inline void printable(char *text, size_t room)
{
	text[room - 1] = '\0';
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
}

#endif
