/* Texts are kept once, so frames are compared by their numbers. */
#include "cli/dump/merge/merged.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/error.h"
#include "base/room.h"

int merged_init(struct merged *m)
{
	*m = (struct merged){ 0 };
	m->rc = strset_init(&m->texts);
	return m->rc;
}

void merged_release(struct merged *m)
{
	strset_release(&m->texts);
	free(m->processes);
	free(m->threads);
	free(m->frames);
	free(m->order);
	buffer_release(&m->scratch);
}

static uint32_t merged_keep(struct merged *m, const char *text, size_t len)
{
	uint32_t id = 0;

	if (!m->rc)
		m->rc = strset_add(&m->texts, text, len, &id);
	return id;
}

static uint32_t merged_keep_text(struct merged *m, const char *text)
{
	return text ? merged_keep(m, text, strlen(text)) : 0;
}

static uint32_t merged_keep_scratch(struct merged *m)
{
	return merged_keep(m, (const char *)m->scratch.data, m->scratch.len);
}

static void merged_say(struct merged *m, const char *text)
{
	if (!m->rc)
		m->rc = buffer_add(&m->scratch, text, strlen(text));
}

/* Processes. */

void merged_begin_process(struct merged *m, const char *host)
{
	if (m->rc || (m->rc = room_for((void **)&m->processes, &m->process_room,
				       m->process_count + 1, sizeof(*m->processes))))
		return;
	m->processes[m->process_count++] = (struct merged_process){ .host = merged_keep_text(
									    m, host) };
}

static void merged_note_time(struct merged *m, const char *time)
{
	uint32_t id = merged_keep_text(m, time);

	if (!id)
		return;
	if (!m->first_time || strcmp(time, strset_get(&m->texts, m->first_time)) < 0)
		m->first_time = id;
	if (strcmp(time, strset_get(&m->texts, m->last_time)) > 0)
		m->last_time = id;
}

void merged_end_process(struct merged *m, pid_t pid, const char *command, const char *time)
{
	struct merged_process *p;

	if (m->rc)
		return;
	p = &m->processes[m->process_count - 1];
	p->pid = pid;
	p->command = merged_keep_text(m, command);
	merged_note_time(m, time);
}

/* Threads and frames. */

void merged_begin_thread(struct merged *m)
{
	if (m->rc || (m->rc = room_for((void **)&m->threads, &m->thread_room, m->thread_count + 1,
				       sizeof(*m->threads))))
		return;
	m->threads[m->thread_count++] = (struct merged_thread){
		.process = (uint32_t)m->process_count - 1, .first = m->frame_count
	};
}

static const char *merged_base(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path;
}

/* Are the module's functions what threads wait through: the C library and the kernel's own? */
static bool merged_is_plumbing(const char *module)
{
	static const char *const modules[] = { "libc.so", "libc-",     "libpthread", "ld-linux",
					       "ld-musl", "libc.musl", "[vdso]",     "linux-vdso" };

	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++)
		if (begins_with(module, modules[i]))
			return true;
	return false;
}

static void merged_say_place(struct merged *m, const char *file, uint64_t line, const char *module)
{
	if (file && *file) {
		merged_say(m, ", ");
		merged_say(m, file);
		if (line && !m->rc)
			m->rc = buffer_addf(&m->scratch, ":%" PRIu64, line);
	} else if (module && *module) {
		merged_say(m, " in ");
		merged_say(m, module);
	}
}

/* `next, train.py:212`, `poll in libc.so.6`, behind the byte of its kind. */
static uint32_t merged_frame_text(struct merged *m, const struct merged_frame *f)
{
	const char *module = merged_base(f->module);
	char kind[] = { f->interpreted			     ? MERGED_INTERPRETED :
			module && merged_is_plumbing(module) ? MERGED_PLUMBING :
							       MERGED_NATIVE,
			'\0' };

	m->scratch.len = 0;
	merged_say(m, kind);
	merged_say(m, f->function && *f->function ? f->function : "[unknown]");
	merged_say_place(m, merged_base(f->file), f->line, module);
	return merged_keep_scratch(m);
}

static void merged_push(struct merged *m, uint32_t frame)
{
	if (m->rc || (m->rc = room_for((void **)&m->frames, &m->frame_room, m->frame_count + 1,
				       sizeof(*m->frames))))
		return;
	m->frames[m->frame_count++] = frame;
}

