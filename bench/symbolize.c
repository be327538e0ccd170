// links: symbolize
/*
 * Symbolizes N random addresses of an ELF file's code, cold, as sampler does at
 * the end of a round: bench/symbolize FILE [N [SEED]]. Prints what it cost, or
 * with -a the addresses, to be given to other symbolizers.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "symbolize/symbolizer.h"
#include "target/image.h"

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

static int prepare(struct symbolizer *s, const struct image *image, unsigned long n,
		   uint64_t state)
{
	uint64_t *addrs = calloc(n, sizeof(*addrs));
	int rc = addrs ? 0 : 1;

	for (unsigned long i = 0; addrs && i < n; i++)
		addrs[i] = pick(image, &state);
	if (!rc)
		rc = symbolizer_prepare(s, image, addrs, n);
	free(addrs);
	return rc;
}

static int measure(const struct image *image, unsigned long n, uint64_t state)
{
	unsigned long named = 0, lines = 0, frames = 0;
	struct rusage before, after;
	struct symbolizer *s;

	getrusage(RUSAGE_SELF, &before);
	if (symbolizer_new(&s, NULL, SYMBOLIZE_MAP) || prepare(s, image, n, state))
		return 1;
	for (unsigned long i = 0; i < n; i++) {
		struct symbol symbol;

		if (symbolizer_lookup(s, image, pick(image, &state), &symbol))
			return 1;
		named += symbol.count != 0;
		frames += symbol.count;
		lines += symbol.count && symbol.frames[0].line;
	}
	getrusage(RUSAGE_SELF, &after);
	printf("%lu addresses, %lu named, %lu with lines, %lu frames: %.3f CPU seconds, %.1f MiB peak\n",
	       n, named, lines, frames, cpu_seconds(&after) - cpu_seconds(&before),
	       (double)after.ru_maxrss / 1024);
	printf("symbols: %s\n", symbolizer_note(s, image));
	symbolizer_free(s);
	return 0;
}

int main(int argc, char **argv)
{
	bool list = argc > 1 && !strcmp(argv[1], "-a");
	unsigned long n = ADDRESSES;
	uint64_t state = 88172645463325252u;
	struct error err = { 0 };
	struct image *image;
	int rc = 0;

	argv += list;
	argc -= list;
	if (argc < 2) {
		fprintf(stderr, "usage: symbolize [-a] FILE [N [SEED]]\n");
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
	if (list)
		for (unsigned long i = 0; i < n; i++)
			printf("0x%lx\n", pick(image, &state));
	else
		rc = measure(image, n, state);
	image_free(image);
	return rc;
}
