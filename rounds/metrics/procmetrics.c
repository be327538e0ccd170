/*
 * PSS is the one expensive figure: the kernel walks all page tables for it (14 ms for each GB).
 * So PSS is left out where the walk would take a noticeable part of the time, or block others for
 * long.
 */
#include "rounds/metrics/procmetrics.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/process/process.h"

enum {
	FDS_MAX = 1 << 17, /* counted one by one, before Linux 6.2 */
	PSS_SHARE = 50,	   /* 1/50 of the time at most */
};

static const uint64_t PSS_RSS_MAX = 16ull << 30;

static const char NOT_THERE[] = "the kernel does not tell";
static const char NO_PERMISSION[] = "not permitted: it takes the permission to trace";
static const char NO_MEMORY[] = "it has no memory any more";

void procmetrics_release(struct procmetrics *m)
{
	buffer_release(&m->text);
	memset(m, 0, sizeof(*m));
}

/* Reads a file into m->text. *why: the reason for its values if that fails, else NULL. */
static int procmetrics_read_file(struct procmetrics *m, const struct process *p, const char *name,
				 const char **why, struct error *err)
{
	int rc = process_read(p, name, &m->text, err);

	*why = rc == ERR_PERM ? NO_PERMISSION : rc || !m->text.len ? NOT_THERE : NULL;
	/* A missing file (no such kernel option) does not mean that the process has ended. */
	return rc == ERR_NOMEM || (rc == ERR_GONE && !process_alive(p)) ? rc : 0;
}

static void ticks(struct metric_value *v, uint64_t number)
{
	metric_set(v, number * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK)));
}

/* Identifies the program by the start of its stack, which is random at each execve(2), and by its
 * file, for processes without randomization (personality(2), ADDR_NO_RANDOMIZE). Both need the
 * permission to trace; without it the stack is 0 and the file unknown. */
static uint64_t program_of(const struct process *p, uint64_t stack)
{
	struct stat exe;

	if (fstatat(p->proc_fd, "exe", &exe, 0))
		return stack;
	return stack ^ (uint64_t)exe.st_ino << 20 ^ (uint64_t)exe.st_dev << 52;
}

static int procmetrics_read_stat(struct procmetrics *m, const struct process *p,
				 struct metric_value *values, uint64_t *program, struct error *err)
{
	uint64_t f[STAT_FIELDS];
	const char *why;
	int rc = procmetrics_read_file(m, p, "stat", &why, err);

	*program = 0;
	if (rc || why || !process_stat_parse(m->text.data, m->text.len, STAT_STARTSTACK, f))
		return rc;
	ticks(&values[METRIC_CPU_USER], f[STAT_UTIME]);
	ticks(&values[METRIC_CPU_SYSTEM], f[STAT_STIME]);
	metric_set(&values[METRIC_MINOR_FAULTS], f[STAT_MINFLT]);
	metric_set(&values[METRIC_MAJOR_FAULTS], f[STAT_MAJFLT]);
	metric_set(&values[METRIC_THREADS], f[STAT_THREADS]);
	*program = program_of(p, f[STAT_STARTSTACK]);
	return 0;
}

struct procmetrics_line {
	const char *key; /* with its colon */
	enum metric metric;
	unsigned unit;
};

/* Parses lines "Key:  number …". The kernel escapes newlines in names. */
static void procmetrics_take_lines(const struct buffer *text, const struct procmetrics_line *lines,
				   size_t count, struct metric_value *values)
{
	struct cursor c, line;

	cursor_init(&c, text->data, text->len, "lines");
	while (cursor_line(&c, &line)) {
		for (size_t i = 0; i < count; i++) {
			size_t len = strlen(lines[i].key);
			uint64_t number;

			if (cursor_left(&line) < len || memcmp(line.pos, lines[i].key, len))
				continue;
			cursor_bytes(&line, len);
			cursor_blanks(&line);
			number = cursor_number(&line, 10);
			if (!line.failed)
				metric_set(&values[lines[i].metric], number * lines[i].unit);
			break;
		}
	}
}

static int procmetrics_read_lines(struct procmetrics *m, const struct process *p, const char *name,
				  const struct procmetrics_line *lines, size_t count,
				  const char *without, struct metric_value *values,
				  struct error *err)
{
	const char *why;
	int rc = procmetrics_read_file(m, p, name, &why, err);

