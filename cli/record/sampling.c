/* Limits and defaults of the rate, the CPU budget and the engine are here. Secrets in options are
 * overwritten before the command line is kept as a comment. */
#include "cli/record/sampling.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cli/common/cli.h"
#include "sampler/recording.h"
#include "symbolize/symbolizer.h"

enum { DEFAULT_RATE = 99, RATE_MAX = 10000 };

static const double DEFAULT_PAUSE_SHARE = 0.01, DEFAULT_MAX_CPU = 0.05, LEAST_MAX_CPU = 0.001;

void sampling_defaults(struct recording_options *r, pid_t *pids)
{
	r->rate = DEFAULT_RATE;
	r->pause_share = DEFAULT_PAUSE_SHARE;
	r->max_cpu = DEFAULT_MAX_CPU;
	r->pids = pids;
}

static int set_duration(struct recording_options *r, struct error *err)
{
	int rc = parse_duration(optarg, &r->duration_ns, err);

	if (!rc && !r->duration_ns)
		rc = error_set(err, ERR_USAGE, "a duration of '%s' is too short", optarg);
	return rc;
}

static int set_rate(struct recording_options *r, struct error *err)
{
	uint64_t rate = 0;
	int rc = parse_number(optarg, "rate in Hz", 1, RATE_MAX, &rate, err);

	r->rate = (unsigned)rate;
	return rc;
}

static int set_max_cpu(struct recording_options *r, struct error *err)
{
	int rc = parse_percent(optarg, "part of a CPU", &r->max_cpu, err);

	if (!rc && r->max_cpu < LEAST_MAX_CPU)
		rc = error_set(err, ERR_USAGE,
			       "with '%s' of a CPU nothing can be sampled: 0.1%% is "
			       "the least",
			       optarg);
	return rc;
}

static int set_engine(struct recording_options *r, struct error *err)
{
	static const char *const names[] = { [ENGINE_AUTO] = "auto",
					     [ENGINE_PERF] = "perf",
					     [ENGINE_REST] = "rest",
					     [ENGINE_PTRACE] = "ptrace" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(optarg, names[i])) {
			r->engine = (enum engine)i;
			return 0;
		}
	return error_set(err, ERR_USAGE, "unknown engine '%s': auto, perf, rest or ptrace", optarg);
}

bool sampling_option(int option, struct recording_options *r, pid_t *pids, unsigned *symbolize,
		     int *rc, struct error *err)
{
	*rc = 0;
	switch (option) {
	case 'p':
		*rc = parse_pids(optarg, pids, &r->pid_count, err);
		return true;
	case 'd':
		*rc = set_duration(r, err);
		return true;
	case 'r':
		*rc = set_rate(r, err);
		return true;
	case 'C':
	case 'N':
		r->children = option == 'C';
		r->alone = option == 'N';
		return true;
	case 'W':
		r->wall = true;
		return true;
	case 'g':
		r->goid = true;
		return true;
	case 'M':
		*rc = parse_percent(optarg, "share", &r->pause_share, err);
		return true;
	case 'B':
		*rc = set_max_cpu(r, err);
		return true;
	case 'G':
		*rc = set_engine(r, err);
		return true;
	case 'I':
		*symbolize |= SYMBOLIZE_NO_INLINE;
		return true;
	case 'P':
		r->no_native = true;
		return true;
	default:
		return false;
	}
}

int sampling_target(struct recording_options *r, int argc, char **argv)
{
	bool dashes = optind > 0 && !strcmp(argv[optind - 1], "--");

	if (optind < argc && !dashes)
		return cli_usage("unexpected argument '%s' (a command stands behind --)",
				 argv[optind]);
	if (optind < argc)
		r->command = argv + optind;
	if (r->command && !r->alone)
		r->children = true; /* as perf record does: the work of make or sh is theirs */
	if (r->pid_count && r->command)
		return cli_usage("either -p PID or -- COMMAND, not both");
	if (!r->pid_count && !r->command)
		return cli_usage("no process given: -p PID or -- COMMAND");
	return CLI_GO_ON;
}

int sampling_fail(const struct recording_options *r, const struct error *err)
{
	int status = cli_fail(err);

	if (r->command && err->code == ERR_NOTFOUND)
		return EXIT_NO_COMMAND;
	return r->command && err->code == ERR_FORMAT ? EXIT_NOT_RUNNABLE : status;
}

/* Options' secrets have been overwritten when they were taken (base/net/secret.h). */
int sampling_command_line(struct buffer *line, int first, int argc, char **argv)
{
	if (buffer_add(line, "sampler", 7))
		return ERR_NOMEM;
	for (int i = first; i < argc && i <= optind; i++)
		if (buffer_addf(line, " %s", argv[i]))
			return ERR_NOMEM;
	if (optind + 1 < argc && buffer_addf(line, " …"))
		return ERR_NOMEM;
	return buffer_add(line, "", 1);
}
