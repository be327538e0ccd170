/*
 * metrics.json holds every metric under its own name, whether it could be read or not: a
 * missing one is null, and "missing" says why. A counter is written as its total and as a rate
 * between the two readings, a gauge as its value at both of them. docs/metrics.md has the list.
 */
#include "rounds/metrics/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/process/process.h"
#include "runtimes/go/numbers/metrics.h"
#include "rounds/metrics/procmetrics.h"
#include "rounds/metrics/threadmetrics.h"
#include "rounds/metrics/values.h"

struct metric_info {
	const char *name; /* in metrics.json */
	bool counter;	  /* it only grows; false: a gauge */
	bool seconds;	  /* counted in ns, written in seconds */
};

static const struct metric_info infos[METRIC_COUNT] = {
	[METRIC_CPU] = { "cpu_seconds", true, true },
	[METRIC_CPU_USER] = { "cpu_user_seconds", true, true },
	[METRIC_CPU_SYSTEM] = { "cpu_system_seconds", true, true },
	[METRIC_RUN_DELAY] = { "run_delay_seconds", true, true },
	[METRIC_VOLUNTARY_SWITCHES] = { "voluntary_switches", true, false },
	[METRIC_INVOLUNTARY_SWITCHES] = { "involuntary_switches", true, false },
	[METRIC_MINOR_FAULTS] = { "minor_faults", true, false },
	[METRIC_MAJOR_FAULTS] = { "major_faults", true, false },
	[METRIC_READ_CHARS] = { "read_chars", true, false },
	[METRIC_WRITE_CHARS] = { "write_chars", true, false },
	[METRIC_READ_CALLS] = { "read_calls", true, false },
	[METRIC_WRITE_CALLS] = { "write_calls", true, false },
	[METRIC_READ_BYTES] = { "read_bytes", true, false },
	[METRIC_WRITE_BYTES] = { "write_bytes", true, false },
	[METRIC_CANCELLED_WRITE_BYTES] = { "cancelled_write_bytes", true, false },
	[METRIC_RSS] = { "rss_bytes", false, false },
	[METRIC_RSS_PEAK] = { "rss_peak_bytes", false, false },
	[METRIC_PSS] = { "pss_bytes", false, false },
	[METRIC_SWAP] = { "swap_bytes", false, false },
	[METRIC_VIRTUAL] = { "virtual_bytes", false, false },
	[METRIC_THREADS] = { "threads", false, false },
	[METRIC_FDS] = { "fds", false, false },
	[METRIC_GO + GOMETRIC_GOROUTINES] = { "goroutines", false, false },
	[METRIC_GO + GOMETRIC_PROCS] = { "gomaxprocs", false, false },
	[METRIC_GO + GOMETRIC_THREADS] = { "threads", false, false },
	[METRIC_GO + GOMETRIC_GC_CYCLES] = { "gc_cycles", true, false },
	[METRIC_GO + GOMETRIC_GC_FORCED] = { "gc_forced_cycles", true, false },
	[METRIC_GO + GOMETRIC_GC_PAUSE] = { "gc_pause_seconds", true, true },
	[METRIC_GO + GOMETRIC_HEAP] = { "heap_bytes", false, false },
	[METRIC_GO + GOMETRIC_HEAP_LIVE] = { "heap_live_bytes", false, false },
	[METRIC_GO + GOMETRIC_HEAP_GOAL] = { "heap_goal_bytes", false, false },
	[METRIC_GO + GOMETRIC_ALLOC_BYTES] = { "alloc_bytes", true, false },
	[METRIC_GO + GOMETRIC_ALLOC_OBJECTS] = { "alloc_objects", true, false },
	[METRIC_GO + GOMETRIC_FREE_BYTES] = { "free_bytes", true, false },
	[METRIC_GO + GOMETRIC_FREE_OBJECTS] = { "free_objects", true, false },
};

/* Attempts to find a Go runtime, which may not have been relocated yet. */
enum { SEARCHES = 3 };

struct metrics_reading {
	uint64_t at_ns;	  /* CLOCK_MONOTONIC */
	int64_t time_ns;  /* unix time */
	uint64_t program; /* changes with execve(2) */
	struct metric_value values[METRIC_COUNT];
};

struct metrics {
	struct process process;
	struct procmetrics proc;
	struct threadmetrics threads;
	struct gometrics *go; /* NULL: see no_go */
	struct error no_go;
	uint64_t searched_in; /* the program in which Go was looked for last */
	unsigned searches;    /* how often in that program */
	struct metrics_reading last, now;
	unsigned readings; /* 0, 1, 2 */
	bool ended;
};

