/* Counters of this process, compared with what it did between two readings. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/process.h"
#include "rounds/metrics/procmetrics.h"

enum { FILES = 10, WRITES = 7, BYTES = 1000, PAGES = 300 };

static struct process self;
static struct procmetrics state;
static struct metric_value first[METRIC_PROCESS_COUNT], second[METRIC_PROCESS_COUNT];

static void take(struct metric_value *values)
{
	uint64_t program;
	int rc = procmetrics_read(&state, &self, values, &program, NULL);

	cr_assert(!rc && program);
}

static uint64_t gained(enum metric m)
{
	cr_assert_null(first[m].why_not, "%d: %s", m, first[m].why_not);
	cr_assert_null(second[m].why_not, "%d: %s", m, second[m].why_not);
	return second[m].number - first[m].number;
}

static void enter(void)
{
	cr_assert_eq(process_open(&self, getpid(), NULL), 0);
	take(first);
}

static void leave(void)
{
	procmetrics_release(&state);
	process_close(&self);
}

TestSuite(procmetrics, .init = enter, .fini = leave);

Test(procmetrics, descriptors_are_counted)
{
	int fds[FILES];

	for (int i = 0; i < FILES; i++)
		fds[i] = open("/dev/null", O_WRONLY);
	take(second);
	cr_assert_eq(gained(METRIC_FDS), FILES);
	close(fds[0]);
	take(second);
	cr_assert_eq(gained(METRIC_FDS), FILES - 1);
}

Test(procmetrics, writes_are_counted)
{
	static const char bytes[BYTES];
	uint64_t program;
	int fd = open("/dev/null", O_WRONLY);
	ssize_t written = 0;

	take(first); /* an assertion writes, too */
	for (int i = 0; i < WRITES; i++)
		written += write(fd, bytes, BYTES);
	procmetrics_read(&state, &self, second, &program, NULL);
	cr_assert_eq(written, WRITES * BYTES);
	/* Criterion adds some hundred bytes for an assertion. */
	cr_assert_geq(gained(METRIC_WRITE_CHARS), WRITES * BYTES);
	cr_assert_lt(gained(METRIC_WRITE_CHARS), (WRITES + 1) * BYTES);
	cr_assert_geq(gained(METRIC_WRITE_CALLS), WRITES);
	cr_assert_lt(gained(METRIC_WRITE_CALLS), 2 * WRITES);
	cr_assert_gt(gained(METRIC_READ_CHARS), 0, "reading /proc is reading");
}

Test(procmetrics, memory_and_faults_are_counted)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		p[i * page] = 1;
	state.pss_at = 0; /* as if PSS had not been read yet */
	take(second);
	cr_assert_geq(gained(METRIC_MINOR_FAULTS), PAGES);
	/* Its gain is not checked: other pages are shared with more and more other tests. */
	cr_assert_geq(second[METRIC_PSS].number, PAGES * page);
	cr_assert_geq(gained(METRIC_VIRTUAL), PAGES * page);
	cr_assert_geq(second[METRIC_RSS_PEAK].number + (1 << 20), second[METRIC_RSS].number);
	/* The kernel counts RSS for each CPU and adds up only now and then (percpu_counter). */
	cr_assert_gt(second[METRIC_RSS].number, PAGES * page / 2);
}

Test(procmetrics, cpu_time_is_that_of_the_clock)
{
	struct timespec from, to;
	uint64_t burned;
	volatile unsigned spin = 0;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	do {
		for (int i = 0; i < 1000; i++)
			spin = spin + 1;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		burned = (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000u + (uint64_t)to.tv_nsec -
			 (uint64_t)from.tv_nsec;
	} while (burned < 60000000);
	take(second);
	cr_assert_geq(gained(METRIC_CPU), burned);
	/* In ticks of 10 ms, and the first and the last one may be counted in part only. */
	cr_assert_geq(gained(METRIC_CPU_USER) + gained(METRIC_CPU_SYSTEM), 40000000);
}

Test(procmetrics, pss_is_not_asked_for_more_often_than_it_is_worth)
{
	state.pss_ns = 1000000000;
	take(second);
	cr_assert_str_eq(second[METRIC_PSS].why_not,
			 "left out: it would take more than 2 % of the time");
	cr_assert_null(second[METRIC_RSS].why_not);
}

Test(procmetrics, a_process_that_has_ended_is_gone)
{
	struct process child;
	uint64_t program;
	pid_t pid = fork();

	if (!pid)
		pause();
	cr_assert_eq(process_open(&child, pid, NULL), 0);
	cr_assert_eq(procmetrics_read(&state, &child, second, &program, NULL), 0);
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT);
	cr_assert_eq(procmetrics_read(&state, &child, second, &program, NULL), ERR_GONE,
		     "a zombie");
	waitpid(pid, NULL, 0);
	cr_assert_eq(procmetrics_read(&state, &child, second, &program, NULL), ERR_GONE);
	process_close(&child);
}
