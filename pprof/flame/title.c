/* The caller's title comes first, then the base name of the first mapping's file, which is the
 * program, then the sample type. */
#include "pprof/flame/title.h"

#include "base/buffer.h"
#include "pprof/flame/frames.h"
#include "pprof/profile.h"

int title_add(const struct profile *p, const struct report_view *v, struct buffer *text)
{
	const char *type = strset_get(&p->strings, p->types[v->type].type);
	const char *file = p->mapping_count ? strset_get(&p->strings, p->mappings[0].filename) : "";

	if (v->title)
		return buffer_addf(text, "%s", v->title);
	return buffer_addf(text, "%s", *file ? frames_base_name(file) : type);
}
