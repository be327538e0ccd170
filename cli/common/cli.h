/*
 * What the commands share. cli/ is the only folder that prints: data to the standard
 * output when requested, messages to the standard error.
 */
#ifndef CLI_COMMON_CLI_H
#define CLI_COMMON_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

/* Exit statuses; docs/sampler.1 lists them. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_PERMITTED = 3,
	EXIT_NO_PROCESS = 4,
	EXIT_EMPTY = 5,		 /* nothing was sampled, and nothing written */
	EXIT_LOST = 6,		 /* a round was lost, or sampling ended before its time */
	EXIT_NOT_RUNNABLE = 126, /* a COMMAND that cannot be executed, as in a shell */
	EXIT_NO_COMMAND = 127,	 /* a COMMAND that is not there */
};

/* The functions that read and check a command's options return CLI_GO_ON if the command goes on.
 * Any other value is the exit status with which the command ends; EXIT_DONE after --help. */
enum { CLI_GO_ON = -1 };

/* Each takes its arguments from argv[1] on and returns an exit status. */
int cli_record(int argc, char **argv);
int cli_dump(int argc, char **argv);
int cli_top(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_validate(int argc, char **argv);
int cli_delta(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_goparse(int argc, char **argv);
int cli_list_rounds(int argc, char **argv);
int cli_help(int argc, char **argv);

/* Prints a page of help and returns EXIT_DONE. */
int cli_help_on(const char *page);

/* What `sampler` alone prints, to the standard error. Returns EXIT_USAGE. */
int cli_help_briefly(void);

/* The n-th name of a command, and of a long option (without its dashes) on a page of help, which is
 * copied into `name`; NULL and false after the last. */
const char *cli_help_command(size_t n);
enum { HELP_OPTION_ROOM = 40 };
bool cli_help_option(const char *page, size_t n, char name[HELP_OPTION_ROOM]);

/* Sets the page of help to which messages about wrong usage point from now on (NULL: the list of
 * commands). `page` is not copied. */
void cli_page(const char *page);

/* The end of a noun of so many. */
static inline const char *cli_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static inline const char *cli_processes(uint64_t count)
{
	return count == 1 ? "process" : "processes";
}

/* Print one line to the standard error: "sampler: MESSAGE", and the text alone. Foreign names in it
 * may have any bytes (base/printable.h). The only way of messages to the terminal, besides
 * progress. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "wrote x.svg (4711 bytes)" and `more`; "-" is the standard output. */
void cli_wrote(const char *path, uint64_t bytes, const char *more);

/* Prints "sampler: MESSAGE" and returns the status that fits the error. ERR_USAGE is answered as by
 * cli_usage. */
int cli_fail(const struct error *err);

/* Appends the hint to the error's message. */
void cli_hint(struct error *err, const char *hint);

/* The exit status after a command that was sampled; `status` is wait(2)'s. */
int cli_command_status(int status);

/* Prints "sampler: MESSAGE; see 'sampler help PAGE'" and returns EXIT_USAGE. */
int cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* How a command reads its options. */
struct option;
struct cli_grammar {
	const char *page;    /* of help */
	const char *letters; /* as for getopt_long: ':' first, or "+:" if a COMMAND may follow */
	const struct option *options; /* 'h' is --help */

	/* Takes an option into `o`. `value` is not copied. 0, or an error with its message. */
	int (*take)(void *o, int option, char *value, struct error *err);
};

/* Reads the options, up to getopt's optind. Numbers behind -p and its value are values of it, too:
 * a shell makes several arguments of `-p $(pidof nginx)`. An unknown option is reported with the
 * most similar one on the page of help. */
int cli_parse(const struct cli_grammar *g, int argc, char **argv, void *o);

/* What functions that take a group of options return for an option of none of the group. */
enum { OPTION_OTHER = 1 };

/* "500ms", "60s", "1h30m", "1d", "90" -> ns. ERR_USAGE says what was expected. */
int parse_duration(const char *text, uint64_t *ns, struct error *err);

/* As parse_duration, but 0 is an error, too. */
int parse_positive_duration(const char *text, uint64_t *ns, struct error *err);

/* The value of --stop, up to 10 s; NULL (no value) gives HOLD_BOUND_NS. ERR_USAGE. */
int parse_stop(const char *text, uint64_t *ns, struct error *err);

/* "2026-11-21T17:15:00.5+01:00" (RFC 3339; without a zone: UTC), "@1700000000" -> ns since 1970.
 * ERR_USAGE says what was expected. */
int parse_time(const char *text, int64_t *time_nanos, struct error *err);

/* The same, and what people type: "10:05" or "10:05:30" is the last such time (UTC) up to
 * `near_nanos`, with `later` the first one after it; "2026-11-21T10:05"; "2026-11-21", the
 * beginning of that day, with `later` its end. ERR_USAGE says what was expected. */
int parse_moment(const char *text, int64_t near_nanos, bool later, int64_t *time_nanos,
		 struct error *err);

/* Parses a whole number within [min, max]. `what` names it in the message. ERR_USAGE. */
int parse_number(const char *text, const char *what, uint64_t min, uint64_t max, uint64_t *value,
		 struct error *err);

/* "64K", "5M", "1G", or a number of bytes -> bytes, at least 1; K is 1024. ERR_USAGE. */
int parse_size(const char *text, uint64_t *bytes, struct error *err);

/* Adds the processes of "PID[,PID…]" that are not in the list yet; blanks and newlines separate
 * numbers, too, as pidof(1) and pgrep(1) write. What is no number is the name of a process, which
 * `names` holds (byname.h). ERR_USAGE, or as byname_find. */
enum { PIDS_MAX = 1024 };
struct byname;
int parse_pids(const char *text, pid_t pids[PIDS_MAX], size_t *count, struct byname *names,
	       struct error *err);

/* Can the word be such a list? True for a number, and for the name of a process. */
bool pids_may_be(const char *word);

/* To be called when a command could not begin with several processes: leaves out those that are
 * gone or may not be traced, and says so. True if fewer are left, but some: it can begin with
 * these. Not called before, since a hundred processes take 10 ms, and each may end in between. */
bool pids_fewer(pid_t *pids, size_t *count);

/* Finds the number of `text` among `names`, which end with NULL. `what` names it in the message,
 * which has all of them. ERR_USAGE. */
int parse_choice(const char *text, const char *what, const char *const *names, unsigned *number,
		 struct error *err);

/* "1%" or "0.5" (percent) -> a share, 0.01 or 0.005; more than 0 and at most 100 %. ERR_USAGE. */
int parse_percent(const char *text, const char *what, double *share, struct error *err);

/* "0.005", a share from 0 to 1. ERR_USAGE. */
int parse_fraction(const char *text, double *share, struct error *err);

#endif
