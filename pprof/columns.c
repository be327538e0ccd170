/* Values are moved in place, to the front of each sample's range, so no array is made anew. */
#include "pprof/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/profile.h"

size_t profile_column(const struct profile *p, const char *type)
{
	size_t i = 0;

	while (i < p->type_count && strcmp(strset_get(&p->strings, p->types[i].type), type))
		i++;
	return i;
}

static void keep_types(struct profile *p, const size_t *columns, size_t count,
		       struct profile_type *types)
{
	bool has_default = false;

	for (size_t j = 0; j < count; j++) {
		types[j] = p->types[columns[j]];
		has_default |= types[j].type == p->default_type;
	}
	memcpy(p->types, types, count * sizeof(*types));
	p->type_count = count;
	if (!has_default)
		p->default_type = types[0].type;
}

/* Each sample's values stay in their place in the array; only the first `count` are used. */
int profile_keep_columns(struct profile *p, const size_t *columns, size_t count)
{
	struct profile_type *types = calloc(count, sizeof(*types));
	int64_t *values = calloc(count, sizeof(*values));
	int rc = types && values ? 0 : ERR_NOMEM;

	for (size_t i = 0; !rc && i < p->sample_count; i++) {
		int64_t *old = p->values + p->samples[i].first_value;

		for (size_t j = 0; j < count; j++)
			values[j] = old[columns[j]];
		memcpy(old, values, count * sizeof(*values));
	}
	if (!rc)
		keep_types(p, columns, count, types);
	free(values);
	free(types);
	return rc;
}

void profile_zero_column(struct profile *p, size_t column)
{
	for (size_t i = 0; i < p->sample_count; i++)
		p->values[p->samples[i].first_value + column] = 0;
}

void profile_zero_without(struct profile *p, size_t column)
{
	for (size_t i = 0; i < p->sample_count; i++) {
		int64_t *values = p->values + p->samples[i].first_value;

		if (!values[column])
			memset(values, 0, p->type_count * sizeof(*values));
	}
}
