// links: symbolize
/*
 * symbols [-1] FILE: symbolizes addresses from stdin and prints them like llvm-symbolizer -f -i
 * --no-demangle. Like in sampler, all addresses are announced before and files are mapped; with
 * -1 neither.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/image.h"
#include "symbolize/symbolizer.h"

enum { ADDRESSES_MAX = 1 << 20 };

static uint64_t addresses[ADDRESSES_MAX];

static size_t read_addresses(void)
{
	size_t n = 0;

	while (n < ADDRESSES_MAX && scanf("%li", (long *)&addresses[n]) == 1)
		n++;
	return n;
}

static int print(struct symbolizer *s, const struct image *image, uint64_t addr)
{
	struct symbol symbol;

	if (symbolizer_lookup(s, image, addr, &symbol))
		return 1;
	for (size_t i = 0; i < symbol.count; i++) {
		const struct symbol_frame *f = &symbol.frames[i];

		printf("%s\n%s:%u:%u\n", *f->system_name ? f->system_name : f->name,
		       f->file ? f->file : "??", f->line, f->column);
	}
	if (!symbol.count)
		printf("??\n??:0:0\n");
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	bool single = argc > 1 && !strcmp(argv[1], "-1");
	const char *path = argv[argc - 1];
	struct error err = { 0 };
	struct symbolizer *s;
	struct image *image;
	size_t n;

	if (argc != 2 + single) {
		fprintf(stderr, "usage: symbols [-1] FILE < ADDRESSES\n");
		return 2;
	}
	if (image_open(open(path, O_RDONLY | O_CLOEXEC), path, &image, &err)) {
		fprintf(stderr, "symbols: %s\n", err.text);
		return 1;
	}
	n = read_addresses();
	if (symbolizer_new(&s, NULL, 0) || (!single && symbolizer_prepare(s, image, addresses, n)))
		return 1;
	for (size_t i = 0; i < n; i++)
		if (print(s, image, addresses[i]))
			return 1;
	fprintf(stderr, "%s\n", symbolizer_note(s, image));
	symbolizer_free(s);
	image_free(image);
	return 0;
}
