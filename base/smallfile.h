/* Small files of text, as those of /proc, which are read in one go. */
#ifndef BASE_SMALLFILE_H
#define BASE_SMALLFILE_H

#include <stddef.h>
#include <sys/types.h>

/* Reads the text of an open file from its beginning: `room` - 1 bytes at most, with a NUL behind
 * them. Returns the length; -1 and errno, with an empty text. */
ssize_t smallfile_text(int fd, char *text, size_t room);

/* The same of the file with that path, as for openat(2). */
ssize_t smallfile_read(int folder, const char *path, char *text, size_t room);

#endif
