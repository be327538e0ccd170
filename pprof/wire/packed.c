/*
 * Takes two numbers at a time out of eight bytes, as long as eight are left and hold two
 * numbers. A byte with a clear highest bit ends a number; the next pair begins behind the
 * second of these bytes. So no branch depends on the lengths of numbers. They vary, and
 * mispredicted branches would cost more than everything else. Taking one number at a
 * time, with branches, took twice as long.
 */
#include "pprof/wire/packed.h"

#include <string.h>

#include "base/cursor.h"
#include "pprof/wire/ids.h"
#include "pprof/wire/wire.h"

/* Removes the highest bit of each byte of a number and joins the rest. */
static inline uint64_t packed_join(uint64_t x)
{
	x &= 0x7f7f7f7f7f7f7f7f;
	x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
	x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
	return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

/* Two numbers from eight bytes. Returns the length of both in bytes; 0 if there are not two. */
static inline size_t pair(const uint8_t *pos, uint64_t two[2])
{
	uint64_t word, ends, second;

	memcpy(&word, pos, sizeof(word));
	ends = ~word & 0x8080808080808080;
	second = ends & (ends - 1);
	if (!second)
		return 0;
	two[0] = packed_join(word & (ends ^ (ends - 1)));
	two[1] = packed_join((word & (second ^ (second - 1))) >> (__builtin_ctzll(ends) + 1));
	return ((size_t)__builtin_ctzll(second) + 1) / 8;
}

/* The next one or two numbers. Returns how many; 0 at the end or when the cursor has failed. */
static inline int packed_next(struct cursor *c, const uint8_t **pos, const uint8_t *end,
			      uint64_t two[2])
{
	size_t len = end - *pos >= 8 ? pair(*pos, two) : 0;

	if (len) {
		*pos += len;
		return 2;
	}
	if (*pos == end)
		return 0;
	c->pos = *pos;
	two[0] = wire_number(c);
	*pos = c->pos;
	return !c->failed;
}

void packed_read_values(struct cursor *c, int64_t **to)
{
	const uint8_t *pos = c->pos, *end = c->end;
	int64_t *out = *to;
	uint64_t two[2];
	int n;

	while ((n = packed_next(c, &pos, end, two))) {
		*out++ = (int64_t)two[0];
		if (n == 2)
			*out++ = (int64_t)two[1];
	}
	*to = out;
}

/* As ids_find; the ids up to `plain` are their own places. */
static inline uint32_t packed_find(const struct ids *ids, uint64_t plain, uint64_t id)
{
	return id - 1 < plain ? (uint32_t)id : ids_find(ids, id);
}

bool packed_read_ids(struct cursor *c, const struct ids *ids, uint32_t **to, uint64_t *missing)
{
	const uint8_t *pos = c->pos, *end = c->end;
	uint64_t two[2], plain = ids->sparse ? 0 : ids->count;
	uint32_t *out = *to;
	int n;

	while ((n = packed_next(c, &pos, end, two)))
		for (int i = 0; i < n; i++) {
			*out = packed_find(ids, plain, two[i]);
			if (!*out++) {
				*missing = two[i];
				return false;
			}
		}
	*to = out;
	return true;
}
