/* The profile's indices are dropped, because entries that differed may be equal now. */
#include "pprof/inlines.h"

#include "pprof/append.h"
#include "pprof/profile.h"

void profile_drop_inlines(struct profile *p)
{
	for (size_t i = 0; i < p->mapping_count; i++)
		p->mappings[i].has_inline_frames = false;
	for (size_t i = 0; i < p->location_count; i++) {
		struct profile_location *l = &p->locations[i];

		if (l->lines > 1) {
			l->first_line += l->lines - 1;
			l->lines = 1;
		}
		if (l->lines)
			p->lines[l->first_line].column = 0;
	}
	profile_forget_indexes(p);
}
