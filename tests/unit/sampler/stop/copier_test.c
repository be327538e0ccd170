/* Copiers: jobs that come back, and jobs that do not. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/memory.h"
#include "sampler/stop/copier.h"
#include "sampler/stop/reader.h"

enum { PATIENCE_NS = 5000000, PAGE = 4096 };

struct args {
	int number;
	atomic_bool *gate; /* the job waits for it */
};

static atomic_int lost, returned, went_on;
static atomic_bool open_gate, closed_gate;

static void left(const void *args)
{
	(void)args;
	lost++;
}

static void back(const void *args)
{
	(void)args;
	returned++;
}

static const struct copier_loss loss = { left, back };

static void nap(void)
{
	nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
}

static void wait_for(const atomic_int *what, int count)
{
	for (int i = 0; i < 10000 && *what != count; i++)
		nap();
	cr_assert_eq(*what, count);
}

/* Waits as a read does that is not served, and reads then. */
static void work(void *of)
{
	struct args *args = of;
	char byte;
	struct iovec local = { &byte, 1 }, remote = { (void *)&loss, 1 };

	while (!*args->gate)
		nap();
	memory_live_call(getpid(), &local, 1, &remote, 1);
	args->number++;
	went_on++;
}

static struct copiers *copiers;

static void make(void)
{
	open_gate = true;
	closed_gate = false;
	cr_assert_eq(copiers_new(&copiers, &loss, NULL), 0);
	cr_assert(copiers_ready(copiers));
}

TestSuite(copier, .init = make);

static enum copy run(struct args *args, int of, pid_t tid, uint64_t ns)
{
	static const char processes[2];
	struct copier_job job = { .run = work,
				  .args = args,
				  .size = sizeof(*args),
				  .of = &processes[of],
				  .tid = tid,
				  .ns = ns };

	copiers_ready(copiers);
	return copiers_run(copiers, &job);
}

static void is_served(int of, pid_t tid)
{
	struct args args = { 1, &open_gate };

	cr_assert_eq(run(&args, of, tid, NS_PER_S * 10), COPY_DONE);
	cr_assert_eq(args.number, 2);
}

static void is_stuck(int of, pid_t tid)
{
	struct args args = { 1, &closed_gate };

	cr_assert_eq(run(&args, of, tid, PATIENCE_NS), COPY_STUCK);
	cr_assert_eq(args.number, 1);
}

Test(copier, a_job_changes_its_arguments)
{
	for (int i = 0; i < 1000; i++)
		is_served(0, 1);
	cr_assert_eq(lost + returned, 0);
	copiers_free(copiers);
}

Test(copier, one_that_is_given_up_goes_on_with_nothing)
{
	is_stuck(0, 1);
	cr_assert_eq(lost, 1);
	cr_assert_eq(copiers_stuck(copiers), 1);
	closed_gate = true;
	wait_for(&returned, 1);
	copiers_await(copiers, NS_PER_S * 10);
	cr_assert_eq(went_on, 0);
	is_served(0, 1);
	copiers_free(copiers);
}

Test(copier, a_thread_with_a_stuck_read_is_avoided_and_others_are_not)
{
	struct args args = { 1, &open_gate };

	is_stuck(0, 1);
	cr_assert_eq(run(&args, 0, 1, PATIENCE_NS), COPY_NONE);
	is_served(0, 2);
	is_served(1, 1);
	closed_gate = true;
	wait_for(&returned, 1);
}

Test(copier, a_process_with_some_stuck_reads_is_avoided)
{
	struct args args = { 1, &open_gate };

	for (int i = 0; i < COPIERS_OF_ONE; i++)
		is_stuck(0, i);
	cr_assert_eq(run(&args, 0, COPIERS_OF_ONE, PATIENCE_NS), COPY_NONE);
	is_served(1, 1);
	closed_gate = true;
	wait_for(&returned, COPIERS_OF_ONE);
}

Test(copier, a_stuck_one_does_not_keep_its_caller)
{
	is_stuck(0, 1);
	copiers_free(copiers);
	cr_assert_eq(returned, 0);
	closed_gate = true;
	wait_for(&returned, 1);
	cr_assert_eq(went_on, 0);
}

static int served_by = -1; /* a userfaultfd; its end ends all waits for its pages */

/* A page that is never served; NULL where userfaultfd is not permitted. */
static void *unserved(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	range.range.start = (uintptr_t)page;
	range.range.len = PAGE;
	served_by = fd;
	return fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &range) ?
		       page :
		       NULL;
}

Test(copier, a_reader_fails_where_a_page_is_never_served)
{
	void *page = unserved();
	struct memory_live live;
	struct reader *reader;
	char bytes[2];

	if (!page)
		cr_skip_test("userfaultfd is not permitted");
	memory_live_init(&live, getpid());
	cr_assert_eq(reader_new(&reader, NULL), 0);
	reader_use(reader);
	cr_assert_eq(live.memory.read(&live.memory, (uintptr_t) "ab", bytes, 2), 0);
	cr_assert_arr_eq(bytes, "ab", 2);
	cr_assert_neq(live.memory.read(&live.memory, (uintptr_t)page, bytes, 2), 0);
	cr_assert_eq(reader_stuck(reader), 1);
	cr_assert_neq(live.memory.read(&live.memory, (uintptr_t) "ab", bytes, 2), 0);
	cr_assert_eq(reader_stuck(reader), 1);
	reader_use(NULL);
	reader_free(reader);
	close(served_by); /* a thread that cannot end would keep a leak checker waiting */
	usleep(100000);
}
