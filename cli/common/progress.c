/* The line is cut at the terminal's width, because a line that wraps is not rewritten by
 * "\r\033[K". */
#include "cli/common/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/amount.h"
#include "sampler/recording.h"

enum { BAR = 20, LINE = 256 };

static const char CLEAR_LINE[] = "\r\033[K";

void progress_init(struct progress *p, bool quiet, uint64_t duration_ns, unsigned rate)
{
	p->on = !quiet && isatty(STDERR_FILENO);
	p->duration_ns = duration_ns;
	p->rate = rate;
}

static int progress_columns(void)
{
	struct winsize ws;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) || ws.ws_col < 20)
		return 80;
	return ws.ws_col;
}

static void draw_bar(const struct progress *p, uint64_t elapsed, char bar[BAR + 4])
{
	uint64_t full = elapsed < p->duration_ns ? elapsed * BAR / p->duration_ns : BAR;

	bar[0] = '[';
	for (uint64_t i = 0; i < BAR; i++)
		bar[i + 1] = i < full ? '#' : '.';
	strcpy(bar + BAR + 1, "] ");
}

void progress_show(void *progress, const struct recording_stats *s)
{
	const struct progress *p = progress;
	char bar[BAR + 4] = "", of[AMOUNT_ROOM + 3] = "", line[LINE];
	double kept = s->ticks_due ? (double)s->ticks / (double)s->ticks_due : 1.0;

	if (!p->on)
		return;
	if (p->duration_ns) {
		draw_bar(p, s->elapsed_ns, bar);
		snprintf(of, sizeof(of), " / %s", shown_duration(p->duration_ns));
	}
	snprintf(line, sizeof(line),
		 "%s%s%s  %lu samples  %lu threads  %.0f Hz  held p50 %s, %.3f%%", bar,
		 shown_duration(s->elapsed_ns), of, s->samples, s->threads_alive,
		 p->rate * (kept < 1.0 ? kept : 1.0),
		 shown_duration(heldtime_percentile(&s->held, 50)),
		 s->elapsed_ns ? 100.0 * (double)s->held.sum / (double)s->elapsed_ns : 0.0);
	fprintf(stderr, "%s%.*s", CLEAR_LINE, progress_columns() - 1, line);
}

void progress_say(const struct progress *p, const char *what)
{
	if (p->on)
		fprintf(stderr, "%s%.*s", CLEAR_LINE, progress_columns() - 1, what ? what : "");
}