void merged_add_frame(struct merged *m, const struct merged_frame *f)
{
	merged_push(m, merged_frame_text(m, f));
}

/* Leaves of a stack with interpreted frames only these. */
static void merged_drop_native(struct merged *m, size_t first)
{
	size_t count = first;

	for (size_t i = first; i < m->frame_count; i++)
		if (*strset_get(&m->texts, m->frames[i]) == MERGED_INTERPRETED)
			m->frames[count++] = m->frames[i];
	m->frame_count = count > first ? count : m->frame_count;
}

static void merged_turn(uint32_t *frames, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		uint32_t frame = frames[i];

		frames[i] = frames[count - 1 - i];
		frames[count - 1 - i] = frame;
	}
}

/* `sleeping in futex: mutex` */
static uint32_t merged_state(struct merged *m, const struct merged_doing *doing)
{
	m->scratch.len = 0;
	merged_say(m, *doing->state ? doing->state : "unknown");
	if (doing->syscall && *doing->syscall) {
		merged_say(m, " in ");
		merged_say(m, doing->syscall);
	}
	if (doing->waits && *doing->waits) {
		merged_say(m, ": ");
		merged_say(m, doing->waits);
	}
	return merged_keep_scratch(m);
}

void merged_end_thread(struct merged *m, const struct merged_doing *doing)
{
	static const char none[] = { MERGED_NATIVE, '\0' };
	struct merged_thread *t;

	if (m->rc)
		return;
	t = &m->threads[m->thread_count - 1];
	t->tid = doing->tid;
	t->name = merged_keep_text(m, doing->name);
	t->is_running = !strcmp(doing->state, "running");
	t->state = merged_state(m, doing);
	if (m->frame_count == t->first) {
		m->scratch.len = 0;
		merged_say(m, none);
		merged_say(m, "[no stack]");
		merged_push(m, merged_keep_scratch(m));
	}
	if (m->no_native)
		merged_drop_native(m, t->first);
	t->count = m->frame_count - t->first;
	merged_turn(m->frames + t->first, t->count);
}

/* Order. */

/* A text in which numbers are '*': `io-*` of io-0 and io-12. */
static void merged_say_kind(struct merged *m, const char *text)
{
	char c[2] = { 0 };

	for (size_t i = 0; text[i]; i++) {
		bool digit = isdigit((unsigned char)text[i]);

		if (digit && i && isdigit((unsigned char)text[i - 1]))
			continue;
		c[0] = digit ? '*' : text[i];
		merged_say(m, c);
	}
}

/* `python*` of main threads, `python*: io-*` of others. */
static void merged_set_role(struct merged *m, struct merged_thread *t)
{
	const struct merged_process *p = &m->processes[t->process];

	t->is_main = t->tid == p->pid;
	m->scratch.len = 0;
	merged_say_kind(m, strset_get(&m->texts, p->command));
	if (!t->is_main) {
		merged_say(m, "\", threads \"");
		merged_say_kind(m, strset_get(&m->texts, t->name));
	}
	t->role = merged_keep_scratch(m);
}

int merged_compare(const struct merged *m, uint32_t a, uint32_t b)
{
	const struct merged_thread *x = &m->threads[a], *y = &m->threads[b];
	const uint32_t *p = m->frames + x->first, *q = m->frames + y->first;
	size_t count = x->count < y->count ? x->count : y->count;

	for (size_t i = 0; i < count; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return a < b ? -1 : a > b; /* by process: they are added in this order */
}

static int merged_by_stack(const void *a, const void *b, void *merged)
{
	return merged_compare(merged, *(const uint32_t *)a, *(const uint32_t *)b);
}

int merged_finish(struct merged *m)
{
	for (size_t i = 0; i < m->thread_count; i++)
		merged_set_role(m, &m->threads[i]);
	m->order = calloc(m->thread_count + 1, sizeof(*m->order));
	if (!m->order)
		m->rc = ERR_NOMEM;
	if (m->rc)
		return m->rc;
	for (uint32_t i = 0; i < m->thread_count; i++)
		m->order[i] = i;
	if (m->thread_count)
		qsort_r(m->order, m->thread_count, sizeof(*m->order), merged_by_stack, m);
	return 0;
}
