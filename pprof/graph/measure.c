/* Values are written here; units and their conversion are in pprof/units.c. */
#include "pprof/graph/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "pprof/units.h"

const char *measure_label(int64_t value, const char *from, const char *to, char *text)
{
	const char *unit;
	double v = units_scale(value, from, to, &unit);
	int len = snprintf(text, MEASURE_MAX - MEASURE_UNIT_MAX, "%.2f", v);

	if (len > 3 && !strcmp(text + len - 3, ".00"))
		text[len -= 3] = '\0';
	if (!strcmp(text, "0") || !strcmp(text, "-0"))
		return strcpy(text, "0");
	snprintf(text + len, MEASURE_UNIT_MAX, "%s", unit);
	printable(text, MEASURE_MAX);
	return text;
}

const char *measure_percent(int64_t value, int64_t total, char *text)
{
	double ratio = total ? fabs((double)value / (double)total) * 100 : 0;

	if (ratio >= 99.95 && ratio <= 100.05)
		return strcpy(text, "  100%");
	snprintf(text, MEASURE_MAX, ratio >= 1 ? "%5.2f%%" : "%5.2g%%", ratio);
	return text;
}

int64_t measure_sum(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? a < 0 ? INT64_MIN : INT64_MAX : sum;
}

int64_t measure_magnitude(int64_t value)
{
	return value >= 0 ? value : value == INT64_MIN ? INT64_MAX : -value;
}

int64_t measure_share(int64_t value, double share)
{
	double product = (double)value * share;

	return product >= 0x1p63 ? INT64_MAX : product < -0x1p63 ? INT64_MIN : (int64_t)product;
}
