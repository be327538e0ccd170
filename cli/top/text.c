/* Each line is a text of TOPTEXT_LINE bytes at most. Rates are those since the last profile, which
 * topfigures_since subtracts. */
#include "cli/top/text.h"

#include <stdio.h>
#include <string.h>

#include "base/amount.h"
#include "cli/common/cli.h"
#include "pprof/few.h"
#include "pprof/graph/fitname.h"
#include "sampler/account/heldtime.h"
#include "sampler/recording.h"

static double top_text_percent(double part, double whole)
{
	return whole > 0 ? 100.0 * part / whole : 0.0;
}

struct topfigures topfigures_since(const struct recording_stats *now,
				   const struct topfigures *before)
{
	return (struct topfigures){
		now->elapsed_ns - before->elapsed_ns, now->target_cpu_ns - before->cpu_ns,
		now->own_cpu_ns - before->own_cpu_ns, now->ticks - before->ticks,
		now->ticks_due - before->ticks_due,   now->withheld - before->withheld,
		now->samples - before->samples
	};
}

void toptext_target(const struct topview *v, char *line)
{
	const struct recording_stats *s = v->stats;
	int n = snprintf(line, TOPTEXT_LINE, "%s  %.1f%% CPU  ", v->target,
			 top_text_percent((double)v->recent.cpu_ns, (double)v->recent.elapsed_ns));

	if (n > 0 && n < TOPTEXT_LINE && s->processes > 1)
		n += snprintf(line + n, TOPTEXT_LINE - (size_t)n, "%lu processes, ", s->processes);
	if (n > 0 && n < TOPTEXT_LINE)
		n += snprintf(line + n, TOPTEXT_LINE - (size_t)n, "%lu thread%s  %s",
			      s->threads_alive, cli_plural(s->threads_alive),
			      shown_duration(s->elapsed_ns));
	if (n > 0 && n < TOPTEXT_LINE && v->live && v->live->pending)
		snprintf(line + n, TOPTEXT_LINE - (size_t)n, "  %zu name%s pending",
			 v->live->pending, cli_plural(v->live->pending));
}

/* The share of the due ticks that were made since the last profile. If none was due: 0, or 1 before
 * the first tick. */
static double top_text_kept(const struct topview *v)
{
	if (!v->recent.ticks_due)
		return v->stats->ticks ? 0 : 1;
	return (double)v->recent.ticks / (double)v->recent.ticks_due;
}

/* The reason is given if more than one tick in a hundred was withheld. A withheld tick is counted
 * before it is due (sampler/tick/round.c, settle): if no tick was made since the last profile, the
 * count since the start decides. */
static const char *why_slower(const struct topview *v)
{
	uint64_t withheld = v->recent.ticks ? v->recent.withheld : v->stats->withheld;

	return top_text_kept(v) < 0.99 && withheld > v->recent.ticks_due / 100 ? " (--max-cpu)" :
										 "";
}

/* How far the shares of the last seconds may be off, if their samples are few. */
static const char *uncertainty(const struct topview *v, char text[48])
{
	double error = v->wall ? 0 : few_error((int64_t)v->recent.samples);

	*text = '\0';
	if (error > 0)
		snprintf(text, 48, " (few, last %lu: ±%.0f%%)", v->recent.samples, 100 * error);
	return text;
}

/* For how long threads were held. */
static const char *pauses(const struct recording_stats *s, char text[96])
{
	if (!s->held.count)
		return "no thread was stopped";
	snprintf(text, 96, "held p50 %s, max %s, %.2f%% of its CPU time",
		 shown_duration(heldtime_percentile(&s->held, 50)), shown_duration(s->held.max),
		 top_text_percent((double)s->held.sum, (double)s->target_cpu_ns));
	return text;
}

