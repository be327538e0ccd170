/*
 * Offsets and addresses may each look right and be wrong: in a fork of Go, with an unusual linker,
 * in a release of which only the number is known. So before they are used, records that point to
 * each other are checked: g -> stack, g -> m -> g, m -> its thread.
 *
 * The process runs meanwhile, and a record may be read while it changes. A comparison that fails is
 * repeated for some milliseconds; if it still fails then, the record is wrong.
 */
#include "runtimes/go/live.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/gopclntab.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/go/fields.h"

enum {
	TRIES = 16,
	GS_CHECKED = 32,
	MS_CHECKED = 16,
	GS_MAX = 1 << 28,
	TASKS_MAX = 4096,
	MS_MAX = 1 << 16, /* bound on the list of Ms; sched.maxmcount is 10,000 unless set */
	G_BYTES = 1024,
	M_BYTES = 4096, /* bytes of the largest g and m that are accepted */
	NAME_BYTES = 64,
	SCAN = 0x1000, /* _Gscan */
	STATUS_MAX = 11,
};

/* runtime/runtime2.go: the statuses that a g of the list can have (proc.go, allgadd: not 0), and
 * those in which its stack does not change. */
static const uint32_t known = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6 | 1 << 8 | 1 << 9 |
			      1 << 10 | 1 << STATUS_MAX;
static const uint32_t at_rest = 1 << 1 | 1 << 3 | 1 << 4 | 1 << 9;
static const uint32_t without_goid = 1 << 6 | 1 << 10 | 1 << 11; /* the goid may be 0 */

static const char first_reason[] = "GC assist marking"; /* second one, after "", in every release */

struct go_check_slice {
	uint64_t first, len, cap;
};

static bool go_check_get(const struct golive *l, uint64_t address, void *to, size_t len)
{
	return address && address < 1ull << 47 && !l->memory->read(l->memory, address, to, len);
}

static int not_understood(struct error *err, const char *why)
{
	return error_set(err, ERR_FORMAT, "Go's runtime is not understood: %s", why);
}

static int not_yet(struct error *err, const char *what)
{
	return error_set(err, ERR_FORMAT, "Go's runtime has not begun yet: %s", what);
}

/* The offsets come from the process, too, so they are checked. An offset is valid when eight bytes
 * from it on lie within the record. */
static bool go_check_within(const uint32_t *offsets, size_t count, uint32_t bytes)
{
	for (size_t i = 0; i < count; i++)
		if (offsets[i] != GO_NO_FIELD && offsets[i] > bytes - 8)
			return false;
	return true;
}

static bool go_check_fields_fit(const struct gofields *f)
{
	return f->g.bytes >= 64 && f->g.bytes <= G_BYTES && f->m.bytes >= 64 &&
	       f->m.bytes <= M_BYTES &&
	       go_check_within(&f->g.m, sizeof(f->g) / sizeof(uint32_t) - 1, f->g.bytes) &&
	       go_check_within(&f->m.id, sizeof(f->m) / sizeof(uint32_t) - 1, f->m.bytes);
}

/* True if a failed comparison is to be repeated. The first repetitions follow at once, the later
 * ones after 1 ms, because a thread may have lost its CPU between two stores. Memory that is not of
 * a running process does not change. */
static bool try_again(const struct golive *l, int tried)
{
	const struct timespec ms = { 0, 1000000 };

	if (tried == TRIES || l->memory != &l->live.memory)
		return false;
	if (tried > TRIES / 2)
		nanosleep(&ms, NULL);
	return true;
}

static bool function_is(const struct golive *l, uint64_t pc, const char *wanted)
{
	char name[NAME_BYTES];
	struct go_function f;

	return gopclntab_find(l->table, pc - l->rt.bias, &f) &&
	       (!wanted ||
		(gopclntab_name(l->table, f.name, name, sizeof(name)) && !strcmp(name, wanted)));
}

/* True for Go's code or a plugin's. */
static bool go_check_is_code(const struct golive *l, uint64_t pc)
{
	return function_is(l, pc, NULL) || modmap_find(l->maps, pc);
}

