// links: symbolize
/*
 * Symbolizes N random addresses of an ELF file's code, cold, as sampler does at
 * the end of a round: tools/bench/symbolize [-s] [-a] FILE [N [SEED]]. Prints what it cost,
 * or with -a the addresses, to be given to other symbolizers; -s sorts them.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/process/image.h"
#include "symbolize/symbolizer.h"

enum { ADDRESSES = 10000 };

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* An address in the largest executable segment. */
static uint64_t pick(const struct image *image, uint64_t *state)
{
	const struct image_segment *best = NULL, *s;
	size_t count;

	s = image_segments(image, &count);
	for (size_t i = 0; i < count; i++)
		if ((s[i].flags & 1) && (!best || s[i].memsz > best->memsz))
			best = &s[i];
	return best && best->memsz ? best->vaddr + next_random(state) % best->memsz : 0;
}

static double cpu_seconds(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static uint64_t *pick_all(const struct image *image, size_t n, uint64_t state, bool sorted)
{
	uint64_t *addrs = calloc(n + 1, sizeof(*addrs));

	for (size_t i = 0; addrs && i < n; i++)
		addrs[i] = pick(image, &state);
	if (addrs && sorted)
		qsort(addrs, n, sizeof(*addrs), by_value);
	return addrs;
}

static int measure(const struct image *image, const uint64_t *addrs, size_t n)
{
	size_t named = 0, lines = 0, frames = 0;
	struct rusage before, after;
	struct symbolizer *s;

	getrusage(RUSAGE_SELF, &before);
	if (symbolizer_new(&s, NULL, 0) || symbolizer_prepare(s, image, addrs, n))
		return 1;
	for (size_t i = 0; i < n; i++) {
		struct symbol symbol;

		if (symbolizer_lookup(s, image, addrs[i], &symbol))
			return 1;
		named += symbol.count != 0;
		frames += symbol.count;
		lines += symbol.count && symbol.frames[0].line;
	}
	getrusage(RUSAGE_SELF, &after);
	printf("%zu addresses, %zu named, %zu with lines, %zu frames: %.3f CPU seconds, %.1f MiB peak\n",
	       n, named, lines, frames, cpu_seconds(&after) - cpu_seconds(&before),
	       (double)after.ru_maxrss / 1024);
	printf("symbols: %s\n", symbolizer_note(s, image));
	symbolizer_free(s);
	return 0;
}

static int list(const uint64_t *addrs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("0x%lx\n", addrs[i]);
	return 0;
}

int main(int argc, char **argv)
{
	bool sorted = argc > 1 && !strcmp(argv[1], "-s");
	bool only_list = argc > 1 + sorted && !strcmp(argv[1 + sorted], "-a");
	uint64_t state = 88172645463325252u, *addrs;
	struct error err = { 0 };
	struct image *image;
	size_t n = ADDRESSES;
	int rc = 1;

	argv += sorted + only_list;
	argc -= sorted + only_list;
	if (argc < 2) {
		fprintf(stderr, "usage: symbolize [-s] [-a] FILE [N [SEED]]\n");
		return 2;
	}
	if (argc > 2)
		n = strtoul(argv[2], NULL, 10);
	if (argc > 3)
		state = strtoull(argv[3], NULL, 10) | 1;
	if (image_open(open(argv[1], O_RDONLY | O_CLOEXEC), argv[1], &image, &err)) {
		fprintf(stderr, "symbolize: %s\n", err.text);
		return 1;
	}
	addrs = pick_all(image, n, state, sorted);
	if (addrs)
		rc = only_list ? list(addrs, n) : measure(image, addrs, n);
	free(addrs);
	image_free(image);
	return rc;
}
