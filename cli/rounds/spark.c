/* A column is the highest value of its batches, scaled between the lowest and the highest of all. A
 * column without a known value is a blank. */
#include "cli/rounds/spark.h"

#include <math.h>

#include "base/buffer.h"

enum { LEVELS = 8 };

static const char *const bars[LEVELS] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const ascii_bars[LEVELS] = { "_", ".", "-", ":", "=", "+", "*", "#" };

bool spark_range(const double *values, size_t count, double *least, double *most)
{
	*least = INFINITY;
	*most = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		*least = fmin(*least, values[i]);
		*most = fmax(*most, values[i]);
	}
	return *least <= *most;
}

int spark_add(struct buffer *b, const double *values, size_t count, size_t columns, bool ascii)
{
	const char *const *levels = ascii ? ascii_bars : bars;
	double least, most, lowest, highest;
	int rc = 0;

	if (!spark_range(values, count, &least, &most))
		return 0;
	columns = columns < count ? columns : count;
	for (size_t i = 0; !rc && i < columns; i++) {
		size_t from = i * count / columns, to = (i + 1) * count / columns, level = 0;

		if (!spark_range(values + from, to - from, &lowest, &highest)) {
			rc = buffer_add(b, " ", 1);
			continue;
		}
		if (most > least)
			level = (size_t)((highest - least) / (most - least) * (LEVELS - 1) + 0.5);
		rc = buffer_addf(b, "%s", levels[level]);
	}
	return rc;
}
