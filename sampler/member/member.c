/* Whether a member's address space is still that of its maps is asked of a descriptor of
 * /proc/PID/maps, which reads as empty once that address space is gone. */
#include "sampler/member/member.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "runtimes/go/labels.h"
#include "runtimes/go/thread.h"
#include "runtimes/interps.h"
#include "sampler/thread/snapshot.h"
#include "sampler/thread/brieftime.h"
#include "sampler/thread/threads.h"
#include "sampler/member/labelling.h"
#include "unwind/table/arch.h"
#include "symbolize/jit/jitdump.h"
#include "symbolize/symbolizer.h"

enum {
	GO_RETRY_NS = 200000000,
	EXEC_NS = 50000000, /* so long a process may be executing a program */
	EXEC_TRIES = 50,
	SETTLE_NS = 100000000,
	SETTLE_STEP_NS = 10000000,
	GO_STACK_FIRST = 32 << 10, /* bytes copied of a stack until the need is known */
};

int member_open(struct member **out, pid_t pid, const struct member *beside, struct error *err)
{
	struct member *m = calloc(1, sizeof(*m));
	int rc;

	if (!m)
		return error_nomem(err);
	m->process = (struct process){ .proc_fd = -1, .pid_fd = -1, .root_fd = -1 };
	m->maps_fd = m->pagemap_fd = -1;
	rc = process_open(&m->process, pid, err);
	if (!rc)
		m->own_numbers = !process_shares_numbers(&m->process);
	if (!rc && (beside ? modmap_new_beside(&m->maps, &m->process, beside->maps) :
			     modmap_new(&m->maps, &m->process)))
		rc = error_nomem(err);
	if (!rc && interps_new(&m->interps, &m->process))
		rc = error_nomem(err);
	if (rc) {
		member_close(m);
		return rc;
	}
	*out = m;
	return 0;
}

void member_close(struct member *m)
{
	if (!m)
		return;
	threads_free(m->threads);
	golabels_free(m->labels);
	interps_free(m->interps);
	modmap_free(m->maps);
	process_close(&m->process);
	descriptor_close(&m->maps_fd);
	descriptor_close(&m->pagemap_fd);
	free(m);
}

/* A descriptor of /proc/PID/maps reads as empty when the address space that it was opened on is
 * gone. */
static bool has_space(const struct member *m)
{
	char byte;

	return m->maps_fd >= 0 && pread(m->maps_fd, &byte, 1, 0) == 1;
}

/* The other threads of a vfork(2) go on in the old one, so a descriptor of it does not read as
 * empty. */
void member_leave_space(struct member *m)
{
	descriptor_close(&m->maps_fd);
}

void member_let_go(struct member *m)
{
	member_leave_space(m);
	descriptor_close(&m->pagemap_fd);
	threads_close(m->threads);
}

enum member_space member_space(struct member *m)
{
	m->space_asked_ns = monotonic_ns();
	if (has_space(m)) {
		m->width = m->width ? m->width : process_width(&m->process);
		return SPACE_SAME;
	}
	member_leave_space(m);
	m->space_ns = m->space_met_ns = monotonic_ns();
	m->width = process_width(&m->process);
	m->is_narrow = false;
	m->maps_fd = process_openat(&m->process, "maps", O_RDONLY);
	descriptor_close(&m->pagemap_fd);
	m->pagemap_fd = process_openat(&m->process, "pagemap", O_RDONLY);
	return has_space(m) ? SPACE_NEW : SPACE_NONE;
}

bool member_is_narrow(const struct member *m)
{
	return m->is_narrow || m->width == 32;
}

/* A process that executes a program has no maps for a moment: those of the old address space read
 * as empty as soon as it is gone, and a leader that makes way for another thread has none
 * (de_thread() in fs/exec.c). The descriptor is opened first: maps that are read while it lasts are
 * those of its address space. */
static int read_first_maps(struct member *m, int tries, struct error *err)
{
	const struct timespec moment = { 0, EXEC_NS / EXEC_TRIES };
	uint64_t cpu;
	int rc;

	for (int i = 0;; i++) {
		member_space(m);
		cpu = thread_cpu_ns();
		m->maps_read_ns = monotonic_ns();
		rc = modmap_refresh(m->maps, err);
		m->maps_cost_ns = thread_cpu_ns() - cpu;
		if (rc ? rc != ERR_GONE : has_space(m))
			return rc;
		if (i == tries || !process_alive(&m->process))
			return rc;
		nanosleep(&moment, NULL);
	}
}

int member_begin(struct member *m, bool old, struct error *err)
{
	int rc;

	member_space(m);
	rc = threads_new(&m->threads, &m->process, old, err);

	/* At once: a search takes milliseconds, which the threads' accounts would have alone. */
	if (!rc && old && process_cpu_ns(&m->process, &m->cpu_start_ns))
		rc = error_set(err, ERR_GONE, "process %d has ended", m->process.pid);
	return rc;
}

void member_count_from(struct member *m, uint64_t now_ns)
{
	threads_count_from(m->threads, now_ns);
	process_cpu_ns(&m->process, &m->cpu_start_ns);
}

