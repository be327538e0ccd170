/* The calls that wait, from their man pages, sections "SYNOPSIS" and "DESCRIPTION". A call that is
 * not listed waits on nothing that is known: splice(2) for input or for room. */
#include "sampler/awaited/waitcall.h"

#include <fcntl.h>
#include <linux/wait.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "sampler/thread/taskfiles.h"

/* clang-format off */
static const struct waitcall_row {
	long number;
	enum wait_on on;
	int fd; /* argument that is the descriptor; -1: none */
} waitcall_rows[] = {
	{ SYS_read, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_readv, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_pread64, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_preadv, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_preadv2, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_recvfrom, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_recvmsg, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_recvmmsg, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_accept, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_accept4, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_mq_timedreceive, WAIT_ON_QUEUE, 0 },
	{ SYS_fsync, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_fdatasync, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_sync_file_range, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_syncfs, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_fallocate, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_ftruncate, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_fstat, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_getdents64, WAIT_ON_DESCRIPTOR, 0 },
	{ SYS_connect, WAIT_ON_ROOM, 0 },
	{ SYS_write, WAIT_ON_ROOM, 0 },
	{ SYS_writev, WAIT_ON_ROOM, 0 },
	{ SYS_pwrite64, WAIT_ON_ROOM, 0 },
	{ SYS_pwritev, WAIT_ON_ROOM, 0 },
	{ SYS_pwritev2, WAIT_ON_ROOM, 0 },
	{ SYS_sendto, WAIT_ON_ROOM, 0 },
	{ SYS_sendmsg, WAIT_ON_ROOM, 0 },
	{ SYS_sendmmsg, WAIT_ON_ROOM, 0 },
	{ SYS_sendfile, WAIT_ON_ROOM, 0 },
	{ SYS_mq_timedsend, WAIT_ON_QUEUE, 0 },
	{ SYS_vmsplice, WAIT_ON_ROOM, 0 },
	{ SYS_epoll_pwait, WAIT_ON_EPOLL, 0 },
	{ SYS_ppoll, WAIT_ON_POLL, -1 },
	{ SYS_pselect6, WAIT_ON_SELECT, -1 },
	{ SYS_wait4, WAIT_ON_CHILD, -1 },
	{ SYS_waitid, WAIT_ON_CHILD, -1 },
	{ SYS_flock, WAIT_ON_FILE_LOCK, 0 },
	{ SYS_fcntl, WAIT_ON_FILE_LOCK, 0 },
	{ SYS_rt_sigtimedwait, WAIT_ON_SIGNAL, -1 },
	{ SYS_rt_sigsuspend, WAIT_ON_SIGNAL, -1 },
	{ SYS_msgrcv, WAIT_ON_MESSAGE, -1 },
	{ SYS_msgsnd, WAIT_ON_MESSAGE, -1 },
	{ SYS_semop, WAIT_ON_SEMAPHORE, -1 },
	{ SYS_semtimedop, WAIT_ON_SEMAPHORE, -1 },
	{ SYS_nanosleep, WAIT_ON_TIME, -1 },
	{ SYS_clock_nanosleep, WAIT_ON_TIME, -1 },
	{ SYS_io_uring_enter, WAIT_ON_RING, 0 },
#ifdef SYS_epoll_pwait2
	{ SYS_epoll_pwait2, WAIT_ON_EPOLL, 0 },
#endif
#ifdef SYS_epoll_wait
	{ SYS_epoll_wait, WAIT_ON_EPOLL, 0 },
	{ SYS_poll, WAIT_ON_POLL, -1 },
	{ SYS_select, WAIT_ON_SELECT, -1 },
	{ SYS_pause, WAIT_ON_SIGNAL, -1 },
#endif
};
/* clang-format on */

/* Of a process group, any child. */
static uint64_t waitcall_child(const struct call *call)
{
	if (call->number == SYS_waitid)
		return call->args[0] == P_PID ? (uint32_t)call->args[1] : 0;
	return (int32_t)call->args[0] > 0 ? (uint32_t)call->args[0] : 0;
}

static void waitcall_fill(struct waitcall *w, const struct call *call)
{
	bool clock = call->number == SYS_clock_nanosleep;

	w->posix = call->number == SYS_fcntl && call->args[1] == F_SETLKW;
	w->ofd = call->number == SYS_fcntl && call->args[1] == F_OFD_SETLKW;
	if (w->on == WAIT_ON_CHILD)
		w->id = waitcall_child(call);
	if (w->on == WAIT_ON_MESSAGE || w->on == WAIT_ON_SEMAPHORE)
		w->id = call->args[0];
	if (w->on == WAIT_ON_POLL) {
		w->memory = call->args[0];
		w->count = (uint32_t)call->args[1];
	}
	if (w->on == WAIT_ON_SELECT) {
		memcpy(w->sets, &call->args[1], sizeof(w->sets));
		w->count = (uint32_t)call->args[0];
	}
	if (w->on == WAIT_ON_TIME && !(clock && (call->args[1] & TIMER_ABSTIME)))
		w->memory = call->args[clock ? 2 : 0];
}

/* Of fcntl(2) two operations wait. */
static bool waitcall_is_other(const struct call *call)
{
	return call->number == SYS_fcntl && call->args[1] != F_SETLKW &&
	       call->args[1] != F_OFD_SETLKW;
}

struct waitcall waitcall_of(const struct call *call)
{
	struct waitcall w = { .fd = -1 };

	for (size_t i = 0; i < sizeof(waitcall_rows) / sizeof(*waitcall_rows); i++)
		if (waitcall_rows[i].number == call->number && !waitcall_is_other(call)) {
			w.on = waitcall_rows[i].on;
			w.fd = waitcall_rows[i].fd < 0 ? -1 : (int)call->args[waitcall_rows[i].fd];
			w.listens = call->number == SYS_accept || call->number == SYS_accept4;
			waitcall_fill(&w, call);
			break;
		}
	return w;
}
