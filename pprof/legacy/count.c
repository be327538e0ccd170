/*
 * Reads Go's count profiles: goroutine, threadcreate and those that programs define.
 *
 *   goroutine profile: total 7
 *   3 @ 0x43e0f6 0x40a2c5 ...
 *   # labels: {"key":"value"}
 *   #	0x43e0f5	main.wait+0x16	/src/main.go:12
 *
 * google/pprof rejects a sample without addresses, although Go before 1.23 writes one in its
 * threadcreate profile. Here it is a sample with an empty stack, as in the protobuf form of the
 * same profile.
 */
#include <ctype.h>

#include "base/error.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/scan.h"

static int count_begin(struct legacy *l, struct cursor line)
{
	const char *name = (const char *)line.pos;
	struct profile_type type;
	size_t len = 0;

	while (len < cursor_left(&line) && !isspace(line.pos[len]))
		len++;
	cursor_bytes(&line, len);
	scan_expect(&line, " profile: total ");
	scan_count(&line);
	if (!len || line.failed || cursor_left(&line))
		return NOT_THIS;
	if (profile_text(l->p, name, len, &type.type) ||
	    profile_string(l->p, "count", &type.unit) || profile_add_type_ids(l->p, type))
		return ERR_NOMEM;
	l->p->period_type = type;
	l->p->period = 1;
	return 0;
}

static int count_read(struct legacy *l, struct cursor line)
{
	int64_t count = scan_count(&line);

	scan_expect(&line, " @");
	return legacy_add_sample(l, line, &count, NULL, 0);
}

const struct legacy_form legacy_counts = { count_begin, count_read, "COUNT @ 0xADDRESS..." };
