/* The sign alone tells the sides; INT64_MIN has no positive counterpart and becomes the largest
 * value. */
#include "pprof/flame/difference.h"

#include "pprof/labels.h"
#include "pprof/profile.h"

bool difference_detect(const struct profile *p, size_t type)
{
	for (size_t i = 0; i < p->sample_count; i++)
		if (p->values[p->samples[i].first_value + type] < 0 ||
		    sample_is_base(p, &p->samples[i]))
			return true;
	return false;
}

void difference_split(int64_t value, int64_t sides[SIDES])
{
	sides[SIDE_NEW] = value > 0 ? value : 0;
	sides[SIDE_BASE] = value == INT64_MIN ? INT64_MAX : value < 0 ? -value : 0;
}
