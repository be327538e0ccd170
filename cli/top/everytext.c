/* Shares are of one CPU: a process of two busy threads has 200 %, and so have two threads that
 * wait for a CPU all the time. */
#include "cli/top/everytext.h"

#include <stdio.h>
#include <unistd.h>

#include "base/amount.h"
#include "base/process/population.h"
#include "cli/common/cli.h"
#include "cli/common/commandline.h"

static double everytext_percent(uint64_t ns, uint64_t interval_ns)
{
	return interval_ns ? 100.0 * (double)ns / (double)interval_ns : 0;
}

void everytext_head(const struct population *all, char *line)
{
	uint64_t cpu_ns = 0, threads = 0, stuck = 0;

	for (size_t i = 0; i < all->now.count; i++) {
		cpu_ns += all->now.processes[i].cpu_ns;
		threads += all->now.processes[i].threads;
		stuck += all->now.processes[i].stuck;
	}
	snprintf(
		line, EVERYTEXT_LINE,
		"%zu %s, %lu thread%s, %lu stuck  %.1f%% CPU of %ld00%%  last %s  sampler %.1f%% CPU",
		all->now.count, cli_processes(all->now.count), threads, cli_plural(threads), stuck,
		everytext_percent(cpu_ns, all->interval_ns), sysconf(_SC_NPROCESSORS_ONLN),
		shown_duration(all->interval_ns),
		everytext_percent(all->cost_ns, all->interval_ns));
}

void everytext_columns(char *line)
{
	snprintf(line, EVERYTEXT_LINE, "%8s %7s %8s %8s %6s  %s", "PID", "CPU%", "queued%",
		 "threads", "stuck", "process");
}

void everytext_row(const struct population_process *p, uint64_t interval_ns, char *line)
{
	char title[COMMANDLINE_ROOM];

	commandline_read(&p->of, title);
	snprintf(line, EVERYTEXT_LINE, "%8d %7.1f %8.1f %8lu %6lu  %s", p->of.pid,
		 everytext_percent(p->cpu_ns, interval_ns),
		 everytext_percent(p->queued_ns, interval_ns), p->threads, p->stuck, title);
}
