/* Of inlined calls the outermost line stays, as in google/pprof's Aggregate. The profile's indices
 * are dropped, because entries that differed may be equal now. */
#include "pprof/aggregate.h"

#include "pprof/append.h"
#include "pprof/profile.h"

static void aggregate_location(struct profile *p, struct profile_location *l, unsigned keep)
{
	if (!(keep & KEEP_INLINES) && l->lines > 1) {
		l->first_line += l->lines - 1;
		l->lines = 1;
	}
	for (size_t i = 0; i < l->lines; i++) {
		struct profile_line *line = &p->lines[l->first_line + i];

		if (!(keep & KEEP_LINES))
			line->line = 0;
		if (!(keep & KEEP_LINES) || !(keep & KEEP_COLUMNS))
			line->column = 0;
	}
	if (!(keep & KEEP_ADDRESSES))
		l->address = 0;
}

void profile_aggregate(struct profile *p, unsigned keep)
{
	for (size_t i = 0; i < p->mapping_count; i++) {
		struct profile_mapping *m = &p->mappings[i];

		m->has_inline_frames = m->has_inline_frames && keep & KEEP_INLINES;
		m->has_functions = m->has_functions && keep & KEEP_FUNCTIONS;
		m->has_filenames = m->has_filenames && keep & KEEP_FILENAMES;
		m->has_line_numbers = m->has_line_numbers && keep & KEEP_LINES;
	}
	for (size_t i = 0; i < p->function_count; i++) {
		if (!(keep & KEEP_FUNCTIONS))
			p->functions[i].name = p->functions[i].system_name = 0;
		if (!(keep & KEEP_FILENAMES))
			p->functions[i].filename = 0;
	}
	for (size_t i = 0; i < p->location_count; i++)
		aggregate_location(p, &p->locations[i], keep);
	profile_forget_indexes(p);
}
