/*
 * Reads Go's heap profiles:
 *
 *   heap profile: OBJECTS: BYTES [OBJECTS: BYTES] @ heap/TWICE THE RATE
 *   OBJECTS: BYTES [OBJECTS: BYTES] @ 0xADDRESS...
 *
 * The first pair is in use, the pair in brackets was allocated since the start. Both are of
 * samples, of which estimates are made.
 */
#include "base/error.h"
#include "pprof/gotext/heapscale.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/scan.h"

/* In the order of the profile's values. */
enum { ALLOC_OBJECTS, ALLOC_BYTES, OBJECTS, BYTES, VALUES };

/* What is in use is the difference of two numbers that Go does not read at once, so it may be
 * negative. */
static void legacy_heap_take_row(struct cursor *c, int64_t v[VALUES])
{
	v[OBJECTS] = scan_number(c);
	scan_expect(c, ": ");
	v[BYTES] = scan_number(c);
	scan_expect(c, " [");
	v[ALLOC_OBJECTS] = scan_count(c);
	scan_expect(c, ": ");
	v[ALLOC_BYTES] = scan_count(c);
	scan_expect(c, "] @");
}

/* The runtime's functions at a leaf are those that allocate. google/pprof's patterns
 * (legacy_profile.go, allocRxStr and allocSkipRxStr) name C's and C++'s, too. */
static int legacy_heap_set_frames(struct profile *p)
{
	static const char not_allocators[] =
		"runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*";

	if (profile_string(p, "runtime\\..*", &p->drop_frames))
		return ERR_NOMEM;
	return profile_string(p, not_allocators, &p->keep_frames);
}

static int legacy_heap_set_types(struct profile *p, bool has_alloc)
{
	static const char *const both[] = { "alloc_objects", "alloc_space", "inuse_objects",
					    "inuse_space" };
	static const char *const in_use[] = { "objects", "space" };

	for (int i = 0; i < (has_alloc ? 4 : 2); i++)
		if (profile_add_type(p, has_alloc ? both[i] : in_use[i], i % 2 ? "bytes" : "count"))
			return ERR_NOMEM;
	if (profile_string(p, "space", &p->period_type.type))
		return ERR_NOMEM;
	return profile_string(p, "bytes", &p->period_type.unit);
}

static int legacy_heap_begin(struct legacy *l, struct cursor line)
{
	int64_t v[VALUES], rate;

	scan_expect(&line, "heap profile: ");
	legacy_heap_take_row(&line, v);
	scan_expect(&line, " heap/");
	rate = scan_count(&line);
	if (line.failed || cursor_left(&line) || v[OBJECTS] < 0 || v[BYTES] < 0)
		return NOT_THIS;
	l->p->period = rate / 2;
	if (legacy_heap_set_frames(l->p))
		return ERR_NOMEM;
	return legacy_heap_set_types(l->p, (v[ALLOC_OBJECTS] && v[ALLOC_OBJECTS] != v[OBJECTS]) ||
						   (v[ALLOC_BYTES] && v[ALLOC_BYTES] != v[BYTES]));
}

/* Makes an estimate of a pair; `block` gets the size of an object. False: bytes in no object. */
static bool legacy_heap_estimate(const struct legacy *l, int64_t *pair, int64_t *block)
{
	if (!pair[0])
		return !pair[1];
	/* INT64_MIN / -1 is INT64_MIN, as in Go. */
	*block = pair[0] == -1 ? (int64_t)(0 - (uint64_t)pair[1]) : pair[1] / pair[0];
	heapscale(&pair[0], &pair[1], l->p->period);
	return true;
}

static int legacy_heap_read(struct legacy *l, struct cursor line)
{
	bool has_alloc = l->p->type_count == VALUES;
	struct profile_label block = { 0 };
	int64_t v[VALUES];

	legacy_heap_take_row(&line, v);
	if ((has_alloc && !legacy_heap_estimate(l, v, &block.num)) ||
	    !legacy_heap_estimate(l, v + OBJECTS, &block.num))
		return ERR_FORMAT;
	if (profile_string(l->p, "bytes", &block.key))
		return ERR_NOMEM;
	return legacy_add_sample(l, line, has_alloc ? v : v + OBJECTS, &block, 1);
}

const struct legacy_form legacy_heap = { legacy_heap_begin, legacy_heap_read,
					 "OBJECTS: BYTES [OBJECTS: BYTES] @ 0xADDRESS..." };
