/*
 * The file in memory is sealed when its process has ended: then nobody can shorten it while we
 * have it mapped (SIGBUS), nor change what was looked at already, and it need not be copied.
 * That the process has ended is seen by a pipe of which it holds the other end: that works on
 * any kernel, and whoever waits for other things can wait for it too.
 */
#include "rounds/collection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "rounds/collected.h"
#include "rounds/customname.h"
#include "rounds/source.h"
#include "sampler/clock.h"
#include "sampler/privilege.h"

enum {
	HEAP_TYPES = CAPTURE_BIT(CAPTURE_HEAP) | CAPTURE_BIT(CAPTURE_ALLOCS) |
		     CAPTURE_BIT(CAPTURE_INUSE) | CAPTURE_BIT(CAPTURE_ALLOC),
	CPU_S = 600, /* a source that runs wild */
	WORDS = 1 << 20, /* what may stand in the file besides profiles */
};

struct collection {
	unsigned types; /* of items: heap for all of the heap's */
	pid_t pid;	/* 0: it has ended */
	int file, pipe;
	uint8_t *map;
	size_t map_len;
	struct collected found;
	char why[256]; /* what is not there is not there because of that */
	int rc;
	struct error error;
};

/* The child's side. */

struct collecting {
	struct source *source;
	const struct collection_request *request;
	int file;
	uint64_t written; /* bytes of profiles */
	struct buffer data;
};

static struct source *finishing; /* for the handler */

static void on_term(int sig)
{
	(void)sig;
	source_finish(finishing);
}

/* Our parent's handlers are not ours. The terminal's and a service manager's signals reach all
 * of us, but when to end is for it to say. */