/* Checks a g. NULL, or what is wrong with it. */
static const char *look_at_g(const struct golive *l, uint64_t address, bool is_first)
{
	const struct gofields *f = &l->fields;
	uint8_t g[G_BYTES];
	uint64_t lo, hi, sp, goid, made;
	uint32_t status;

	if (address % 8 || !go_check_get(l, address, g, f->g.bytes))
		return "it is not in memory";
	memcpy(&status, g + f->g.status, sizeof(status));
	status &= ~(uint32_t)SCAN;
	if (status > STATUS_MAX || !(known >> status & 1))
		return "its status is none";
	goid = memory_word(g, f->g.goid);
	if (!goid && !(without_goid >> status & 1))
		return "it has no number";
	if (is_first && goid == 1 && !function_is(l, memory_word(g, f->g.start_pc), "runtime.main"))
		return "it did not begin in runtime.main";
	made = memory_word(g, f->g.go_pc);
	if (made && !go_check_is_code(l, made))
		return "what made it is no code";
	lo = memory_word(g, 0);
	hi = memory_word(g, 8);
	sp = memory_word(g, f->g.sp);
	if (!(at_rest >> status & 1))
		return NULL;
	if (lo >= hi || lo % 8 || hi % 8 || sp < lo || sp > hi)
		return "its stack pointer is not in its stack";
	return go_check_is_code(l, memory_word(g, f->g.pc)) ? NULL : "what it executes is no code";
}

static int check_g(const struct golive *l, uint64_t address, size_t i, struct error *err)
{
	const char *why;
	int tried = 0;

	do
		why = look_at_g(l, address, !i);
	while (why && try_again(l, ++tried));
	if (!why)
		return 0;
	return error_set(err, ERR_FORMAT,
			 "Go's runtime is not understood: "
			 "of goroutine %zu in its list, %s",
			 i + 1, why);
}

static bool go_check_read_slice(const struct golive *l, uint64_t at, struct go_check_slice *s)
{
	struct go_check_slice again;

	for (int try = 0; try < TRIES; try++)
		if (go_check_get(l, at, s, sizeof(*s)) &&
		    go_check_get(l, at, &again, sizeof(again)) && !memcmp(s, &again, sizeof(again)))
			return true;
	return false;
}

static int check_list(const struct golive *l, const struct go_check_slice *all, struct error *err)
{
	uint64_t gs[GS_CHECKED];
	size_t count = all->len < GS_CHECKED ? (size_t)all->len : GS_CHECKED;
	int rc = 0;

	if (!go_check_get(l, all->first, gs, count * sizeof(*gs)))
		return not_understood(err, "its list of goroutines cannot be read");
	for (size_t i = 0; i < count && !rc; i++)
		rc = check_g(l, gs[i], i, err);
	return rc;
}

/* When the list grows, it moves to a new array, and the old one may be reused. */
static int check_gs(const struct golive *l, struct error *err)
{
	struct go_check_slice all, after;
	int rc;

	if (!l->places.all_gs)
		return not_understood(err, "where its goroutines are is not found");
	for (int tried = 1;; tried++) {
		if (!go_check_read_slice(l, l->places.all_gs, &all))
			return not_understood(err, "its list of goroutines cannot be read");
		if (!all.first && !all.len)
			return not_yet(err, "it has no goroutine");
		if (all.len > all.cap || all.cap > GS_MAX || !all.len)
			return not_understood(err, "its list of goroutines is none");
		rc = check_list(l, &all, err);
		if (!rc || tried == TRIES || !go_check_read_slice(l, l->places.all_gs, &after) ||
		    after.first == all.first)
			return rc;
	}
}

