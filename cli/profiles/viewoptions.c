/* The options fill a struct report_view; what depends on the profile, as the sample type and
 * whether it has interpreted frames, is resolved when it has been read. */
#include "cli/profiles/viewoptions.h"

#include <string.h>

#include "base/error.h"
#include "pprof/inlines.h"
#include "pprof/merge.h"
#include "pprof/select/interpreted.h"
#include "cli/common/cli.h"
#include "cli/common/types.h"

/* Indexed by enum report_by. */
static const char *const granularities[] = { "function", "line",   "file",
					     "address",	 "module", "thread" };

static int set_granularity(struct viewoptions *o, const char *value, struct error *err)
{
	for (size_t i = 0; i < sizeof(granularities) / sizeof(*granularities); i++)
		if (!strcmp(granularities[i], value)) {
			o->view.by = (enum report_by)i;
			return 0;
		}
	return error_set(err, ERR_USAGE,
			 "'%s' is no granularity; expected function, line, file, "
			 "address, module or thread",
			 value);
}

static int set_nodecount(struct viewoptions *o, const char *value, struct error *err)
{
	uint64_t number = 0;
	int rc = parse_number(value, "number of lines", 0, UINT32_MAX, &number, err);

	o->view.nodecount = number;
	o->counted = true;
	return rc;
}

bool viewoptions_set(struct viewoptions *o, int option, const char *value, int *rc,
		     struct error *err)
{
	*rc = 0;
	switch (option) {
	case VIEWOPTIONS_BY:
		*rc = set_granularity(o, value, err);
		return true;
	case VIEWOPTIONS_CUM:
		return o->view.cum = true;
	case VIEWOPTIONS_NO_INLINE:
		return o->no_inline = true;
	case VIEWOPTIONS_NO_NATIVE:
		return o->no_native = true;
	case VIEWOPTIONS_NODECOUNT:
		*rc = set_nodecount(o, value, err);
		return true;
	case VIEWOPTIONS_NODEFRACTION:
		*rc = parse_fraction(value, "share", &o->view.node_fraction, err);
		return true;
	case VIEWOPTIONS_SAMPLE_TYPE:
		o->type = value;
		return true;
	case VIEWOPTIONS_UNIT:
		o->view.unit = value;
		return true;
	default:
		return false;
	}
}

int viewoptions_check(const struct viewoptions *o, const char *file, const struct profile *p,
		      struct error *err)
{
	if (!o->no_native || interpreted_any(p))
		return 0;
	return error_set(err, ERR_NOTFOUND,
			 "no interpreted frames in '%s': --no-native leaves nothing to show", file);
}

int viewoptions_apply(struct viewoptions *o, struct profile *p, struct error *err)
{
	int rc = sample_type_find(p, o->type, &o->view.type, err);

	if (!rc && o->no_inline)
		profile_drop_inlines(p);
	if (!rc && o->no_native)
		rc = interpreted_only(p, err);
	return !rc && o->no_native ? profile_compact(p, err) : rc;
}
