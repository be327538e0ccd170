/* The sources are made up: what they do depends on the type of the profile. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "rounds/collect/collection.h"
#include "rounds/source/sourceops.h"

static volatile sig_atomic_t finished;

static int say(struct buffer *out, const char *text)
{
	return buffer_add(out, text, strlen(text));
}

/* Counts entries of /proc/self/fd: a test compares their number before and after. */
static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

/* Uses only system calls that the filter for sources that read memory allows. */
static bool has_capabilities(void)
{
	char text[8192], *line;
	int fd = open("/proc/self/status", O_RDONLY);
	ssize_t len = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[len > 0 ? len : 0] = '\0';
	line = strstr(text, "CapEff:");
	return line && strtoull(line + strlen("CapEff:"), NULL, 16);
}

/* Appends what the process has: descriptors other than the standard ones, capabilities. */
static int describe(struct buffer *out)
{
	return buffer_addf(out, "%d descriptors, %s", count_fds() - 6,
			   has_capabilities() ? "capabilities" : "no capability");
}

static int fake_profile(struct source *s, const struct goprofile_id *id, bool gc_wait,
			struct buffer *out, struct source_remark *remark, struct error *err)
{
	(void)s;
	if (gc_wait)
		strcpy(remark->note, "waited");
	if (!strcmp(id->name, "heap"))
		return say(out, "the heap");
	if (!strcmp(id->name, "mutex"))
		return describe(out);
	if (!strcmp(id->name, "threadcreate"))
		abort();
	if (!strcmp(id->name, "goroutine"))
		for (;;)
			pause();
	if (!strcmp(id->name, "a/b"))
		return say(out, "custom");
	say(out, "half of it");
	return error_set(err, ERR_IO, "'%s' cannot\n be had", id->name);
}

static int fake_waits(struct source *s, struct buffer *out, struct error *err)
{
	(void)s;
	(void)out;
	return error_set(err, ERR_LIMIT, "too many");
}

static int fake_trace(struct source *s, uint64_t duration_ns, struct buffer *out,
		      struct source_remark *remark, struct error *err)
{
	(void)s;
	(void)err;
	while (duration_ns > 1 && !finished)
		usleep(1000);
	remark->cut = true;
	return say(out, "trace");
}

static int fake_custom(struct source *s, struct buffer *names, struct error *err)
{
	(void)s;
	(void)err;
	return buffer_add(names, "a/b\0../c\0d", 11);
}

static int no_custom(struct source *s, struct buffer *names, struct error *err)
{
	(void)s;
	(void)names;
	(void)err;
	return 0;
}

static void fake_finish(struct source *s)
{
	(void)s;
	finished = 1;
}

static void fake_free(struct source *s)
{
	(void)s;
}

/* A source that reads memory: it needs descriptors, and counts its "block" profiles. */
static int kept[SOURCE_FDS] = { -1, -1, -1 };
static char remembered[16] = "0", told[16];

static int reader_profile(struct source *s, const struct goprofile_id *id, bool gc_wait,
			  struct buffer *out, struct source_remark *remark, struct error *err)
{
	char text[16] = "";

	(void)s;
	(void)gc_wait;
	(void)remark;
	(void)err;
	if (!strcmp(id->name, "mutex"))
		return describe(out);
	if (!strcmp(id->name, "threadcreate"))
		return socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(told, sizeof(told), "%d", atoi(remembered) + 1);
	if (kept[1] != -1 || pread(kept[0], text, 7, 0) != 7 || pread(kept[2], text, 7, 0) != 7)
		return say(out, "its descriptors are not there");
	return say(out, text);
}

static void reader_needs(struct source *s, struct source_needs *needs)
{
	(void)s;
	*needs = (struct source_needs){ .tracing = getpid(),
					.fds = { &kept[0], &kept[1], &kept[2] } };
}

static int reader_save(const struct source *s, struct buffer *out)
{
	(void)s;
	return say(out, told);
}

static void reader_load(struct source *s, const void *data, size_t size)
{
	(void)s;
	snprintf(remembered, sizeof(remembered), "%.*s", (int)size, (const char *)data);
}

static const struct source_ops reader_ops = { .profile = reader_profile,
					      .needs = reader_needs,
					      .save = reader_save,
					      .load = reader_load,
					      .free = fake_free };
static struct source reader = { &reader_ops };

static const struct source_ops fake_ops = { .profile = fake_profile,
					    .goroutine_waits = fake_waits,
					    .trace = fake_trace,
					    .custom = fake_custom,
					    .finish = fake_finish,
					    .free = fake_free };
static const struct source_ops bare_ops = { .profile = fake_profile,
					    .goroutine_waits = fake_waits,
					    .trace = fake_trace,
					    .custom = no_custom,
					    .finish = fake_finish,
					    .free = fake_free };