	for (size_t i = 0; i < count; i++)
		values[lines[i].metric].why_not = why ? why : without;
	if (!rc && !why)
		procmetrics_take_lines(&m->text, lines, count, values);
	return rc;
}

static int read_status(struct procmetrics *m, const struct process *p, struct metric_value *values,
		       struct error *err)
{
	static const struct procmetrics_line lines[] = {
		{ "VmSize:", METRIC_VIRTUAL, 1024 },
		{ "VmHWM:", METRIC_RSS_PEAK, 1024 },
		{ "VmRSS:", METRIC_RSS, 1024 },
		{ "VmSwap:", METRIC_SWAP, 1024 },
	};

	/* NO_MEMORY: the first thread has ended before the others. */
	return procmetrics_read_lines(m, p, "status", lines, sizeof(lines) / sizeof(*lines),
				      NO_MEMORY, values, err);
}

static int read_io(struct procmetrics *m, const struct process *p, struct metric_value *values,
		   struct error *err)
{
	static const struct procmetrics_line lines[] = {
		{ "rchar:", METRIC_READ_CHARS, 1 },
		{ "wchar:", METRIC_WRITE_CHARS, 1 },
		{ "syscr:", METRIC_READ_CALLS, 1 },
		{ "syscw:", METRIC_WRITE_CALLS, 1 },
		{ "read_bytes:", METRIC_READ_BYTES, 1 },
		{ "write_bytes:", METRIC_WRITE_BYTES, 1 },
		{ "cancelled_write_bytes:", METRIC_CANCELLED_WRITE_BYTES, 1 },
	};

	return procmetrics_read_lines(m, p, "io", lines, sizeof(lines) / sizeof(*lines), NOT_THERE,
				      values, err);
}

static int read_pss(struct procmetrics *m, const struct process *p, struct metric_value *values,
		    struct error *err)
{
	static const struct procmetrics_line lines[] = { { "Pss:", METRIC_PSS, 1024 } };
	const struct metric_value *rss = &values[METRIC_RSS];
	uint64_t before, at = monotonic_ns();
	int rc;

	if (!rss->why_not && rss->number > PSS_RSS_MAX) {
		values[METRIC_PSS].why_not = "left out: it takes long with more than 16 GiB";
		return 0;
	}
	if (m->pss_at && (at - m->pss_at) / PSS_SHARE < m->pss_ns) {
		values[METRIC_PSS].why_not = "left out: it would take more than 2 % of the time";
		return 0;
	}
	before = thread_cpu_ns();
	rc = procmetrics_read_lines(m, p, "smaps_rollup", lines, 1, NO_MEMORY, values, err);
	m->pss_ns = thread_cpu_ns() - before;
	m->pss_at = at;
	return rc;
}

/* Before Linux 6.2 the size of the folder "fd" is 0: descriptors are then counted one by one. */
static void read_fds(const struct process *p, struct metric_value *v)
{
	uint64_t count = 0;
	struct stat st;
	DIR *dir;
	int fd;

	if (!fstatat(p->proc_fd, "fd", &st, 0) && st.st_size > 0) {
		metric_set(v, (uint64_t)st.st_size);
		return;
	}
	fd = process_openat(p, "fd", O_RDONLY | O_DIRECTORY);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		v->why_not = errno == EACCES || errno == EPERM ? NO_PERMISSION : NOT_THERE;
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *d; count <= FDS_MAX && (d = readdir(dir));)
		count += d->d_name[0] != '.';
	closedir(dir);
	if (count > FDS_MAX)
		v->why_not = "too many to count";
	else
		metric_set(v, count);
}

int procmetrics_read(struct procmetrics *m, const struct process *p,
		     struct metric_value values[METRIC_PROCESS_COUNT], uint64_t *program,
		     struct error *err)
{
	uint64_t cpu;
	int rc;

	for (int i = 0; i < METRIC_PROCESS_COUNT; i++)
		values[i] = (struct metric_value){ 0, NOT_THERE };
	if (!process_cpu_ns(p, &cpu))
		metric_set(&values[METRIC_CPU], cpu);
	read_fds(p, &values[METRIC_FDS]);
	rc = procmetrics_read_stat(m, p, values, program, err);
	if (!rc)
		rc = read_status(m, p, values, err);
	if (!rc)
		rc = read_io(m, p, values, err);
	if (!rc)
		rc = read_pss(m, p, values, err);
	if (!rc && !process_alive(p))
		rc = error_set(err, ERR_GONE, "process %d has ended", p->pid);
	return rc;
}