/* What sampling costs. */
void toptext_sampler(const struct topview *v, char *line)
{
	char few[48], held[96];

	snprintf(line, TOPTEXT_LINE, "%lu samples%s  %.1f Hz%s  %s  sampler %.1f%% CPU",
		 v->stats->samples, uncertainty(v, few),
		 v->rate * (top_text_kept(v) < 1 ? top_text_kept(v) : 1), why_slower(v),
		 pauses(v->stats, held),
		 top_text_percent((double)v->recent.own_cpu_ns, (double)v->recent.elapsed_ns));
}

void toptext_spans(const struct topview *v, char *line)
{
	char last[AMOUNT_ROOM + 5];

	snprintf(last, sizeof(last), "last %s", shown_duration(v->window_ns));
	if (v->threads)
		snprintf(line, TOPTEXT_LINE, "%8s %11s %11s", "", last,
			 shown_duration(v->elapsed_ns));
	else
		snprintf(line, TOPTEXT_LINE, "%15s   %15s", last, shown_duration(v->elapsed_ns));
}

void toptext_columns(const struct topview *v, char *line)
{
	const char *what = v->wall ? "wall%" : "CPU%";

	if (v->threads)
		snprintf(line, TOPTEXT_LINE, "%8s %11s %11s  %-15s  %s", "thread", what, what,
			 "name", "hottest function");
	else
		snprintf(line, TOPTEXT_LINE, "%7s %7s   %7s %7s  %s", "flat%", "cum%", "flat%",
			 "cum%", "function");
}

size_t toptext_count(const struct topview *v)
{
	if (!v->live)
		return 0;
	return v->threads ? v->live->thread_count : v->live->count;
}

const char *toptext_name(const struct topview *v, size_t i)
{
	return v->threads ? v->live->threads[i].name : v->live->rows[i].name;
}

double toptext_heat(const struct topview *v, size_t i)
{
	const struct live *l = v->live;

	if (v->threads)
		return top_text_percent((double)l->threads[i].recent, (double)v->window_ns) / 100;
	return top_text_percent((double)l->rows[i].recent.flat, (double)l->total.flat) / 100;
}

/* Appends a name that fits into the rest of the line. The screen's last column stays free. */
static void append_name(const struct topview *v, const char *name, char *line)
{
	size_t len = strlen(line), most = v->columns > len + 1 ? v->columns - 1 - len : 1;
	char text[FITNAME_MAX];

	snprintf(line + len, TOPTEXT_LINE - len, "%s",
		 v->columns ? fitname(name, most, text) : name);
}

static void thread_row(const struct topview *v, const struct live_thread *t, char *line)
{
	char number[48];

	if (t->pid && t->pid != t->tid)
		snprintf(number, sizeof(number), "%ld/%ld", t->pid, t->tid);
	else
		snprintf(number, sizeof(number), "%ld", t->tid);
	snprintf(line, TOPTEXT_LINE, "%8s %11.2f %11.2f  %-15s  ", number,
		 top_text_percent((double)t->recent, (double)v->window_ns),
		 top_text_percent((double)t->whole, (double)v->elapsed_ns), t->name);
	append_name(v, t->hottest ? t->hottest : "", line);
}

void toptext_row(const struct topview *v, size_t i, char *line)
{
	const struct live *l = v->live;
	const struct live_row *r = &l->rows[i];

	if (v->threads) {
		thread_row(v, &l->threads[i], line);
		return;
	}
	snprintf(line, TOPTEXT_LINE, "%7.2f %7.2f   %7.2f %7.2f  ",
		 top_text_percent((double)r->recent.flat, (double)l->total.flat),
		 top_text_percent((double)r->recent.cum, (double)l->total.flat),
		 top_text_percent((double)r->whole.flat, (double)l->total.cum),
		 top_text_percent((double)r->whole.cum, (double)l->total.cum));
	append_name(v, r->name, line);
}

void toptext_cut(char *line, size_t columns)
{
	for (; *line; line++)
		if (((unsigned char)*line & 0xc0) != 0x80 && !columns--) {
			*line = '\0';
			return;
		}
}