static struct source fake = { &fake_ops }, bare = { &bare_ops };

static struct collection *c;
static const struct collection_item *items;
static size_t count;
static struct error error;

static void start(struct source *s, struct collection_request q)
{
	cr_assert_eq(collection_start(&c, s, &q, NULL), 0);
}

static int wait_for_end(void)
{
	while (!collection_over(c)) {
		struct pollfd pf = { .fd = collection_fd(c), .events = POLLIN };

		poll(&pf, 1, 1000);
	}
	cr_assert_eq(collection_fd(c), -1);
	return collection_items(c, &items, &count, &error);
}

static int take(unsigned types)
{
	start(&fake, (struct collection_request){ .types = types, .trace_ns = 1 });
	return wait_for_end();
}

static bool holds(const struct collection_item *item, const char *text)
{
	return item->data && item->len == strlen(text) && !memcmp(item->data, text, item->len);
}

/* Neither a process nor a descriptor may be left. */
static void done(int fds)
{
	collection_free(c);
	cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
	cr_assert_eq(count_fds(), fds);
}

Test(collection, items)
{
	int fds = count_fds();

	cr_assert_eq(take(CAPTURE_BIT(CAPTURE_BLOCK) | CAPTURE_BIT(CAPTURE_ALLOC) |
			  CAPTURE_BIT(CAPTURE_INUSE) | CAPTURE_BIT(CAPTURE_GOROUTINEWAIT) |
			  CAPTURE_BIT(CAPTURE_TRACE)),
		     0);
	cr_assert_eq(count, 4);
	cr_assert(items[0].type == CAPTURE_TRACE && holds(&items[0], "trace") && items[0].cut);
	cr_assert(items[1].type == CAPTURE_HEAP && holds(&items[1], "the heap"));
	cr_assert(items[1].time_nanos > 1600000000000000000 && !items[1].note);
	cr_assert(items[2].type == CAPTURE_BLOCK && !items[2].data);
	cr_assert_str_eq(items[2].why_not, "'block' cannot? be had");
	cr_assert(items[3].type == CAPTURE_GOROUTINEWAIT && !strcmp(items[3].why_not, "too many"));
	done(fds);
}

Test(collection, custom_ones)
{
	cr_assert_eq(take(CAPTURE_BIT(CAPTURE_CUSTOM)), 0);
	cr_assert_eq(count, 3);
	cr_assert_str_eq(items[0].name, "a%2Fb");
	cr_assert(holds(&items[0], "custom"));
	cr_assert_str_eq(items[1].name, "..%2Fc");
	cr_assert(!items[1].data && items[1].why_not);
	cr_assert_str_eq(items[2].name, "d");
	cr_assert_str_eq(items[2].why_not, "'d' cannot? be had");
	collection_free(c);

	start(&bare, (struct collection_request){ .types = CAPTURE_BIT(CAPTURE_CUSTOM) });
	cr_assert(wait_for_end() == 0 && count == 1 && !*items[0].name && items[0].why_not);
	collection_free(c);
}

Test(collection, waiting_for_a_cycle)
{
	start(&fake, (struct collection_request){ .types = CAPTURE_BIT(CAPTURE_HEAP), .gc = true });
	cr_assert(wait_for_end() == 0 && !strcmp(items[0].note, "waited"));
	collection_free(c);
}

/* The child has the file and the pipe. Not counted are "." and "..", the folder that is read, and
 * the standard descriptors. */
Test(collection, nothing_of_ours_is_left_to_it)
{
	int secret = open("/etc/passwd", O_RDONLY);

	cr_assert_eq(take(CAPTURE_BIT(CAPTURE_MUTEX)), 0);
	cr_assert_eq(items[0].len, strlen("2 descriptors, no capability"));
	cr_assert(holds(&items[0], "2 descriptors, no capability"), "%.*s", (int)items[0].len,
		  (const char *)items[0].data);
	collection_free(c);
	close(secret);
}

static int memory_file(const char *text)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	cr_assert_eq(pwrite(fd, text, strlen(text), 0), strlen(text));
	return fd;
}

/* Its process parses untrusted bytes with privileges, so a system call that it does not need ends
 * it. */
Test(collection, a_reader_can_do_nothing_else)
{
	kept[0] = kept[2] = memory_file("a file\n");
	start(&reader, (struct collection_request){ .types = CAPTURE_BIT(CAPTURE_BLOCK) |
							     CAPTURE_BIT(CAPTURE_THREADCREATE) });
	cr_assert_eq(wait_for_end(), ERR_FORMAT);
	cr_assert_not_null(strstr(error.text, "Bad system call"), "%s", error.text);
	cr_assert_eq(count, 2);
	cr_assert(items[0].type == CAPTURE_BLOCK && items[0].data, "what it had before is there");
	cr_assert(items[1].type == CAPTURE_THREADCREATE && !items[1].data);
	collection_free(c);
}

