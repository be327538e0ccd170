/* Limits and defaults of the rate, the CPU budget and the engine are here. Secrets in options are
 * overwritten before the command line is kept as a comment. */
#include "cli/record/sampling.h"

#include <string.h>

#include "base/error.h"
#include "base/printer.h"
#include "symbolize/symbolizer.h"

enum { DEFAULT_RATE = 99, RATE_MAX = 10000 };

static const double DEFAULT_PAUSE_SHARE = 0.01, DEFAULT_MAX_CPU = 0.05, LEAST_MAX_CPU = 0.001;

void sampling_init(struct sampling *s)
{
	*s = (struct sampling){ .recording = { .rate = DEFAULT_RATE,
					       .pause_share = DEFAULT_PAUSE_SHARE,
					       .max_cpu = DEFAULT_MAX_CPU,
					       .pids = s->pids } };
}

void sampling_release(struct sampling *s)
{
	byname_release(&s->names);
	buffer_release(&s->command_line);
}

static int set_rate(struct recording_options *r, const char *value, struct error *err)
{
	uint64_t rate = 0;
	int rc = parse_number(value, "rate in Hz", 1, RATE_MAX, &rate, err);

	r->rate = (unsigned)rate;
	return rc;
}

static int set_max_cpu(struct recording_options *r, const char *value, struct error *err)
{
	int rc = parse_percent(value, "part of a CPU", &r->max_cpu, err);

	if (!rc && r->max_cpu < LEAST_MAX_CPU)
		rc = error_set(err, ERR_USAGE,
			       "with '%s' of a CPU nothing can be sampled: 0.1%% is "
			       "the least",
			       value);
	return rc;
}

static int set_engine(struct recording_options *r, const char *value, struct error *err)
{
	static const char *const names[] = { [ENGINE_AUTO] = "auto",
					     [ENGINE_PERF] = "perf",
					     [ENGINE_REST] = "rest",
					     [ENGINE_PTRACE] = "ptrace",
					     [ENGINE_PTRACE + 1] = NULL };
	unsigned number;
	int rc = parse_choice(value, "engine", names, &number, err);

	if (!rc)
		r->engine = (enum engine)number;
	return rc;
}

int sampling_option(struct sampling *s, int option, const char *value, struct error *err)
{
	struct recording_options *r = &s->recording;

	switch (option) {
	case 'p':
		return parse_pids(value, s->pids, &r->pid_count, &s->names, err);
	case 'd':
		return parse_positive_duration(value, &r->duration_ns, err);
	case 'r':
		return set_rate(r, value, err);
	case 'C':
	case 'N':
		r->children = option == 'C';
		r->alone = option == 'N';
		return 0;
	case 'W':
		r->wall = true;
		return 0;
	case 'E':
		r->no_peers = true;
		return 0;
	case 'g':
		r->goid = true;
		return 0;
	case 'M':
		return parse_percent(value, "share", &r->pause_share, err);
	case 'B':
		return set_max_cpu(r, value, err);
	case 'G':
		return set_engine(r, value, err);
	case 'I':
		s->symbolize |= SYMBOLIZE_NO_INLINE;
		return 0;
	case 'P':
		r->no_native = true;
		return 0;
	default:
		return OPTION_OTHER;
	}
}

void sampling_bring_workers(struct sampling *s)
{
	if (s->names.masters && !s->recording.alone)
		s->recording.children = true;
}

int sampling_target(struct sampling *s, int argc, char **argv)
{
	struct recording_options *r = &s->recording;
	bool dashes = optind > 0 && !strcmp(argv[optind - 1], "--");

	if (optind < argc && !dashes)
		return cli_usage("unexpected argument '%s' (a command stands behind --)",
				 argv[optind]);
	if (optind < argc)
		r->command = argv + optind;
	if (r->command && !r->alone)
		r->children = true; /* as perf record does: the work of make or sh is theirs */
	sampling_bring_workers(s);
	if (r->pid_count && r->command)
		return cli_usage("either -p PID or -- COMMAND, not both");
	if (!r->pid_count && !r->command)
		return cli_usage("no process given: -p PID or -- COMMAND");
	return CLI_GO_ON;
}

/* Secrets in options were overwritten when the options were taken (base/net/secret.h). */
int sampling_command_line(struct sampling *s, int first, int argc, char **argv)
{
	struct printer p = { &s->command_line, 0 };
	struct error err;

	print_to(&p, "sampler");
	for (int i = first; i < argc && i <= optind; i++)
		print_to(&p, " %s", argv[i]);
	print_to(&p, "%s%c", optind + 1 < argc ? " …" : "", '\0');
	if (!p.rc)
		return CLI_GO_ON;
	error_nomem(&err);
	return cli_fail(&err);
}

int sampling_open(struct sampling *s, struct recording **r)
{
	struct error err;
	int rc, status;

	do
		rc = recording_new(r, &s->recording, &err);
	while (rc && pids_fewer(s->pids, &s->recording.pid_count));
	if (!rc)
		rc = byname_check(&s->names, s->pids, s->recording.pid_count, &err);
	if (!rc)
		return CLI_GO_ON;
	status = cli_fail(&err);
	if (s->recording.command && rc == ERR_NOTFOUND)
		return EXIT_NO_COMMAND;
	return s->recording.command && rc == ERR_FORMAT ? EXIT_NOT_RUNNABLE : status;
}
