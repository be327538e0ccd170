/*
 * The files are fetched by a process of their own (debuginfod.h does the fetching), so that neither
 * libdebuginfod nor libcurl is ever in our process. The fetching process passes descriptors, not
 * paths: we open nothing that it names.
 *
 * Rejected: libdwfl, which uses the network whenever the environment says so, even if it was not
 * requested here.
 */
#include "sampler/profile/fetching.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/amount.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "sampler/child/bound.h"
#include "sampler/child/priority.h"
#include "sampler/child/privilege.h"
#include "sampler/child/sandbox.h"
#include "sampler/member/member.h"
#include "sampler/profile/debuginfod.h"
#include "sampler/recorded/recorded.h"
#include "symbolize/files/debugfile.h"

enum {
	SURVEY_CPU_S = 60,
	SURVEY_BYTES = 1 << 30,
	PROGRESS_MS = 100,
};

struct fetching {
	struct image *const *images;
	size_t image_count;
	uint8_t *wanted; /* by image id; shared with the survey */
	int *fds;	 /* by image id, -1 for none */
	struct fetching_stats stats;
};

struct survey {
	struct fetching *f;
	const struct recorded *recorded;
};

enum message_kind { MESSAGE_PROGRESS, MESSAGE_GOT, MESSAGE_FAILED, MESSAGE_NO_CLIENT };

struct message {
	enum message_kind kind;
	uint32_t image;
	int64_t done, all; /* bytes so far, of how many */
	char why[160];	   /* of a failure */
};

/* The survey. */

static int look_around(void *ctx)
{
	const struct survey *s = ctx;
	const struct modmap *maps = s->recorded->members[0]->maps;
	const struct stackset *stacks = &s->recorded->stacks;
	uint8_t *met = calloc(s->f->image_count + 1, 1);

	if (!met)
		return 1;
	for (size_t i = 0; i < stacks->frame_count; i++) {
		const struct image *image = stacks->frames[i].image;

		if (image && image_id(image) < s->f->image_count)
			met[image_id(image)] = 1;
	}
	for (size_t i = 0; i < s->f->image_count; i++) {
		const struct image *image = s->f->images[i];

		s->f->wanted[i] = met[i] && image_elf(image) && *image_build_id(image) &&
				  !debugfile_exists(image, modmap_owner(maps, image));
	}
	free(met);
	return 0;
}

/* Finds the images that need a file. It reads the target's ELF files, so it runs in the sandbox. */
static void fetching_survey(struct fetching *f, const struct recorded *recorded)
{
	struct survey s = { f, recorded };
	struct sandbox box = {
		.writable_fd = -1, .memory_bytes = SURVEY_BYTES, .cpu_s = SURVEY_CPU_S, .ctx = &s
	};
	struct sandbox_end end;

	if (sandbox_run(&box, look_around, &end, NULL) || end.status)
		snprintf(f->stats.problem, sizeof(f->stats.problem),
			 "finding out what is missing failed");
	for (size_t i = 0; i < f->image_count; i++)
		f->stats.wanted += f->wanted[i] != 0;
}

/* The process that fetches. */

/* For the callback, which is passed no argument of ours. */
static struct {
	int fd;
	uint32_t image;
	uint64_t said_ns;
} fetch;

static void send_message(const struct message *m, int passed)
{
	struct iovec iov = { (void *)m, sizeof(*m) };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (passed >= 0) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = sizeof(control.bytes);
		control.align = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
						  .cmsg_level = SOL_SOCKET,
						  .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.align), &passed, sizeof(passed));
	}
	if (sendmsg(fetch.fd, &msg, MSG_NOSIGNAL) < 0)
		_exit(1);
}

static void fetching_say(enum message_kind kind, int64_t done, int64_t all)
{
	send_message(&(struct message){ kind, fetch.image, done, all, "" }, -1);
}

static void fetching_on_progress(int64_t done, int64_t all)
{
	uint64_t now = monotonic_ns();

	if (now - fetch.said_ns >= PROGRESS_MS * 1000000ull) {
		fetch.said_ns = now;
		fetching_say(MESSAGE_PROGRESS, done, all);
	}
}

/* Closes all our descriptors but the socket. What the library prints goes to /dev/null. */
static void keep_one(int socket)
{
	int null = open_null();

	for (int i = 0; i <= 2; i++)
		if (null != i)
			dup2(null, i);
	fetch.fd = dup2(socket, 3);
	close_from(4);
}

static void fetch_one(struct debuginfod *d, const char *build_id)
{
	struct message m = { .image = fetch.image };
	int fd;

	fetching_say(MESSAGE_PROGRESS, 0, 0);
	fd = debuginfod_fetch(d, build_id, m.why, sizeof(m.why));
	m.kind = fd >= 0 ? MESSAGE_GOT : MESSAGE_FAILED;
	send_message(&m, fd);
	descriptor_close(&fd);
}

static void fetch_all(const struct fetching *f)
{
	struct message none = { .kind = MESSAGE_NO_CLIENT };
	struct debuginfod *d = debuginfod_new(fetching_on_progress, none.why, sizeof(none.why));

	if (!d) {
		send_message(&none, -1);
		return;
	}
	for (uint32_t i = 0; i < f->image_count; i++) {
		fetch.image = i;
		if (f->wanted[i])
			fetch_one(d, image_build_id(f->images[i]));
	}
	debuginfod_free(d);
}

