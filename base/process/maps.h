/* The text of /proc/PID/maps (proc_pid_maps(5)), a line at a time. */
#ifndef BASE_PROCESS_MAPS_H
#define BASE_PROCESS_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct cursor;
struct error;

struct maps_line {
	uint64_t start, end; /* addresses, end exclusive */
	uint64_t offset;     /* in the file, bytes */
	uint64_t inode;
	uint32_t major, minor; /* device */
	char prot[5];	       /* "r-xp" */
	const char *path;      /* not NUL-terminated, in the cursor's bytes */
	size_t path_len;       /* 0 for anonymous memory */
};

/* The next line. 1 when there was one, 0 at the end, ERR_FORMAT when the text
 * is not what the kernel writes. */
int maps_next(struct cursor *c, struct maps_line *line, struct error *err);

#endif
