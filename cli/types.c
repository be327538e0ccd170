#include "cli/types.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/profile.h"

int sample_type_find(const struct profile *p, const char *asked, size_t *type,
		     struct error *err)
{
	const char *want = asked ? asked : strset_get(&p->strings, p->default_type);
	char *end;
	unsigned long number;

	if (!p->type_count)
		return error_set(err, ERR_FORMAT, "the profile has no sample types");
	for (size_t i = 0; i < p->type_count; i++)
		if (!strcmp(strset_get(&p->strings, p->types[i].type), want)) {
			*type = i;
			return 0;
		}
	*type = p->type_count - 1;
	if (!asked)
		return 0;
	number = strtoul(asked, &end, 10);
	if (end == asked || *end || number >= p->type_count)
		return error_set(err, ERR_USAGE, "the profile has no sample type '%s'", asked);
	*type = number;
	return 0;
}