static void fetching_run_child(const struct fetching *f, int socket)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };

	calm(0);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], SIG_DFL);
	unblock_signals();
	privilege_drop_all();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	keep_one(socket);
	fetch_all(f);
	_exit(0);
}

/* Our side. */

static int passed_fd(struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static void keep_fd(struct fetching *f, uint32_t image, int fd)
{
	struct stat st;

	if (fd < 0)
		return;
	if (f->fds[image] >= 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return;
	}
	f->fds[image] = fd;
	f->stats.got++;
}

/* The first reason stays. */
static void note_failure(struct fetching *f, struct message *m)
{
	m->why[sizeof(m->why) - 1] = '\0';
	if (m->kind == MESSAGE_NO_CLIENT)
		snprintf(f->stats.problem, sizeof(f->stats.problem), "%s", m->why);
	else if (!*f->stats.problem)
		snprintf(f->stats.problem, sizeof(f->stats.problem), "'%.80s': %s",
			 image_name(f->images[m->image]), m->why);
	printable(f->stats.problem, sizeof(f->stats.problem));
}

static void fetching_show(const struct fetching *f, const struct message *m,
			  fetching_progress *progress, void *ctx)
{
	char line[320], size[64] = "";

	if (m->done > 4096) /* smaller numbers are steps, not bytes */
		snprintf(size, sizeof(size), m->all > m->done ? ", %s of %s" : ", %s",
			 shown_bytes(m->done), shown_bytes(m->all));
	snprintf(line, sizeof(line), "fetching debug information: %u of %u, '%.128s'%s",
		 f->stats.got + 1, f->stats.wanted, image_name(f->images[m->image]), size);
	printable(line, sizeof(line));
	if (progress)
		progress(ctx, line);
}

/* False when there is nothing more to come. */
static bool fetching_receive(struct fetching *f, int socket, fetching_progress *progress, void *ctx)
{
	struct message m;
	struct iovec iov = { &m, sizeof(m) };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.bytes,
			      .msg_controllen = sizeof(control.bytes) };
	ssize_t n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	int fd = n > 0 ? passed_fd(&msg) : -1;

	if (n < 0)
		return errno == EINTR;
	if (n != sizeof(m) || m.image >= f->image_count) {
		descriptor_close(&fd);
		return false;
	}
	keep_fd(f, m.image, fd);
	if (m.kind == MESSAGE_FAILED || m.kind == MESSAGE_NO_CLIENT)
		note_failure(f, &m);
	if (m.kind == MESSAGE_PROGRESS)
		fetching_show(f, &m, progress, ctx);
	return true;
}

static void listen_until(struct fetching *f, int socket, uint64_t until,
			 fetching_progress *progress, void *ctx)
{
	struct pollfd pf = { .fd = socket, .events = POLLIN };
	uint64_t now;

	while ((now = monotonic_ns()) < until) {
		if (poll(&pf, 1, (int)((until - now) / 1000000) + 1) > 0 &&
		    !fetching_receive(f, socket, progress, ctx))
			return;
	}
	snprintf(f->stats.problem, sizeof(f->stats.problem), "time was up before all were fetched");
}

static int run_process(struct fetching *f, uint64_t until, fetching_progress *progress, void *ctx,
		       struct error *err)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return error_errno(err, ERR_IO, "cannot fetch debug information");
	pid = fork_bound(SIGKILL);
	if (!pid)
		fetching_run_child(f, pair[1]);
	close(pair[1]);
	if (pid > 0)
		listen_until(f, pair[0], until, progress, ctx);
	close(pair[0]);
	if (pid < 0)
		return error_errno(err, ERR_IO, "cannot make a process");
	kill(pid, SIGKILL);
	await_child(pid, 0);
	return 0;
}

static int fetching_make(struct fetching *f, const struct recorded *recorded)
{
	f->images = modmap_images(recorded->members[0]->maps, &f->image_count);
	f->wanted = sandbox_share(f->image_count + 1);
	f->fds = calloc(f->image_count + 1, sizeof(*f->fds));
	if (!f->wanted || !f->fds)
		return ERR_NOMEM;
	for (size_t i = 0; i < f->image_count; i++)
		f->fds[i] = -1;
	return 0;
}

int fetching_run(struct fetching **out, const struct recorded *recorded, uint64_t timeout_ns,
		 fetching_progress *progress, void *ctx, struct error *err)
{
	uint64_t until = monotonic_ns() + timeout_ns;
	struct fetching *f = calloc(1, sizeof(*f));

	if (!f || fetching_make(f, recorded)) {
		fetching_free(f);
		return error_nomem(err);
	}
	*out = f;
	fetching_survey(f, recorded);
	return f->stats.wanted ? run_process(f, until, progress, ctx, err) : 0;
}

void fetching_free(struct fetching *f)
{
	if (!f)
		return;
	for (size_t i = 0; f->fds && i < f->image_count; i++)
		descriptor_close(&f->fds[i]);
	free(f->fds);
	sandbox_unshare(f->wanted, f->image_count + 1);
	free(f);
}

int fetching_fd(const struct fetching *f, const struct image *image)
{
	return f && image_id(image) < f->image_count ? f->fds[image_id(image)] : -1;
}

const struct fetching_stats *fetching_stats(const struct fetching *f)
{
	return &f->stats;
}
