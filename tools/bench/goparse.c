// links: goparse
/*
 * Parses a goroutine dump and does nothing else, for the comparison with gostackparse:
 *
 *	goparse stream|memory FILE	prints how many goroutines, frames and errors there are
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "goparse/goparse.h"

static int count(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	(void)err;
	*(uint64_t *)ctx += g->stack.count + !!g->stack.created_by.function.len;
	return 0;
}

static int from_file(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	ssize_t n = read(*(int *)ctx, buf, len);

	if (n < 0)
		return error_set(err, ERR_IO, "cannot read");
	*got = (size_t)n;
	return 0;
}

static int parse(struct goparse *p, const char *how, int fd, uint64_t *frames, struct error *err)
{
	struct stat st;
	void *text;

	if (!strcmp(how, "stream"))
		return goparse_stream(p, from_file, &fd, count, frames, err);
	if (fstat(fd, &st))
		return error_set(err, ERR_IO, "cannot read");
	text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return error_set(err, ERR_IO, "cannot read");
	return goparse_memory(p, text, (size_t)st.st_size, count, frames, err);
}

int main(int argc, char **argv)
{
	uint64_t frames = 0;
	struct goparse *p;
	struct error err;
	int fd = argc == 3 ? open(argv[2], O_RDONLY) : -1;

	if (fd < 0) {
		fprintf(stderr, "usage: goparse stream|memory FILE\n");
		return 2;
	}
	if (goparse_new(&p, &err) || parse(p, argv[1], fd, &frames, &err)) {
		fprintf(stderr, "goparse: %s\n", err.text);
		return 1;
	}
	printf("%lu %lu %lu\n", goparse_stats(p)->goroutines, frames,
	       goparse_stats(p)->error_count);
	goparse_free(p);
	close(fd);
	return 0;
}
