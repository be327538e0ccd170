/* Texts of /proc, and which call waits on what. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/buffer.h"
#include "base/error.h"
#include "sampler/awaited/ends.h"
#include "sampler/awaited/eventset.h"
#include "sampler/awaited/filelocks.h"
#include "sampler/awaited/since.h"
#include "sampler/awaited/sockets.h"
#include "sampler/awaited/waitcall.h"
#include "sampler/thread/taskfiles.h"

static const char tcp[] =
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1 0 100\n"
	"   1: 0100007F:1F90 0100007F:C001 01 00000005:00000007 01:00000019 00000003     0        0 13 1 0 20\n"
	"   2: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 14 1 0 20\n"
	"   3: broken\n";

static struct socket_table table(void)
{
	struct socket_table t = { 0 };

	cr_assert_eq(sockets_parse(&t, tcp, strlen(tcp), true, false), 0);
	return t;
}

static const char *shown(const struct socket *s, const struct socket_address *at)
{
	static char text[64];
	struct buffer b = { 0 };

	cr_assert_eq(sockets_print(s, at, &b), 0);
	snprintf(text, sizeof(text), "%.*s", (int)b.len, (const char *)b.data);
	buffer_release(&b);
	return text;
}

Test(awaited, a_line_of_a_table_is_a_socket)
{
	struct socket_table t = table();
	const struct socket *s = sockets_find(&t, 13);

	cr_assert_eq(t.count, 3, "%zu", t.count);
	cr_assert(s && s->to_send == 5 && s->received == 7 && s->retransmits == 3);
	cr_assert_str_eq(shown(s, &s->local), "127.0.0.1:8080");
	cr_assert_str_eq(shown(s, &s->remote), "127.0.0.1:49153");
	cr_assert_eq(sockets_find(&t, 12)->state, SOCKET_LISTENS);
	cr_assert_null(sockets_find(&t, 15));
	sockets_release(&t);
}

Test(awaited, the_other_end_has_the_addresses_reversed)
{
	struct socket_table t = table();

	cr_assert_eq(sockets_other_end(&t, sockets_find(&t, 13))->inode, 14);
	cr_assert_eq(sockets_other_end(&t, sockets_find(&t, 14))->inode, 13);
	cr_assert_null(sockets_other_end(&t, sockets_find(&t, 12)));
	sockets_release(&t);
}

Test(awaited, an_address_of_ipv4_in_ipv6_is_shown_as_such)
{
	static const char tcp6[] =
		"0: 0000000000000000FFFF00000100007F:1F90 00000000000000000000000001000000:0001 01 0:0 0:0 0 0 0 9\n";
	struct socket_table t = { 0 };

	cr_assert_eq(sockets_parse(&t, tcp6, strlen(tcp6), true, true), 0);
	cr_assert_eq(t.count, 1);
	cr_assert_str_eq(shown(t.sockets, &t.sockets->local), "127.0.0.1:8080");
	cr_assert_str_eq(shown(t.sockets, &t.sockets->remote), "[::1]:1");
	sockets_release(&t);
}

Test(awaited, an_epoll_has_the_descriptors_of_its_lines)
{
	static const char info[] =
		"pos:\t0\nflags:\t02\ntfd:        5 events:       19 data: 5  pos:0 ino:1b sdev:9\n"
		"tfd:       12 events: 4\ntfd: 13 events: 40000000 data: 0\ntfd: x\n";
	struct eventset e = { 0 };

	cr_assert_eq(eventset_parse(&e, info, strlen(info)), 0);
	cr_assert_eq(e.count, 2, "one that is disarmed is not waited for");
	cr_assert(e.events[0].fd == 5 && e.events[0].inode == 0x1b && e.events[0].reads);
	cr_assert(e.events[1].fd == 12 && e.events[1].writes && !e.events[1].reads);
	eventset_release(&e);
}

static pid_t holder(const char *locks, pid_t pid, bool posix, uint64_t inode)
{
	struct filelocks_wait wait = { pid, posix, inode };

	return filelocks_holder(locks, strlen(locks), &wait);
}

Test(awaited, the_holder_of_a_lock_stands_before_those_that_wait)
{
	static const char locks[] = "1: POSIX  ADVISORY  WRITE 70 fd:01:5 0 EOF\n"
				    "2: FLOCK  ADVISORY  WRITE 71 fd:01:6 0 EOF\n"
				    "2: -> FLOCK  ADVISORY  WRITE 72 fd:01:6 0 EOF\n"
				    "2:  -> FLOCK  ADVISORY  WRITE 73 fd:01:6 0 EOF\n"
				    "3: OFDLCK ADVISORY  WRITE -1 fd:01:7 0 EOF\n"
				    "3: -> FLOCK  ADVISORY  WRITE 74 fd:01:7 0 EOF\n";

	cr_assert_eq(holder(locks, 72, false, 6), 71);
	cr_assert_eq(holder(locks, 73, false, 6), 71);
	cr_assert_eq(holder(locks, 72, true, 6), 0);
	cr_assert_eq(holder(locks, 74, false, 7), 0);
	cr_assert_eq(holder(locks, 70, true, 5), 0);
}

Test(awaited, a_process_that_waits_for_two_locks_has_two_holders)
{
	static const char locks[] = "1: POSIX  ADVISORY  WRITE 70 fd:01:5 0 9\n"
				    "1: -> POSIX  ADVISORY  WRITE 72 fd:01:5 0 9\n"
				    "2: POSIX  ADVISORY  WRITE 71 fd:01:6 0 9\n"
				    "2: -> POSIX  ADVISORY  WRITE 72 fd:01:6 0 9\n"
				    "3: POSIX  ADVISORY  WRITE 73 fd:01:6 20 29\n"
				    "3: -> POSIX  ADVISORY  WRITE 72 fd:01:6 20 29\n";

	cr_assert_eq(holder(locks, 72, true, 5), 70);
	cr_assert_eq(holder(locks, 72, true, 6), 0, "one of two, by its part of the file");
}

Test(awaited, an_open_file_has_the_locks_of_its_fdinfo)
{
	static const char info[] =
		"pos:\t0\nino:\t6\nlock:\t1: FLOCK  ADVISORY  WRITE 9 fd:01:6 0 EOF\n";

	cr_assert(filelocks_has(info, 6));
	cr_assert_not(filelocks_has(info, 7));
	cr_assert_not(filelocks_has("pos:\t0\nino:\t6\n", 6));
}

Test(awaited, a_link_has_an_inode)
{
	cr_assert_eq(ends_inode("socket:[123]", "socket"), 123);
	cr_assert_eq(ends_inode("pipe:[7]", "pipe"), 7);
	cr_assert_eq(ends_inode("/tmp/socket:[123]", "socket"), 0);
	cr_assert_eq(ends_inode("pipe:[7]", "socket"), 0);
}

Test(awaited, calls_wait_on_what_their_arguments_say)
{
	struct call call = { .number = SYS_recvfrom, .args = { 14 } };
	struct waitcall w = waitcall_of(&call);

	cr_assert(w.on == WAIT_ON_DESCRIPTOR && w.fd == 14);
	call = (struct call){ .number = SYS_fcntl, .args = { 3, F_SETLKW } };
	cr_assert_eq(waitcall_of(&call).on, WAIT_ON_FILE_LOCK);
	call.args[1] = F_GETFL;
	cr_assert_eq(waitcall_of(&call).on, WAIT_ON_NOTHING);
	call = (struct call){ .number = SYS_wait4, .args = { 77 } };
	cr_assert_eq(waitcall_of(&call).id, 77);
	call.args[0] = UINT32_MAX; /* any child: -1 */
	cr_assert_eq(waitcall_of(&call).id, 0);
	call = (struct call){ .number = SYS_futex };
	cr_assert_eq(waitcall_of(&call).on, WAIT_ON_NOTHING);
}

Test(awaited, a_list_of_cpus_has_ranges)
{
	cr_assert(since_is_listed("1-3,7\n", 2) && since_is_listed("1-3,7\n", 7));
	cr_assert_not(since_is_listed("1-3,7\n", 0) || since_is_listed("1-3,7\n", 5));
	cr_assert_not(since_is_listed("\n", 0) || since_is_listed(" (null)\n", 0));
}

Test(awaited, select_has_three_sets)
{
	struct call call = { .number = SYS_pselect6, .args = { 9, 0, 0x2000, 0x3000 } };
	struct waitcall w = waitcall_of(&call);

	cr_assert(w.on == WAIT_ON_SELECT && w.count == 9);
	cr_assert(!w.sets[0] && w.sets[1] == 0x2000 && w.sets[2] == 0x3000);
}