static int read_with(struct member *m, int tries, struct error *err)
{
	int rc = read_first_maps(m, tries, err);

	if (rc) {
		m->maps_read_ns = 0;
		return rc;
	}
	return member_find_go(m) || member_find_interps(m) ? error_nomem(err) : 0;
}

int member_read(struct member *m, struct error *err)
{
	return read_with(m, EXEC_TRIES, err);
}

int member_read_soon(struct member *m)
{
	uint64_t now = monotonic_ns();
	int rc;

	if (now < m->read_due_ns)
		return ERR_GONE;
	rc = read_with(m, 0, NULL);
	m->read_due_ns = now + (rc ? EXEC_NS : 0);
	return rc;
}

int member_start(struct member *m, bool old, struct error *err)
{
	int rc = member_begin(m, old, err);

	return rc ? rc : member_read(m, err);
}

bool member_is_read(const struct member *m)
{
	return m->maps_read_ns;
}

/* A runtime that is there but cannot be read (ERR_FORMAT) may not have been relocated yet, so it is
 * tried again. */
int member_find_go(struct member *m)
{
	uint64_t generation = modmap_generation(m->maps), now;
	const struct mapping *range;
	struct memory_live live;
	int rc;

	if (!KNOWS_GO || m->go_generation == generation)
		return 0;
	range = m->has_go ? modmap_range_of(m->maps, m->go.image) : NULL;
	if (range && range->bias == m->go.bias) {
		m->go_generation = generation;
		return 0;
	}
	now = monotonic_ns();
	if (m->go_tried_ns && now - m->go_tried_ns < GO_RETRY_NS)
		return 0;
	m->go_tried_ns = now;
	memory_live_init(&live, m->process.pid);
	rc = goruntime_find(&m->go, m->maps, &live.memory);
	m->has_go = !rc && gothread_fits(&m->go);
	m->go_stack_want = GO_STACK_FIRST;
	if (rc != ERR_FORMAT)
		m->go_generation = generation;
	return labelling_begin(m);
}

int member_find_interps(struct member *m)
{
	return interps_find(m->interps, m->maps);
}

/* True if a runtime could not be read in one of them. */
static bool member_look_again(struct member *const *members, size_t count, int *rc)
{
	bool refused = false;

	for (size_t i = 0; !*rc && i < count; i++) {
		if (interps_refused(members[i]->interps))
			*rc = member_find_interps(members[i]);
		refused |= interps_refused(members[i]->interps);
	}
	return refused;
}

int members_settle(struct member *const *members, size_t count)
{
	const struct timespec moment = { 0, SETTLE_STEP_NS };
	uint64_t until = monotonic_ns() + SETTLE_NS;
	int rc = 0;

	while (member_look_again(members, count, &rc) && !rc && monotonic_ns() < until)
		nanosleep(&moment, NULL);
	return rc;
}

int member_place(struct member *m, struct thread *thread)
{
	pid_t tid = thread->tid;

	if (!interps_any(m->interps))
		return 0;
	if (m->own_numbers && !thread->own_tid)
		thread->own_tid = process_own_tid(&m->process, tid);
	return interps_place(m->interps, m->own_numbers ? thread->own_tid : tid,
			     &thread->runtimes.interp) ?
		       ERR_NOMEM :
		       0;
}

int member_prepare_look(const struct member *m, const struct thread *thread,
			struct snapshot *snapshot)
{
	pid_t tid = m->own_numbers ? thread->own_tid : thread->tid;

	return interp_look_prepare(&snapshot->interp, interps_set(m->interps),
				   &thread->runtimes.interp, tid);
}

struct thread *member_thread(const struct member *m, uint32_t index)
{
	size_t count;

	return &threads_get(m->threads, &count)[index];
}

void member_read_cpu(struct member *m)
{
	uint64_t cpu_ns;

	if (process_cpu_ns(&m->process, &cpu_ns) == 0 && cpu_ns >= m->cpu_start_ns)
		m->cpu_ns = cpu_ns - m->cpu_start_ns;
}

void member_add_up_cpu(struct member *m)
{
	size_t count;
	const struct thread *threads;
	uint64_t sum = 0;

	if (!m->ended) /* else cpu_ns may be old */
		brieftime_settle(m->threads, m->cpu_ns);
	threads = threads_get(m->threads, &count);
	for (size_t i = 0; i < count; i++)
		sum += thread_cpu_here_ns(&threads[i]);
	m->cpu_ns = sum > m->cpu_ns ? sum : m->cpu_ns;
}

void member_read_maps(struct member *m)
{
	uint64_t cpu = thread_cpu_ns();

	if (m->leaving)
		return;
	m->maps_read_ns = monotonic_ns();
	modmap_refresh(m->maps, NULL);
	m->maps_cost_ns = thread_cpu_ns() - cpu;
}

int member_symbolizer(const struct member *m, unsigned flags, struct symbolizer **s)
{
	size_t count;
	struct image *const *images = modmap_images(m->maps, &count);
	int rc = symbolizer_new(s, &m->process, flags);

	for (size_t i = 0; !rc && i < count; i++)
		if (!image_elf(images[i]) && jitdump_is_name(image_name(images[i])) &&
		    modmap_owner(m->maps, images[i]) == &m->process)
			rc = symbolizer_use_jitdump(*s, image_path(images[i]));
	return rc;
}
