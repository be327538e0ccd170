/* A sample type is found by its name or its number. Without either it is the profile's default
 * type, else the last, as pprof does. */
#include "cli/common/types.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printer.h"
#include "pprof/graph/text.h"
#include "pprof/profile.h"
#include "cli/common/cli.h"

static size_t type_by_name(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->type_count; i++)
		if (!strcmp(strset_get(&p->strings, p->types[i].type), name))
			return i;
	return p->type_count;
}

static int no_such_type(const struct profile *p, const char *asked, struct error *err)
{
	struct buffer names = { 0 };
	struct printer to = { &names, 0 };
	int rc;

	for (size_t i = 0; i < p->type_count; i++) {
		print_to(&to, i ? ", " : "");
		text_add_string(&to, p, p->types[i].type);
	}
	rc = error_set(err, ERR_USAGE, "the profile has no sample type '%s'; it has %.*s", asked,
		       to.rc ? 0 : (int)names.len, (const char *)names.data);
	buffer_release(&names);
	return rc;
}

int sample_type_find(const struct profile *p, const char *asked, size_t *type, struct error *err)
{
	uint64_t number;

	if (!p->type_count)
		return error_set(err, ERR_FORMAT, "the profile has no sample types");
	if (!asked) {
		*type = p->type_count;
		if (p->default_type)
			*type = type_by_name(p, strset_get(&p->strings, p->default_type));
		*type = *type < p->type_count ? *type : p->type_count - 1;
		return 0;
	}
	if (!parse_number(asked, "", 0, UINT32_MAX, &number, NULL))
		*type = number;
	else
		*type = type_by_name(p, asked);
	if (*type >= p->type_count && !strncmp(asked, "inuse_", 6))
		*type = type_by_name(p, asked + 6);
	return *type < p->type_count ? 0 : no_such_type(p, asked, err);
}
