/* metrics.json of this process. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "rounds/metrics/metrics.h"

enum { WRITES = 50 };

static struct metrics *m;
static struct buffer json;

static void enter(void)
{
	cr_assert_eq(metrics_new(&m, getpid(), NULL), 0);
}

static void leave(void)
{
	metrics_free(m);
	buffer_release(&json);
}

TestSuite(metrics, .init = enter, .fini = leave);

static const char *text(const struct metrics_own *own)
{
	json.len = 0;
	cr_assert_eq(metrics_json(m, own, &json, NULL), 0);
	cr_assert_eq(buffer_add(&json, "", 1), 0);
	return (char *)json.data;
}

static double field(const char *at, const char *name, const char *key)
{
	at = strstr(at, name);
	cr_assert_not_null(at, "no %s", name);
	at = strstr(at, key);
	cr_assert_not_null(at, "no %s", key);
	return strtod(at + strlen(key), NULL);
}

Test(metrics, a_counter_has_its_total_and_its_rate)
{
	double seconds, rate;
	const char *t;
	int fd = open("/dev/null", O_WRONLY);

	cr_assert_eq(metrics_read(m, NULL), 0);
	for (int i = 0; i < WRITES; i++)
		cr_assert_eq(write(fd, "x", 1), 1);
	cr_assert_eq(metrics_read(m, NULL), 0);
	t = text(NULL);
	seconds = field(t, "\"interval_ns\"", ": ") / 1e9;
	rate = field(t, "\"write_calls\"", "\"per_second\": ");
	cr_assert_float_eq(rate * seconds, WRITES, 1e-3, "%g times %g", rate, seconds);
	cr_assert_geq(field(t, "\"write_calls\"", "\"total\": "), WRITES);
	cr_assert_eq(field(t, "\"fds\"", "\"value\": "), field(t, "\"fds\"", "\"start\": "));
	cr_assert_eq(field(t, "\"pid\"", ": "), getpid());
}

Test(metrics, one_reading_has_no_rates)
{
	cr_assert_eq(metrics_read(m, NULL), 0);
	cr_assert_not_null(strstr(text(NULL), "\"per_second\": null"));
	cr_assert_null(strstr(text(NULL), "\"per_second\": 0"));
	cr_assert_not_null(strstr(text(NULL), "\"per_second\": \"there is no reading before\""));
	cr_assert_not_null(strstr(text(NULL), "\"interval_ns\": 0"));
}

Test(metrics, none_has_nothing)
{
	cr_assert_not_null(strstr(text(NULL), "\"write_calls\": null"));
	cr_assert_not_null(strstr(text(NULL), "\"process.fds\": \"it was never read\""));
}

Test(metrics, our_own_part_is_told)
{
	struct metrics_own own = { .cpu_ns = 1500000000,
				   .peak_bytes = 4096,
				   .rss_bytes = 2048,
				   .pause_share = 0.0005,
				   .samples = 77,
				   .held_max_ns = 12345 };
	const char *t;

	cr_assert_not_null(strstr(text(NULL), "\"sampler\": null"));
	t = strstr(text(&own), "\"sampler\": {");
	cr_assert_not_null(t);
	cr_assert_eq(field(t, "\"cpu_seconds\"", ": "), 1.5);
	cr_assert_eq(field(t, "\"rss_bytes\"", ": "), 2048);
	cr_assert_eq(field(t, "\"rss_peak_bytes\"", ": "), 4096);
	cr_assert_eq(field(t, "\"pause_share\"", ": "), 0.0005);
	cr_assert_eq(field(t, "\"samples\"", ": "), 77);
	cr_assert_eq(field(t, "\"held_max_seconds\"", ": "), 0.000012345);
}

Test(metrics, of_a_process_that_ended_the_last_reading_stays)
{
	pid_t pid = fork();

	if (!pid)
		pause();
	metrics_free(m);
	cr_assert_eq(metrics_new(&m, pid, NULL), 0);
	cr_assert_eq(metrics_read(m, NULL), 0);
	cr_assert_eq(metrics_read(m, NULL), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	cr_assert_eq(metrics_read(m, NULL), ERR_GONE);
	cr_assert_geq(field(text(NULL), "\"threads\"", "\"value\": "), 1);
	/* The two readings are not of a round that ended with the process. */
	cr_assert_not_null(strstr(text(NULL), "\"per_second\": null"));
	cr_assert_null(strstr(text(NULL), "\"per_second\": 0"));
}

Test(metrics, a_process_that_never_was)
{
	struct metrics *none;
	struct error err;

	cr_assert_eq(metrics_new(&none, 0x3fffffff, &err), ERR_GONE);
}