struct metrics_out {
	struct json json;    /* the file, up to "missing" */
	struct json missing; /* the members of "missing" */
};

int metrics_new(struct metrics **out, pid_t pid, struct error *err)
{
	struct metrics *m = calloc(1, sizeof(*m));
	int rc;

	if (!m)
		return error_nomem(err);
	rc = process_open(&m->process, pid, err);
	if (rc) {
		free(m);
		return rc;
	}
	for (int i = 0; i < METRIC_COUNT; i++)
		m->now.values[i].why_not = "it was never read";
	*out = m;
	return 0;
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	procmetrics_release(&m->proc);
	threadmetrics_release(&m->threads);
	gometrics_free(m->go);
	process_close(&m->process);
	free(m);
}

/* Searches again after execve(2): another program has another runtime, or none. In a program that
 * has just begun the runtime may not be found yet, so a failed search may be repeated. */
static int metrics_find_go(struct metrics *m, uint64_t program, struct error *err)
{
	int rc;

	if (program != m->searched_in) {
		gometrics_free(m->go);
		m->go = NULL;
		m->searches = 0;
	} else if (m->go || m->searches == SEARCHES) {
		return 0;
	}
	m->searched_in = program;
	m->searches++;
	rc = gometrics_new(&m->go, &m->process, &m->no_go);
	if (rc == ERR_NOTFOUND)
		m->searches = SEARCHES;
	return rc == ERR_NOMEM ? error_nomem(err) : 0;
}

static int read_go(struct metrics *m, struct metrics_reading *r, struct error *err)
{
	struct gometric_value values[GOMETRIC_COUNT];
	int rc = metrics_find_go(m, r->program, err);

	if (rc)
		return rc;
	if (m->go)
		gometrics_read(m->go, values);
	for (int i = 0; i < GOMETRIC_COUNT; i++)
		r->values[METRIC_GO + i] = m->go ? (struct metric_value){ values[i].number,
									  values[i].why_not } :
						   (struct metric_value){ 0, m->no_go.text };
	return 0;
}

int metrics_read(struct metrics *m, struct error *err)
{
	struct metrics_reading r = { .at_ns = monotonic_ns(),
				     .time_ns = (int64_t)clock_ns(CLOCK_REALTIME) };
	int rc = procmetrics_read(&m->proc, &m->process, r.values, &r.program, err);

	if (!rc)
		rc = threadmetrics_read(&m->threads, &m->process, r.values, err);
	if (!rc)
		rc = read_go(m, &r, err);
	if (!rc && !process_alive(&m->process))
		rc = error_set(err, ERR_GONE, "process %d has ended", m->process.pid);
	if (rc) {
		m->ended |= rc == ERR_GONE;
		return rc;
	}
	m->last = m->now;
	m->now = r;
	m->readings += m->readings < 2;
	return 0;
}

static void put_missing(struct metrics_out *o, const char *group, const char *name,
			const char *field, const char *why)
{
	json_addf(&o->missing, "%s\n    \"%s%s%s%s%s\": ", o->missing.out->len ? "," : "", group,
		  *name ? "." : "", name, *field ? "." : "", field);
	json_add_text(&o->missing, why);
}

static void put_seconds(struct metrics_out *o, uint64_t ns)
{
	json_addf(&o->json, "%" PRIu64 ".%09u", (uint64_t)(ns / NS_PER_S),
		  (unsigned)(ns % NS_PER_S));
}

static void metrics_put_number(struct metrics_out *o, const struct metric_info *info,
			       uint64_t number)
{
	if (info->seconds)
		put_seconds(o, number);
	else
		json_addf(&o->json, "%" PRIu64, number);
}

/* Why no metric has a rate, or NULL. */
static const char *no_rates(const struct metrics *m)
{
	if (m->ended)
		return "the process ended before the second reading";
	if (m->readings < 2 || m->now.at_ns <= m->last.at_ns)
		return "there is no reading before";
	return NULL;
}

/* Why this metric has no rate, or NULL. */
static const char *no_rate(const struct metrics *m, int i)
{
	const struct metric_value *last = &m->last.values[i], *now = &m->now.values[i];

	if (i >= METRIC_GO && m->now.program != m->last.program)
		return "another program was executed since";
	if (last->why_not)
		return "it was missing in the reading before";
	return now->number < last->number ? "it ran backwards" : NULL;
}

static bool has_start(const struct metrics *m, int i)
{
	return !no_rates(m) && !m->last.values[i].why_not &&
	       (i < METRIC_GO || m->now.program == m->last.program);
}