static void set_signals(struct source *s)
{
	static const int ignored[] = { SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM,
				       SIGWINCH };
	struct sigaction term = { .sa_handler = on_term, .sa_flags = SA_RESTART };
	sigset_t none;

	finishing = s;
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigaction(SIGTERM, &term, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void set_bounds(void)
{
	struct rlimit cpu = { CPU_S, CPU_S }, none = { 0, 0 };
	struct rlimit file = { (rlim_t)COLLECTION_BYTES + WORDS, (rlim_t)COLLECTION_BYTES + WORDS };

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &file);
}

/* Nothing of ours stays open but the two, and what a library says is not for the terminal. */
static void keep_two(int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a, null = open("/dev/null", O_RDWR);

	for (int i = 0; i <= 2; i++)
		if (null >= 0 && null != i)
			dup2(null, i);
	if (low > 3)
		close_range(3, (unsigned)low - 1, 0);
	if (high > low + 1)
		close_range((unsigned)low + 1, (unsigned)high - 1, 0);
	close_range((unsigned)high + 1, ~0u, 0);
}

static void put(struct collecting *c, struct collection_item *item)
{
	item->time_nanos = (int64_t)clock_ns(CLOCK_REALTIME);
	if (collected_write(c->file, item, NULL))
		_exit(1);
}

/* `rc` and `err` say what came of it. */
static void put_result(struct collecting *c, struct collection_item *item, int rc,
		       const struct source_remark *remark, struct error *err)
{
	if (!rc && c->data.len > COLLECTION_BYTES - c->written)
		rc = error_set(err, ERR_LIMIT, "the profiles of one round have more than %d MiB",
			       COLLECTION_BYTES >> 20);
	item->note = *remark->note ? remark->note : NULL;
	if (rc) {
		item->why_not = err->text;
	} else {
		item->data = c->data.data;
		item->len = c->data.len;
		item->cut = remark->cut;
		c->written += c->data.len;
	}
	put(c, item);
}

static void collect_custom(struct collecting *c, const char *name)
{
	struct collection_item item = { .type = CAPTURE_CUSTOM };
	char encoded[CUSTOMNAME_MAX + 1];
	struct source_remark remark = { 0 };
	struct error err = { 0 };
	int rc = 0;

	if (!customname_encode(name, encoded))
		rc = error_set(&err, ERR_LIMIT, "a profile's name is too long, or no URL can hold it: "
			       "'%.80s'", encoded);
	item.name = encoded;
	c->data.len = 0;
	rc = rc ? rc : source_profile(c->source, name, false, &c->data, &remark, &err);
	put_result(c, &item, rc, &remark, &err);
}

static void collect_customs(struct collecting *c)
{
	struct collection_item none = { .type = CAPTURE_CUSTOM, .name = "" };
	struct buffer names = { 0 };
	struct error err = { 0 };
	int rc = source_custom(c->source, &names, &err);

	if (rc)
		none.why_not = err.text;
	else if (!names.len)
		none.why_not = "the program has registered none";
	if (none.why_not)
		put(c, &none);
	for (size_t at = 0; !rc && at < names.len; at += strlen((char *)names.data + at) + 1)
		collect_custom(c, (const char *)names.data + at);
	buffer_release(&names);
}

static void collect_one(struct collecting *c, enum capture_type type)
{
	struct collection_item item = { .type = type };
	struct source_remark remark = { 0 };
	struct error err = { 0 };
	int rc;

	c->data.len = 0;
	if (type == CAPTURE_GOROUTINEWAIT)
		rc = source_goroutine_waits(c->source, &c->data, &err);
	else if (type == CAPTURE_TRACE)
		rc = source_trace(c->source, c->request->trace_ns, &c->data, &remark, &err);
	else
		rc = source_profile(c->source, captures[type].go_profile, c->request->gc, &c->data,
				    &remark, &err);
	put_result(c, &item, rc, &remark, &err);
}

static void collect_all(struct collecting *c, unsigned types)
{
	for (int i = 0; i < CAPTURE_TYPES; i++) {
		if (!(types & CAPTURE_BIT(i)))
			continue;
		if (i == CAPTURE_CUSTOM)
			collect_customs(c);
		else
			collect_one(c, (enum capture_type)i);
	}
	if (collected_write_end(c->file, NULL))
		_exit(1);
}

static void run_child(struct collecting *c, unsigned types, int pipe, pid_t parent)
{
	privilege_drop_all();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	keep_two(c->file, pipe);
	set_bounds();
	set_signals(c->source);
	collect_all(c, types);
	_exit(0);
}

/* Our side. */

/* The child puts /dev/null into the places of the standard descriptors. */
static int above_standard(int fd)
{
	int above = fd < 0 || fd > 2 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (above != fd)
		close(fd);
	return above;
}

/* A signal that came before the child has its own handler would be handled as ours. */
static pid_t fork_child(struct collecting *work, unsigned types, int pipe)
{
	pid_t self = getpid(), pid;
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (!pid)
		run_child(work, types, pipe, self);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static int start(struct collection *c, struct source *s, const struct collection_request *q,
		 struct error *err)
{
	struct collecting work = { .source = s, .request = q };
	int ends[2], other;

	if (pipe2(ends, O_CLOEXEC))
		return error_errno(err, ERR_IO, "cannot make a pipe");
	c->pipe = ends[0];
	other = above_standard(ends[1]);
	c->file = above_standard(memfd_create("sampler-collection", MFD_CLOEXEC | MFD_ALLOW_SEALING));
	work.file = c->file;
	if (c->file >= 0 && other >= 0)
		c->pid = fork_child(&work, c->types, other);
	if (other >= 0)
		close(other);
	if (c->pid > 0)
		return 0;
	c->pid = 0;
	return error_errno(err, ERR_IO, "cannot make a process that collects");
}

int collection_start(struct collection **out, struct source *s, const struct collection_request *q,
		     struct error *err)
{
	struct collection *c = calloc(1, sizeof(*c));
	int rc;

	*out = NULL;
	if (!c)
		return error_set(err, ERR_NOMEM, "out of memory");
	c->file = c->pipe = -1;
	c->types = q->types & ~HEAP_TYPES;
	if (q->types & HEAP_TYPES)
		c->types |= CAPTURE_BIT(CAPTURE_HEAP);
	rc = start(c, s, q, err);
	if (rc)
		collection_free(c);
	else
		*out = c;
	return rc;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int map_file(struct collection *c, struct error *err)
{
	struct stat st;

	if (fcntl(c->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) ||
	    fstat(c->file, &st))
		return error_errno(err, ERR_IO, "cannot seal what was collected");
	if (!st.st_size)
		return 0;
	c->map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, c->file, 0);
	if (c->map == MAP_FAILED) {
		c->map = NULL;
		return error_errno(err, ERR_NOMEM, "cannot map what was collected");
	}
	c->map_len = (size_t)st.st_size;
	return 0;
}

/* In words, how its process ended; NULL when there is nothing to be said. */
static const char *death(int status, char *text, size_t room)
{
	if (WIFSIGNALED(status))
		snprintf(text, room, "the process that collects was ended by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(text, room, "the process that collects had no memory for them");
	else
		return NULL;
	return text;
}

static void read_found(struct collection *c)
{
	const char *why = *c->why ? c->why : "the process that collects broke off";

	c->rc = map_file(c, &c->error);
	if (!c->rc && c->map)
		c->rc = collected_read(&c->found, c->map, c->map_len, c->types, &c->error);
	if (!c->rc && !c->found.whole)
		c->rc = error_set(&c->error, ERR_FORMAT, "%s", why);
	if (c->rc != ERR_NOMEM && collected_fill(&c->found, c->types, why))
		c->rc = error_set(&c->error, ERR_NOMEM, "out of memory");
}

/* The pipe may have been closed by one that lives on. `kills`: it is we who end it. */
static void conclude(struct collection *c, bool kills)
{
	int status = 0;

	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
	if (!kills)
		death(status, c->why, sizeof(c->why));
	close_fd(&c->pipe);
	read_found(c);
	close_fd(&c->file);
}

int collection_fd(const struct collection *c)
{
	return c->pipe;
}

bool collection_over(struct collection *c)
{
	struct pollfd pf = { .fd = c->pipe, .events = POLLIN };

	if (c->pid && poll(&pf, 1, 0) > 0)
		conclude(c, false);
	return !c->pid;
}

void collection_finish(struct collection *c)
{
	if (c->pid)
		kill(c->pid, SIGTERM);
}

void collection_cancel(struct collection *c, const char *why)
{
	if (!c->pid)
		return;
	snprintf(c->why, sizeof(c->why), "%s", why);
	conclude(c, true);
	if (c->rc == ERR_FORMAT && !c->found.whole)
		c->rc = 0;
}

int collection_items(struct collection *c, const struct collection_item **items, size_t *count,
		     struct error *err)
{
	*items = c->found.items;
	*count = c->found.count;
	return c->rc ? error_set(err, c->rc, "%s", c->error.text) : 0;
}

void collection_free(struct collection *c)
{
	if (!c)
		return;
	collection_cancel(c, "");
	close_fd(&c->pipe);
	close_fd(&c->file);
	if (c->map)
		munmap(c->map, c->map_len);
	collected_release(&c->found);
	free(c);
}
