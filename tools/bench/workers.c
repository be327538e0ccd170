/*
 * Targets that count the work they do in FILE, in one slot for each thread, where the
 * bench can read it at any moment:
 *
 *   workers FILE busy THREADS           compute, a score of calls deep
 *   workers FILE idle THREADS BUSY MS   wait, each in one of five ways, for at
 *       most MS milliseconds at a time (0: for ever); BUSY more threads pass
 *       two tokens round through pipes and compute a little for each
 *
 * A slot has the steps made and the EINTRs seen. No signals are sent here, so that
 * every EINTR was caused by a profiler. Runs until killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
	THREADS_MAX = 20000,
	BUSY_MAX = 1000,
	DEPTH = 16,
	STEP = 1000, /* turns of a loop, about a microsecond */
	TOKENS = 2,
	TOKEN_STEPS = 20,
	STACK = 128 << 10,
};

/* A cache line, so that threads do not slow each other down by counting. */
struct slot {
	_Atomic uint64_t steps, interrupted;
	uint64_t unused[6];
};

struct worker {
	int number;
	struct slot *slot;
};

static struct worker workers[THREADS_MAX + BUSY_MAX];
static int ring[BUSY_MAX][2]; /* pipes; each busy thread reads its own */
static int busy, wait_ms;
static int silent_pipe[2], silent_socket[2], silent_epoll;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void add(_Atomic uint64_t *counter)
{
	uint64_t n = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, n + 1, memory_order_relaxed);
}

static void step(void)
{
	for (volatile int i = 0; i < STEP; i++)
		;
}

/* Busy threads. */

__attribute__((noinline)) static void count(struct slot *slot)
{
	/* Until the counter is full: for ever. */
	while (atomic_load_explicit(&slot->steps, memory_order_relaxed) != UINT64_MAX) {
		step();
		add(&slot->steps);
	}
}

__attribute__((noinline)) static int descend(struct slot *slot, int depth)
{
	volatile int here = depth;

	if (depth)
		here += descend(slot, depth - 1);
	else
		count(slot);
	return here;
}

static void *compute(void *arg)
{
	descend(((struct worker *)arg)->slot, DEPTH);
	return arg;
}

static void *hand_on(void *arg)
{
	struct worker *w = arg;
	char token;

	for (;;) {
		if (read(ring[w->number][0], &token, 1) != 1) {
			if (errno == EINTR)
				add(&w->slot->interrupted);
			continue;
		}
		for (int i = 0; i < TOKEN_STEPS; i++)
			step();
		add(&w->slot->steps);
		if (write(ring[(w->number + 1) % busy][1], &token, 1) != 1)
			_exit(1);
	}
	return arg;
}

/* Idle threads. */

static int wait_for_condition(void)
{
	struct timespec until;

	pthread_mutex_lock(&mutex);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += wait_ms / 1000 + 1;
	if (wait_ms)
		pthread_cond_timedwait(&never, &mutex, &until);
	else
		pthread_cond_wait(&never, &mutex);
	pthread_mutex_unlock(&mutex);
	return 0;
}

static int wait_once(int way)
{
	struct epoll_event event;
	char byte;

	switch (way) {
	case 0:
		return epoll_wait(silent_epoll, &event, 1, wait_ms ? wait_ms : -1);
	case 1:
		return poll(NULL, 0, wait_ms ? wait_ms : -1);
	case 2:
		return (int)recv(silent_socket[0], &byte, 1, 0);
	case 3:
		return wait_for_condition();
	default:
		return (int)read(silent_pipe[0], &byte, 1);
	}
}

static void *wait_for_ever(void *arg)
{
	struct worker *w = arg;

	for (;;)
		if (wait_once(w->number % 5) < 0 && errno == EINTR)
			add(&w->slot->interrupted);
	return arg;
}

/* With a receive timeout, recv fails with EINTR if it is interrupted (signal(7)). */
static int prepare_waits(void)
{
	struct timeval tv = { wait_ms / 1000, wait_ms % 1000 * 1000 };
	struct epoll_event event = { .events = EPOLLIN };

	silent_epoll = epoll_create1(0);
	if (silent_epoll < 0 || pipe(silent_pipe) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, silent_socket))
		return -1;
	if (setsockopt(silent_socket[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)))
		return -1;
	return epoll_ctl(silent_epoll, EPOLL_CTL_ADD, silent_pipe[0], &event);
}

static int prepare_ring(void)
{
	for (int i = 0; i < busy; i++)
		if (pipe(ring[i]))
			return -1;
	for (int i = 0; i < TOKENS && i < busy; i++)
		if (write(ring[i * busy / TOKENS][1], "", 1) != 1)
			return -1;
	return 0;
}

static struct slot *map_slots(const char *path, size_t n)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *slots = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, (off_t)(n * sizeof(struct slot))) == 0)
		slots = mmap(NULL, n * sizeof(struct slot), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     0);
	close(fd);
	return slots == MAP_FAILED ? NULL : slots;
}

static int start(struct worker *w, int number, struct slot *slot, void *(*run)(void *))
{
	pthread_attr_t attr;
	pthread_t thread;

	*w = (struct worker){ number, slot };
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	return pthread_create(&thread, &attr, run, w);
}

int main(int argc, char **argv)
{
	bool idle = argc == 6 && strcmp(argv[2], "idle") == 0;
	int threads = argc >= 4 ? atoi(argv[3]) : 0;
	struct slot *slots;

	if (threads < 1 || threads > THREADS_MAX ||
	    !(idle || (argc == 4 && strcmp(argv[2], "busy") == 0)))
		return 2;
	busy = idle ? atoi(argv[4]) : 0;
	wait_ms = idle ? atoi(argv[5]) : 0;
	if (busy < 0 || busy > BUSY_MAX || wait_ms < 0)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	slots = map_slots(argv[1], (size_t)(threads + busy));
	if (!slots || prepare_waits() || prepare_ring())
		return 1;
	for (int i = 0; i < threads; i++)
		if (start(&workers[i], i, &slots[i], idle ? wait_for_ever : compute))
			return 1;
	for (int i = 0; i < busy; i++)
		if (start(&workers[threads + i], i, &slots[threads + i], hand_on))
			return 1;
	for (;;)
		pause();
}
