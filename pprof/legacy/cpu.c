/*
 * Reads the binary CPU profiles of gperftools (docs/cpuprofile-fileformat.html there): words
 * of 4 or 8 bytes in the byte order of the machine that wrote them.
 *
 *   0 3 0 PERIOD 0           header; PERIOD is in microseconds
 *   COUNT FRAMES PC...       a sample
 *   0 1 0                    the end; a memory map follows as text
 *
 * As in google/pprof, words behind the end are read as zeros. So a sample whose stack is cut
 * off is accepted if as many frames of 4 bytes would fit, even if words have 8 bytes.
 */
#include "base/error.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/lines.h"
#include "pprof/legacy/maps.h"
#include "pprof/legacy/scan.h"

struct cpu_words {
	struct cursor c;
	unsigned size; /* bytes of each */
	bool big;      /* endian */
	bool ended;    /* a word beyond the end was read */
};

static uint64_t next_word(struct cpu_words *w)
{
	uint64_t v;

	if (w->ended || cursor_left(&w->c) < w->size) {
		w->ended = true;
		return 0;
	}
	v = cursor_uint(&w->c, w->size);
	if (!w->big)
		return v;
	return w->size == 4 ? __builtin_bswap32((uint32_t)v) : __builtin_bswap64(v);
}

static size_t bytes_left(const struct cpu_words *w)
{
	return w->ended ? 0 : cursor_left(&w->c);
}

static bool cpu_parse_header(struct cpu_words *w, int64_t *period)
{
	uint64_t zero = next_word(w), words = next_word(w), version = next_word(w);

	*period = (int64_t)next_word(w);
	return next_word(w) == 0 && !w->ended && zero == 0 && words == 3 && version == 0 && *period;
}

/* Reads one sample. Sets *end, and adds no sample, if it is the end mark. */
static int cpu_parse_sample(struct legacy *l, struct cpu_words *w, bool *end)
{
	size_t at = cursor_offset(&w->c);
	uint64_t count = next_word(w), frames = next_word(w);
	struct cpu_words ahead = *w;
	struct legacy_sample *s;
	int rc;

	if (w->ended || frames > bytes_left(w) / 4) {
		error_set(l->err, ERR_FORMAT, "a CPU profile whose sample at offset %zu is cut off",
			  at);
		return NOT_THIS;
	}
	*end = !count && frames == 1 && !next_word(&ahead);
	if (*end) {
		*w = ahead;
		return 0;
	}
	rc = legacy_begin_sample(l, &s);
	if (rc)
		return rc;
	s->values[0] = (int64_t)count;
	s->values[1] = (int64_t)(count * (uint64_t)l->p->period);
	for (uint64_t i = 0; !rc && i < frames; i++) {
		uint64_t address = next_word(w);

		rc = legacy_add_frame(l, i ? address - 1 : address);
	}
	return rc;
}

static uint32_t second_frame(const struct legacy *l, const struct legacy_sample *s)
{
	return s->frames > 1 ? l->stack[s->first + 1] : UINT32_MAX;
}

/* The only place that can be second in nearly all stacks. It would be second in more than half
 * of them, so it remains when pairs of different second places are cancelled. */
static uint32_t majority(const struct legacy *l)
{
	uint32_t candidate = UINT32_MAX;
	size_t lead = 0;

	for (size_t i = 0; i < l->sample_count; i++) {
		uint32_t second = second_frame(l, &l->samples[i]);

		if (!lead)
			candidate = second;
		lead += second == candidate ? 1 : (size_t)-1;
	}
	return candidate;
}

static void drop_second_frame(struct legacy *l, uint32_t place)
{
	for (size_t i = 0; i < l->sample_count; i++) {
		struct legacy_sample *s = &l->samples[i];

		if (second_frame(l, s) != place)
			continue;
		l->stack[s->first + 1] = l->stack[s->first]; /* the leaf moves up */
		s->first++;
		s->frames--;
	}
}

/* A frame that is second in at least 31 of 32 samples belongs to the profiler's signal handler
 * and is removed. At most two frames are removed from a stack. */
static void drop_handler(struct legacy *l)
{
	for (int i = 0; i < 2; i++) {
		uint32_t place = majority(l);
		size_t found = 0;

		for (size_t j = 0; j < l->sample_count; j++)
			found += second_frame(l, &l->samples[j]) == place;
		if (place == UINT32_MAX || found < l->sample_count - l->sample_count / 32)
			return;
		drop_second_frame(l, place);
	}
}

static int cpu_read_profile(struct legacy *l, struct cpu_words *w, int64_t period)
{
	struct lines lines;
	bool end = false;
	int rc = 0;

	period = (int64_t)((uint64_t)period * 1000);
	if (legacy_period(l, "cpu", "nanoseconds", period) || legacy_type(l, "samples", "count") ||
	    legacy_type(l, "cpu", "nanoseconds"))
		return ERR_NOMEM;
	l->drops_doubled_leaf = true;
	while (!rc && !end && bytes_left(w))
		rc = cpu_parse_sample(l, w, &end);
	if (rc)
		return rc;
	drop_handler(l);
	lines_init(&lines, w->c.pos, bytes_left(w));
	rc = maps_read(l, &lines);
	return rc ? rc : legacy_finish(l);
}

int legacy_cpu(struct legacy *l, const void *data, size_t len)
{
	for (int i = 0; i < 4; i++) {
		struct cpu_words w = { .size = i < 2 ? 4 : 8, .big = i & 1 };
		int64_t period;

		cursor_init(&w.c, data, len, "CPU profile");
		if (cpu_parse_header(&w, &period))
			return cpu_read_profile(l, &w, period);
	}
	return NOT_THIS;
}
