/* Descriptors of files. */
#ifndef BASE_DESCRIPTOR_H
#define BASE_DESCRIPTOR_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Closes *fd unless it is none (-1), and makes it none. */
static inline void descriptor_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Reads `len` bytes of a file from the offset `at` on. False: not all of them are there, or can be
 * read. */
static inline bool descriptor_read(int fd, void *to, size_t len, uint64_t at)
{
	char *next = to;

	while (len) {
		ssize_t got = pread(fd, next, len, (off_t)at);

		if (got <= 0)
			return false;
		next += got;
		len -= (size_t)got;
		at += (uint64_t)got;
	}
	return true;
}

/* Writes all bytes, also where a signal interrupts. False: an error, with errno. */
static inline bool descriptor_write(int fd, const void *from, size_t len)
{
	const char *next = from;

	while (len) {
		ssize_t put = write(fd, next, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		next += put;
		len -= (size_t)put;
	}
	return true;
}

#endif
