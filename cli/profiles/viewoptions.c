/* The options fill a struct report_view; what depends on the profile, as the sample type and
 * whether it has interpreted frames, is resolved when it has been read. */
#include "cli/profiles/viewoptions.h"

#include "base/error.h"
#include "pprof/inlines.h"
#include "pprof/merge.h"
#include "pprof/select/interpreted.h"
#include "cli/common/cli.h"
#include "cli/common/types.h"

/* The names are in the order of enum report_by. */
static int set_granularity(struct viewoptions *o, const char *value, struct error *err)
{
	static const char *const names[] = { "function", "line",   "file", "address",
					     "module",	 "thread", NULL };
	unsigned number;
	int rc = parse_choice(value, "granularity", names, &number, err);

	if (!rc)
		o->view.by = (enum report_by)number;
	return rc;
}

int viewoptions_set(struct viewoptions *o, int option, const char *value, struct error *err)
{
	switch (option) {
	case VIEWOPTIONS_BY:
		return set_granularity(o, value, err);
	case VIEWOPTIONS_CUM:
		o->view.cum = true;
		return 0;
	case VIEWOPTIONS_NO_INLINE:
		o->no_inline = true;
		return 0;
	case VIEWOPTIONS_NO_NATIVE:
		o->no_native = true;
		return 0;
	case VIEWOPTIONS_NODECOUNT:
		o->counted = true;
		return parse_number(value, "number of lines", 0, UINT32_MAX, &o->view.nodecount,
				    err);
	case VIEWOPTIONS_NODEFRACTION:
		return parse_fraction(value, &o->view.node_fraction, err);
	case VIEWOPTIONS_SAMPLE_TYPE:
		o->type = value;
		return 0;
	case VIEWOPTIONS_UNIT:
		o->view.unit = value;
		return 0;
	default:
		return OPTION_OTHER;
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
