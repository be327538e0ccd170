/* The list is followed through m.alllink, one read for each m. An m whose g0 does not lead back to
 * it ends the reading as an error. */
#include "runtimes/go/mlist.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/go/find/runtime.h"

enum { MS_MAX = 1 << 16, BYTES_MAX = 1024 };

/* Bytes of an m up to the end of the last needed field; 0: one of the fields is not known. */
static uint32_t bytes_of_m(const struct goruntime *rt)
{
	const uint32_t fields[] = { rt->m.g0, rt->m.gsignal, rt->m.procid, rt->m.alllink };
	uint32_t end = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (fields[i] > BYTES_MAX - 8)
			return 0;
		end = fields[i] + 8 > end ? fields[i] + 8 : end;
	}
	return end;
}

int mlist_read(const struct goruntime *rt, uint64_t all_ms, const struct memory *memory,
	       struct buffer *ms)
{
	uint32_t len = bytes_of_m(rt);
	uint8_t bytes[BYTES_MAX];
	uint64_t at, back;
	int rc = !len || memory_read_u64(memory, all_ms, &at) ? ERR_FORMAT : 0;

	for (size_t i = 0; !rc && at; i++) {
		struct mlist_entry m = { .place = { .m = at } };

		if (i == MS_MAX || memory->read(memory, at, bytes, len))
			return ERR_FORMAT;
		m.place.g0 = memory_word(bytes, rt->m.g0);
		/* An m's g0 leads back to it (allocm). */
		if (memory_read_u64(memory, m.place.g0 + rt->g.m, &back) || back != at)
			return ERR_FORMAT;
		m.thread = memory_word(bytes, rt->m.procid);
		m.place.gsignal = memory_word(bytes, rt->m.gsignal);
		at = memory_word(bytes, rt->m.alllink);
		if (m.thread)
			rc = buffer_add(ms, &m, sizeof(m));
	}
	return rc;
}