/* Its descriptors stay, whether their numbers are below or above all others. */
Test(collection, what_the_source_needs_is_left_to_it)
{
	int high = memory_file("a file\n"), low;

	kept[0] = fcntl(high, F_DUPFD, 500);
	close(high);
	low = kept[2] = memory_file("a file\n");
	start(&reader, (struct collection_request){ .types = CAPTURE_BIT(CAPTURE_MUTEX) |
							     CAPTURE_BIT(CAPTURE_BLOCK) });
	cr_assert_eq(wait_for_end(), 0);
	cr_assert(holds(&items[0], "a file\n"), "%.*s", (int)items[0].len,
		  (const char *)items[0].data);
	/* Capabilities are kept only if we have some. */
	cr_assert(!strncmp((const char *)items[1].data, "4 descriptors", 13));
	cr_assert(geteuid() || holds(&items[1], "4 descriptors, capabilities"), "%.*s",
		  (int)items[1].len, (const char *)items[1].data);
	cr_assert(kept[0] >= 500 && kept[2] == low, "ours are where they were");
	collection_free(c);
}

Test(collection, a_memory_that_is_handed_on)
{
	for (int i = 1; i < 4; i++) {
		start(&reader, (struct collection_request){ .types = CAPTURE_BIT(CAPTURE_BLOCK) });
		cr_assert_eq(wait_for_end(), 0);
		collection_free(c);
		cr_assert_eq(atoi(remembered), i);
	}
}

Test(collection, one_that_dies)
{
	int fds = count_fds();

	cr_assert_eq(take(CAPTURE_BIT(CAPTURE_HEAP) | CAPTURE_BIT(CAPTURE_THREADCREATE) |
			  CAPTURE_BIT(CAPTURE_CUSTOM) | CAPTURE_BIT(CAPTURE_TRACE)),
		     ERR_FORMAT);
	cr_assert(count == 4 && holds(&items[0], "trace") && holds(&items[1], "the heap"));
	cr_assert(items[2].type == CAPTURE_THREADCREATE && strstr(items[2].why_not, "signal 6"));
	cr_assert(items[3].type == CAPTURE_CUSTOM && strstr(items[3].why_not, "signal 6"));
	cr_assert(strstr(error.text, "signal 6"));
	done(fds);
}

Test(collection, cancelled)
{
	int fds = count_fds();

	start(&fake, (struct collection_request){ .types = CAPTURE_BIT(CAPTURE_HEAP) |
							   CAPTURE_BIT(CAPTURE_GOROUTINE) });
	cr_assert_not(collection_over(c));
	collection_cancel(c, "enough");
	cr_assert(collection_over(c));
	cr_assert_eq(collection_items(c, &items, &count, NULL), 0);
	cr_assert(count == 2 && items[1].type == CAPTURE_GOROUTINE);
	cr_assert_str_eq(items[1].why_not, "enough");
	collection_cancel(c, "more than enough");
	cr_assert_str_eq(items[1].why_not, "enough");
	done(fds);
}

Test(collection, finished_early)
{
	start(&fake, (struct collection_request){ .types = CAPTURE_BIT(CAPTURE_TRACE) |
							   CAPTURE_BIT(CAPTURE_HEAP),
						  .trace_ns = UINT64_MAX });
	collection_finish(c);
	cr_assert(wait_for_end() == 0 && holds(&items[0], "trace") && holds(&items[1], "the heap"));
	collection_finish(c);
	collection_free(c);
	cr_assert_not(finished, "that was the other process");
}

/* A signal that a terminal sends to the process group does not end the child. The child does not
 * outlive us. */
Test(collection, signals_and_our_end)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		signal(SIGINT, SIG_IGN);
		start(&fake, (struct collection_request){ .types = CAPTURE_BIT(CAPTURE_TRACE),
							  .trace_ns = UINT64_MAX });
		usleep(20000);
		kill(0, SIGINT);
		usleep(20000);
		_exit(collection_over(c));
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
	while (!kill(-pid, 0))
		usleep(1000);
}

Test(collection, freed_while_it_runs)
{
	int fds = count_fds();

	start(&fake, (struct collection_request){ .types = CAPTURE_BIT(CAPTURE_GOROUTINE) });
	done(fds);
}

Test(collection, many)
{
	int fds = count_fds();

	for (int i = 0; i < 50; i++) {
		cr_assert_eq(take(CAPTURE_BIT(CAPTURE_HEAP)), 0);
		collection_free(c);
	}
	c = NULL;
	cr_assert_eq(count_fds(), fds);
}
