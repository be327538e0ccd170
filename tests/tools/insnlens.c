// links: unwind/code
/*
 * Reads instructions, one a line, as bytes in base 16 with blanks between, and prints those that
 * have another length by unwind/code/insn_x86_64.c. The last line has the numbers of those
 * that were read and of those that differ.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "unwind/code/insn_x86_64.h"

static size_t read_bytes(const char *text, uint8_t *bytes, size_t room)
{
	size_t len = 0;
	char *end;

	for (; len < room; text = end) {
		unsigned long byte = strtoul(text, &end, 16);

		if (end == text)
			break;
		bytes[len++] = (uint8_t)byte;
	}
	return len;
}

int main(void)
{
	unsigned long count = 0, differ = 0;
	char line[256];

	while (fgets(line, sizeof(line), stdin)) {
		uint8_t bytes[32];
		size_t len = read_bytes(line, bytes, sizeof(bytes));
		struct insn insn;
		int rc = insn_decode(bytes, len, &insn);

		count++;
		if ((rc || insn.len != len) && differ++ < 50)
			printf("%d of %zu (%d): %s", insn.len, len, rc, line);
	}
	printf("%lu read, %lu differ\n", count, differ);
	return 0;
}