static void put_rate(struct metrics_out *o, const struct metrics *m, const char *group, int i)
{
	const struct metric_info *info = &infos[i];
	const char *why = no_rates(m);
	double gain, seconds = (double)(m->now.at_ns - m->last.at_ns) / (double)NS_PER_S;

	if (!why && (why = no_rate(m, i)))
		put_missing(o, group, info->name, "per_second", why);
	if (why) {
		json_add(&o->json, "null");
		return;
	}
	gain = (double)(m->now.values[i].number - m->last.values[i].number);
	json_addf(&o->json, "%.15g", (info->seconds ? gain / (double)NS_PER_S : gain) / seconds);
}

static void put_metric(struct metrics_out *o, const struct metrics *m, const char *group, int i)
{
	const struct metric_info *info = &infos[i];
	const struct metric_value *now = &m->now.values[i];

	if (now->why_not) {
		json_add(&o->json, "null");
		put_missing(o, group, info->name, "", now->why_not);
		return;
	}
	json_add(&o->json, info->counter ? "{\"total\": " : "{\"value\": ");
	metrics_put_number(o, info, now->number);
	json_add(&o->json, info->counter ? ", \"per_second\": " : ", \"start\": ");
	if (info->counter)
		put_rate(o, m, group, i);
	else if (has_start(m, i))
		metrics_put_number(o, info, m->last.values[i].number);
	else
		json_add(&o->json, "null");
	json_add(&o->json, "}");
}

static void metrics_put_metrics(struct metrics_out *o, const struct metrics *m, const char *group,
				int first, int end)
{
	for (int i = first; i < end; i++) {
		json_addf(&o->json, "%s\n    \"%s\": ", i > first ? "," : "", infos[i].name);
		put_metric(o, m, group, i);
	}
	json_add(&o->json, "\n  }");
}

static void metrics_put_go(struct metrics_out *o, const struct metrics *m)
{
	json_add(&o->json, ",\n  \"go\": ");
	if (!m->go) {
		json_add(&o->json, "null");
		put_missing(o, "go", "", "", m->readings ? m->no_go.text : "it was never read");
		return;
	}
	json_add(&o->json, "{\n    \"version\": ");
	json_add_text(&o->json, gometrics_version(m->go));
	json_add(&o->json, ",");
	metrics_put_metrics(o, m, "go", METRIC_GO, METRIC_COUNT);
}

static void put_own(struct metrics_out *o, const struct metrics_own *own)
{
	json_add(&o->json, ",\n  \"sampler\": ");
	if (!own) {
		json_add(&o->json, "null");
		put_missing(o, "sampler", "", "", "nothing was sampled");
		return;
	}
	json_add(&o->json, "{\n    \"cpu_seconds\": ");
	put_seconds(o, own->cpu_ns);
	json_addf(&o->json, ",\n    \"rss_bytes\": %" PRIu64, own->rss_bytes);
	json_addf(&o->json, ",\n    \"rss_peak_bytes\": %" PRIu64, own->peak_bytes);
	json_addf(&o->json, ",\n    \"samples\": %" PRIu64, own->samples);
	json_addf(&o->json, ",\n    \"pause_share\": %.9g",
		  isfinite(own->pause_share) ? own->pause_share : 0);
	json_add(&o->json, ",\n    \"held_max_seconds\": ");
	put_seconds(o, own->held_max_ns);
	json_add(&o->json, "\n  }");
}

int metrics_json(const struct metrics *m, const struct metrics_own *own, struct buffer *out,
		 struct error *err)
{
	const char *no_pair = m->readings ? no_rates(m) : NULL;
	struct buffer missing = { 0 };
	struct metrics_out o = { { out, 0 }, { &missing, 0 } };

	json_addf(&o.json,
		  "{\n  \"pid\": %d,\n  \"time_ns\": %" PRId64 ",\n  \"interval_ns\": %" PRIu64,
		  m->process.pid, m->now.time_ns, no_rates(m) ? 0 : m->now.at_ns - m->last.at_ns);
	if (no_pair)
		put_missing(&o, "per_second", "", "", no_pair);
	json_add(&o.json, ",\n  \"process\": {");
	metrics_put_metrics(&o, m, "process", 0, METRIC_PROCESS_COUNT);
	metrics_put_go(&o, m);
	put_own(&o, own);
	json_add(&o.json, ",\n  \"missing\": {");
	if (missing.len)
		json_addf(&o.json, "%.*s\n  ", (int)missing.len, (const char *)missing.data);
	json_add(&o.json, "}\n}\n");
	buffer_release(&missing);
	return o.json.rc || o.missing.rc ? error_nomem(err) : 0;
}
