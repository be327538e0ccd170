/* A signed number is the unsigned one in zigzag: the sign is its lowest bit. */
#include "runtimes/hotspot/vm/unsigned5.h"

#include "base/cursor.h"

enum {
	LAST_CODES = 192, /* how many bytes end a number */
	SHIFT = 6,
};

uint32_t unsigned5_read(struct cursor *c, enum unsigned5_form form)
{
	uint32_t excluded = form == UNSIGNED5_NO_ZERO, sum = 0;

	/* The excluded code is one of those that would end a number. */
	for (unsigned i = 0; i < UNSIGNED5_MAX; i++) {
		uint32_t byte = cursor_byte(c);

		if (c->failed)
			return 0;
		if (byte < excluded) {
			cursor_fail(c, "a byte that is no number's");
			return 0;
		}
		sum += (byte - excluded) << SHIFT * i;
		if (byte < LAST_CODES)
			break;
	}
	return sum;
}

int32_t unsigned5_read_signed(struct cursor *c, enum unsigned5_form form)
{
	uint32_t value = unsigned5_read(c, form);

	return (int32_t)(value >> 1 ^ -(value & 1));
}
