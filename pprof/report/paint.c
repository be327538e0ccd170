/* The colour changes at the same shares as in perf's browser (tools/perf/util/color.h, MIN_RED
 * and MIN_GREEN). The colours are the terminal's own 16, so that they are legible on light and dark
 * backgrounds. */
#include "pprof/report/paint.h"

#include <stddef.h>

#include "pprof/graph/measure.h"
#include "base/printer.h"
#include "pprof/view.h"

#define BOLD "\x1b[1m"
#define RED "\x1b[31m"
#define GREEN "\x1b[32m"
#define RESET "\x1b[0m"

static const char *colour_of(const struct report_view *v, int64_t value, int64_t total)
{
	double share = total ? (double)measure_magnitude(value) / (double)total : 0;

	if (!v->colour)
		return NULL;
	return share >= 0.05 ? RED : share >= 0.005 ? GREEN : NULL;
}

void paint_title(struct printer *out, const struct report_view *v, const char *text)
{
	print_to(out, "%s%s%s\n", v->colour ? BOLD : "", text, v->colour ? RESET : "");
}

void paint_share(struct printer *out, const struct report_view *v, int64_t value, int64_t total)
{
	const char *colour = colour_of(v, value, total);

	if (colour)
		print_to(out, "%s", colour);
}

void paint_end_line(struct printer *out, const struct report_view *v, int64_t value, int64_t total)
{
	print_to(out, "%s\n", colour_of(v, value, total) ? RESET : "");
}