static bool is_thread_elsewhere(const struct process *p, uint64_t number)
{
	int fd = process_openat(p, "task", O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool found = number == (uint64_t)p->own_pid;

	for (int i = 0; dir && !found && i < TASKS_MAX && (entry = readdir(dir)); i++)
		found = *entry->d_name != '.' &&
			(uint64_t)process_own_tid(p, atoi(entry->d_name)) == number;
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return found;
}

static bool go_check_is_thread(const struct golive *l, uint64_t number)
{
	char path[32];
	struct stat st;

	if (!number || number > INT32_MAX)
		return false;
	if (l->process->own_pid != l->process->pid)
		return is_thread_elsewhere(l->process, number);
	snprintf(path, sizeof(path), "task/%u", (unsigned)number);
	return !fstatat(l->process->proc_fd, path, &st, 0);
}

static const char *look_at_m(const struct golive *l, uint64_t address, uint8_t m[M_BYTES])
{
	const struct gofields *f = &l->fields;
	uint64_t g0, back = 0, curg, goid = 0, made;

	if (address % 8 || !go_check_get(l, address, m, f->m.bytes))
		return "it is not in memory";
	g0 = memory_word(m, f->m.g0);
	if (!go_check_get(l, g0 + f->g.m, &back, sizeof(back)) || back != address)
		return "its g0 is not its own";
	if (!go_check_get(l, g0 + f->g.goid, &goid, sizeof(goid)) || goid)
		return "its g0 has a number";
	made = memory_word(m, f->m.create_stack);
	if (made && !go_check_is_code(l, made))
		return "what made it is no code";
	curg = memory_word(m, f->m.curg);
	if (curg && (!go_check_get(l, curg + f->g.m, &back, sizeof(back)) || back != address))
		return "its goroutine is not its own";
	return NULL;
}

static int check_m(const struct golive *l, uint64_t address, uint8_t m[M_BYTES], struct error *err)
{
	const char *why;
	int tried = 0;

	do
		why = look_at_m(l, address, m);
	while (why && try_again(l, ++tried));
	if (!why)
		return 0;
	return error_set(err, ERR_FORMAT,
			 "Go's runtime is not understood: "
			 "of a thread in its list, %s",
			 why);
}

/* The whole list of Ms is walked, and some Ms are checked: the newest ones, and the last of the
 * list, which is m0. At least one of them must have a thread that exists. */
static int check_ms(const struct golive *l, struct error *err)
{
	uint8_t m[M_BYTES];
	uint64_t at = 0, next;
	bool thread = false, begun = false;
	int rc = 0;

	if (!l->places.all_ms || !go_check_get(l, l->places.all_ms, &at, sizeof(at)))
		return not_understood(err, "where its threads are is not found");
	if (!at)
		return not_yet(err, "it has no thread");
	for (unsigned i = 0; at && !rc; i++, at = next) {
		if (i == MS_MAX || !go_check_get(l, at + l->fields.m.all_link, &next, sizeof(next)))
			return not_understood(err, "its list of threads is none");
		if (next && i >= MS_CHECKED)
			continue;
		rc = check_m(l, at, m, err);
		begun |= !rc && memory_word(m, l->fields.m.procid);
		thread |= !rc && !thread &&
			  go_check_is_thread(l, memory_word(m, l->fields.m.procid));
	}
	if (!rc && !begun)
		return not_yet(err, "it has no thread");
	if (!rc && !thread && process_alive(l->process))
		return not_understood(err, "there are no threads of the numbers that it has");
	return rc;
}

static int check_reasons(const struct golive *l, struct error *err)
{
	char text[sizeof(first_reason) - 1];
	uint64_t words[4];

	if (!l->places.wait_reasons) /* not found: stripped, and compiled without inlining */
		return 0;
	if (!go_check_get(l, l->places.wait_reasons, words, sizeof(words)) || words[1] ||
	    words[3] != sizeof(text) || !go_check_get(l, words[2], text, sizeof(text)) ||
	    memcmp(text, first_reason, sizeof(text)))
		return not_understood(err, "the names of reasons to wait are none");
	return 0;
}

int gocheck(const struct golive *l, struct error *err)
{
	int rc;

	if (!go_check_fields_fit(&l->fields))
		return not_understood(err, "its records are not as large as their fields say");
	rc = check_gs(l, err);
	if (!rc)
		rc = check_ms(l, err);
	if (!rc)
		rc = check_reasons(l, err);
	if (rc && !process_alive(l->process))
		return error_set(err, ERR_GONE, "the process has ended");
	return rc;
}
