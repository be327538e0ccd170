/*
 * Makes calls that, if interrupted, return what they have done so far instead of an error:
 *
 *   cutshort FILE
 *
 * Each of a few threads makes one such call again and again and counts, in a slot
 * of FILE, how often it was made, came back short, and failed. No signals are sent
 * here, so that a call comes back short or fails only because of a profiler. Runs until
 * killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LARGE = 1 << 20, PIECE = 8000, PART = 64 << 10, TURNS = 2000, PAUSE_US = 100 };

/* In the order of CUT_SHORT in tools/bench/run. */
enum way { WRITE_PIPE, SEND_SOCKET, SENDFILE_SOCKET, RECV_WAITALL, GETRANDOM, WAYS };

struct slot {
	_Atomic uint64_t calls, shortened, failed;
	uint64_t unused[5];
};

struct caller {
	enum way way;
	struct slot *slot;
	int fd[2]; /* the call uses [1], or [0] to receive; a helper thread has the other end */
	char *bytes;
};

static struct caller callers[WAYS];
static int file;

static void add(_Atomic uint64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static ssize_t call(struct caller *c, ssize_t *want)
{
	off_t start = 0;

	*want = LARGE;
	switch (c->way) {
	case WRITE_PIPE:
		return write(c->fd[1], c->bytes, LARGE);
	case SEND_SOCKET:
		return send(c->fd[1], c->bytes, LARGE, 0);
	case SENDFILE_SOCKET:
		return sendfile(c->fd[1], file, &start, LARGE);
	case RECV_WAITALL:
		*want = PART;
		return recv(c->fd[0], c->bytes, PART, MSG_WAITALL);
	default:
		return getrandom(c->bytes, LARGE, 0);
	}
}

static void *call_for_ever(void *arg)
{
	struct caller *c = arg;

	for (;;) {
		ssize_t want, got = call(c, &want);

		add(&c->slot->calls);
		if (got < 0)
			add(&c->slot->failed);
		else if (got < want)
			add(&c->slot->shortened);
	}
	return arg;
}

/* Reads more slowly than the caller sends, so that the caller blocks. */
static void *drain(void *arg)
{
	struct caller *c = arg;
	char bytes[PIECE];

	while (read(c->fd[0], bytes, sizeof(bytes)) >= 0 || errno == EINTR)
		for (volatile int i = 0; i < TURNS; i++)
			;
	return arg;
}

static void *trickle(void *arg)
{
	struct caller *c = arg;
	char bytes[PIECE] = { 0 };

	while (send(c->fd[1], bytes, sizeof(bytes), 0) >= 0 || errno == EINTR)
		usleep(PAUSE_US);
	return arg;
}

static int start(struct caller *c)
{
	void *(*helper)(void *) = c->way == RECV_WAITALL ? trickle : drain;
	pthread_t thread;

	c->bytes = calloc(1, LARGE);
	if (!c->bytes ||
	    (c->way == WRITE_PIPE ? pipe(c->fd) : socketpair(AF_UNIX, SOCK_STREAM, 0, c->fd)))
		return -1;
	if (c->way != GETRANDOM && pthread_create(&thread, NULL, helper, c))
		return -1;
	return pthread_create(&thread, NULL, call_for_ever, c);
}

int main(int argc, char **argv)
{
	struct slot *slots;
	int fd;

	if (argc != 2)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	file = memfd_create("cutshort", MFD_CLOEXEC);
	if (fd < 0 || file < 0 || ftruncate(fd, WAYS * sizeof(*slots)) || ftruncate(file, LARGE))
		return 1;
	slots = mmap(NULL, WAYS * sizeof(*slots), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (slots == MAP_FAILED)
		return 1;
	for (int way = 0; way < WAYS; way++) {
		callers[way] = (struct caller){ .way = (enum way)way, .slot = &slots[way] };
		if (start(&callers[way]))
			return 1;
	}
	for (;;)
		pause();
}
