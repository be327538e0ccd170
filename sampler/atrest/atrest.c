/* The program is made here, instruction by instruction, with offsets from the kernel's BTF in it.
 * It and we share one array map, mapped into our memory, so a read is one call of bpf(2). */
#include "sampler/atrest/atrest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"
#include "sampler/atrest/btf.h"

static const char TYPES[] = "/sys/kernel/btf/vmlinux";

/* Of the program; the helpers that it calls are for such alone (include/linux/license.h). */
static const char LICENSE[] = "Dual MIT/GPL";

/* What is asked and answered; one for each user, in the program's map, which is our memory, too. */
struct board {
	uint32_t count;	    /* of tids */
	uint32_t displaced; /* the one that the caller has displaced; 0: the first that lives */
	int32_t tids[ATREST_MOST];
	int32_t found; /* its index; -1: none */
	uint32_t state, flags;
	uint64_t tp, cpu_ns, wait_ns, slices;
	uint8_t saved[REGISTERS_AT_REST];
};

/* What is looked up in the kernel's types. */
enum {
	BY_VIRTUAL_NUMBER, /* in our PID namespace; since Linux 6.14 */
	BY_NUMBER,	   /* in the first one */
	RELEASE,
	NUM_NEW,
	NUM_NEXT,
	NUM_DESTROY,
	THREAD,
	TP,
	ENTITY,
	EXEC_START,
	RUNTIME,
	INFO,
	SLICES,
	DELAY,
	FLAGS,
	STATE,
	WANTED
};

static const struct btf_wanted wanted_types[WANTED] = {
	[BY_VIRTUAL_NUMBER] = { .function = "bpf_task_from_vpid", .optional = true },
	[BY_NUMBER] = { .function = "bpf_task_from_pid" },
	[RELEASE] = { .function = "bpf_task_release" },
	[NUM_NEW] = { .function = "bpf_iter_num_new" },
	[NUM_NEXT] = { .function = "bpf_iter_num_next" },
	[NUM_DESTROY] = { .function = "bpf_iter_num_destroy" },
	[THREAD] = { .structure = "task_struct", .member = "thread" },
	[TP] = { .structure = "thread_struct", .member = REGISTERS_AT_REST_TP },
	[ENTITY] = { .structure = "task_struct", .member = "se" },
	[EXEC_START] = { .structure = "sched_entity", .member = "exec_start" },
	[RUNTIME] = { .structure = "sched_entity", .member = "sum_exec_runtime" },
	[INFO] = { .structure = "task_struct", .member = "sched_info" },
	[SLICES] = { .structure = "sched_info", .member = "pcount" },
	[DELAY] = { .structure = "sched_info", .member = "run_delay" },
	[FLAGS] = { .structure = "task_struct", .member = "flags" },
	[STATE] = { .structure = "task_struct", .member = "__state" },
};

static long atrest_bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int atrest_refuse(struct error *err)
{
	if (errno == EPERM)
		return error_set(err, ERR_PERM,
				 "bpf(2): not permitted by the kernel or by seccomp (CAP_BPF and "
				 "CAP_PERFMON would permit it)");
	if (errno == EINVAL || errno == EACCES)
		return error_set(err, ERR_IO,
				 "bpf(2): refused by this kernel (before Linux 6.10?)");
	return error_errno(err, ERR_IO, "bpf(2)");
}

/* Reading it takes 6 ms of CPU time. It can be mapped since Linux 6.16. */
static int map_types(void **bytes, size_t *len, struct error *err)
{
	int fd = open(TYPES, O_RDONLY | O_CLOEXEC);
	struct stat st = { .st_size = 0 };

	*len = fd < 0 || fstat(fd, &st) ? 0 : (size_t)st.st_size;
	*bytes = mmap(NULL, *len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (*len && *bytes == MAP_FAILED) {
		*bytes = mmap(NULL, *len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
		if (*bytes != MAP_FAILED && !descriptor_read(fd, *bytes, *len, 0)) {
			munmap(*bytes, *len);
			*bytes = MAP_FAILED;
		}
	}
	descriptor_close(&fd);
	if (*bytes == MAP_FAILED)
		return error_set(err, ERR_IO, "the kernel does not describe its types (%s)", TYPES);
	return 0;
}

static int atrest_look_up(struct btf_wanted wanted[WANTED], struct error *err)
{
	size_t len;
	void *bytes;
	int rc = map_types(&bytes, &len, err);

	if (rc)
		return rc;
	memcpy(wanted, wanted_types, sizeof(wanted_types));
	rc = btf_find(bytes, len, wanted, WANTED, err);
	munmap(bytes, len);
	return rc;
}

static int make_map(unsigned count, struct error *err)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY,
				.key_size = sizeof(uint32_t),
				.value_size = sizeof(struct board),
				.max_entries = count,
				.map_flags = BPF_F_MMAPABLE };
	int fd = (int)atrest_bpf(BPF_MAP_CREATE, &attr);

	return fd < 0 ? atrest_refuse(err) : fd;
}

/* Offsets from the task, which the kernel's own instructions have 16 bits for. */
struct places {
	int16_t tp, exec_start, cpu, wait, slices, flags, state;
};

static int16_t atrest_place(const struct btf_wanted *w, int member, int of)
{
	uint64_t at = (uint64_t)w[member].value + w[of].value;

	return at <= INT16_MAX ? (int16_t)at : -1;
}

static int atrest_find_places(const struct btf_wanted *w, struct places *p, struct error *err)
{
	p->tp = atrest_place(w, THREAD, TP);
	p->exec_start = atrest_place(w, ENTITY, EXEC_START);
	p->cpu = atrest_place(w, ENTITY, RUNTIME);
	p->wait = atrest_place(w, INFO, DELAY);
	p->slices = atrest_place(w, INFO, SLICES);
	p->flags = (int16_t)w[FLAGS].value;
	p->state = (int16_t)w[STATE].value;
	if (p->tp < 0 || p->exec_start < 0 || p->cpu < 0 || p->wait < 0 || p->slices < 0)
		return error_set(err, ERR_FORMAT, "the kernel's task_struct is too large");
	return 0;
}

/* Instructions, as in Documentation/bpf/standardization/instruction-set.rst. */
#define LOAD(size, to, from, at) { BPF_LDX | BPF_MEM | (size), to, from, at, 0 }
#define STORE(size, to, at, from) { BPF_STX | BPF_MEM | (size), to, from, at, 0 }
#define STORE_NUMBER(size, to, at, number) { BPF_ST | BPF_MEM | (size), to, 0, at, number }
#define SET(to, from) { BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0 }
#define SET_NUMBER(to, number) { BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number }
#define ADD(to, from) { BPF_ALU64 | BPF_ADD | BPF_X, to, from, 0, 0 }
#define ADD_NUMBER(to, number) { BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, number }
#define SHIFT_LEFT(to, number) { BPF_ALU64 | BPF_LSH | BPF_K, to, 0, 0, number }
#define GO(to) { BPF_JMP | BPF_JA, 0, 0, to, 0 }
#define GO_IF(how, a, number, to) { BPF_JMP | (how) | BPF_K, a, 0, to, number }
#define GO_IF_REG(how, a, b, to) { BPF_JMP | (how) | BPF_X, a, b, to, 0 }
#define CALL(helper) { BPF_JMP | BPF_CALL, 0, 0, 0, helper }
#define CALL_KERNEL(type) { BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, (int32_t)(type) }
#define EXIT { BPF_JMP | BPF_EXIT, 0, 0, 0, 0 }
/* From the task to the board. */
#define COPY(size, member, from) \
	LOAD(size, BPF_REG_1, TASK, from), STORE(size, BOARD, AT(member), BPF_REG_1)
#define AT(member) offsetof(struct board, member)

enum {
	BOARD = BPF_REG_6,
	INDEX = BPF_REG_7,
	CAME = BPF_REG_8, /* when the caller got its CPU; 0: it does not matter */
	TASK = BPF_REG_9,
	FRAME = BPF_REG_10,
};

/* Where its parts begin; and in its frame, the numbers that the kernel counts through for it. */
enum { LOOP = 20, TAKE = 41, OVER = 60, END = 62, NONE = 65 };
enum { AT_NUMBERS = -16 };

static int load_program(const struct bpf_insn *code, uint32_t count, struct error *err)
{
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_SYSCALL,
				.prog_flags = BPF_F_SLEEPABLE, /* all of this type must be */
				.insns = (uintptr_t)code,
				.insn_cnt = count,
				.license = (uintptr_t)LICENSE };
	int fd = (int)atrest_bpf(BPF_PROG_LOAD, &attr);

	return fd < 0 ? atrest_refuse(err) : fd;
}

/*
 *	board = map_lookup_elem(map, &context->user);
 *	if (!board) return 0;
 *	board->found = -1;
 *	came = board->displaced ? current->se.exec_start : 0;
 *	for (i from 0 to board->count - 1) { // iter_num_new(), _next(), _destroy()
 *		if (i >= ATREST_MOST) break;
 *		task = task_from_pid(board->tids[i]);
 *		if (!task) continue;
 *		copy slices; // first: a count read later would not prove that it has not run since
 *		if (came && task->se.exec_start != came) {
 *			task_release(task);
 *			continue;
 *		}
 *		if (!probe_read_kernel(board->saved, sizeof(board->saved), task_pt_regs(task))) {
 *			copy tp, cpu_ns, wait_ns, flags, state;
 *			board->found = i;
 *		}
 *		task_release(task);
 *		break;
 *	}
 *	return 0;
 *
 * The instructions stay in one table, since jumps count its rows.
 */
static int atrest_load(const struct btf_wanted *w, const struct places *p, uint32_t by, int map,
		       struct error *err)
{
	const struct bpf_insn code[] = {
		/* 0 */
		LOAD(BPF_W, BPF_REG_2, BPF_REG_1, 0),
		STORE(BPF_W, FRAME, -4, BPF_REG_2),
		SET(BPF_REG_2, FRAME),
		ADD_NUMBER(BPF_REG_2, -4),
		{ BPF_LD | BPF_IMM | BPF_DW, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map },
		{ 0, 0, 0, 0, 0 },
		CALL(BPF_FUNC_map_lookup_elem),
		GO_IF(BPF_JEQ, BPF_REG_0, 0, NONE - 8),
		SET(BOARD, BPF_REG_0),
		STORE_NUMBER(BPF_W, BOARD, AT(found), -1),
		/* 10 */
		SET_NUMBER(CAME, 0),
		LOAD(BPF_W, BPF_REG_1, BOARD, AT(displaced)),
		GO_IF(BPF_JEQ, BPF_REG_1, 0, 15 - 13),
		CALL(BPF_FUNC_get_current_task_btf),
		LOAD(BPF_DW, CAME, BPF_REG_0, p->exec_start),
		SET(BPF_REG_1, FRAME),
		ADD_NUMBER(BPF_REG_1, AT_NUMBERS),
		SET_NUMBER(BPF_REG_2, 0),
		LOAD(BPF_W, BPF_REG_3, BOARD, AT(count)),
		CALL_KERNEL(w[NUM_NEW].value),
		/* 20, LOOP */
		SET(BPF_REG_1, FRAME),
		ADD_NUMBER(BPF_REG_1, AT_NUMBERS),
		CALL_KERNEL(w[NUM_NEXT].value),
		GO_IF(BPF_JEQ, BPF_REG_0, 0, END - 24),
		LOAD(BPF_W, INDEX, BPF_REG_0, 0),
		GO_IF(BPF_JGE, INDEX, ATREST_MOST, END - 26),
		SET(BPF_REG_1, INDEX),
		SHIFT_LEFT(BPF_REG_1, 2),
		ADD(BPF_REG_1, BOARD),
		LOAD(BPF_W, BPF_REG_1, BPF_REG_1, AT(tids)),
		/* 30 */
		CALL_KERNEL(by),
		GO_IF(BPF_JEQ, BPF_REG_0, 0, LOOP - 32),
		SET(TASK, BPF_REG_0),
		COPY(BPF_DW, slices, p->slices),
		GO_IF(BPF_JEQ, CAME, 0, TAKE - 36),
		LOAD(BPF_DW, BPF_REG_1, TASK, p->exec_start),
		GO_IF_REG(BPF_JEQ, BPF_REG_1, CAME, TAKE - 38),
		SET(BPF_REG_1, TASK),
		CALL_KERNEL(w[RELEASE].value),
		GO(LOOP - 41),
		/* 41, TAKE */
		SET(BPF_REG_1, TASK),
		CALL(BPF_FUNC_task_pt_regs),
		SET(BPF_REG_3, BPF_REG_0),
		SET(BPF_REG_1, BOARD),
		ADD_NUMBER(BPF_REG_1, AT(saved)),
		SET_NUMBER(BPF_REG_2, REGISTERS_AT_REST),
		CALL(BPF_FUNC_probe_read_kernel),
		GO_IF(BPF_JNE, BPF_REG_0, 0, OVER - 49),
		COPY(BPF_DW, tp, p->tp),
		COPY(BPF_DW, cpu_ns, p->cpu),
		COPY(BPF_DW, wait_ns, p->wait),
		COPY(BPF_W, flags, p->flags),
		COPY(BPF_W, state, p->state),
		STORE(BPF_W, BOARD, AT(found), INDEX),
		/* 60, OVER */
		SET(BPF_REG_1, TASK),
		CALL_KERNEL(w[RELEASE].value),
		/* 62, END */
		SET(BPF_REG_1, FRAME),
		ADD_NUMBER(BPF_REG_1, AT_NUMBERS),
		CALL_KERNEL(w[NUM_DESTROY].value),
		/* 65, NONE */
		SET_NUMBER(BPF_REG_0, 0),
		EXIT,
	};

	return load_program(code, sizeof(code) / sizeof(*code), err);
}

static int atrest_run(const struct atrest *a, unsigned user)
{
	uint32_t context[2] = { user };
	union bpf_attr attr = { .test = { .prog_fd = (uint32_t)a->program,
					  .ctx_in = (uintptr_t)context,
					  .ctx_size_in = sizeof(context) } };

	return atrest_bpf(BPF_PROG_RUN, &attr) ? -1 : 0;
}

/* As proc_pid_stat(5) does: a bit of __state (include/linux/sched.h). */
static char state_letter(uint32_t state)
{
	return !state ? 'R' : state & 1 ? 'S' : 'D';
}

static void atrest_take(const struct board *b, struct atrest_thread *t)
{
	registers_at_rest(&t->regs, b->saved, b->tp);
	t->counters = (struct schedstat){ b->cpu_ns, b->wait_ns, b->slices };
	t->state = state_letter(b->state);
	t->flags = b->flags;
}

static struct board *board_of(const struct atrest *a, unsigned user)
{
	return (struct board *)a->boards + user;
}

int atrest_find_displaced(const struct atrest *a, unsigned user, const pid_t *tids, size_t count,
			  struct atrest_thread *t)
{
	struct board *b = board_of(a, user);

	memcpy(b->tids, tids, count * sizeof(*tids));
	b->count = (uint32_t)count;
	b->displaced = 1;
	b->found = -1;
	if (atrest_run(a, user) || b->found < 0)
		return -1;
	atrest_take(b, t);
	return b->found;
}

bool atrest_read(const struct atrest *a, unsigned user, pid_t tid, struct atrest_thread *t)
{
	struct board *b = board_of(a, user);

	b->tids[0] = tid;
	b->count = 1;
	b->displaced = 0;
	b->found = -1;
	if (atrest_run(a, user) || b->found < 0)
		return false;
	atrest_take(b, t);
	return true;
}

bool atrest_is_open(const struct atrest *a)
{
	return a->boards;
}

void atrest_close(struct atrest *a)
{
	if (!a->boards)
		return;
	descriptor_close(&a->program);
	munmap(a->boards, a->count * sizeof(struct board));
	*a = (struct atrest){ .program = -1 };
}

/* The numbers that the kernel's function takes may be those of another PID namespace. */
static int atrest_check(struct atrest *a, struct error *err)
{
	struct call call = { .number = -1 };
	struct atrest_thread own;

	if (atrest_read(a, 0, (pid_t)syscall(SYS_gettid), &own))
		registers_call(&own.regs, &call);
	if (call.number == SYS_bpf)
		return 0;
	return error_set(err, ERR_IO,
			 "bpf(2): not in a PID namespace of its own (before Linux "
			 "6.14)");
}

/* Boards lie beside each other in the map's memory (array_map_alloc() in kernel/bpf/arraymap.c). */
static int map_boards(struct atrest *a, int map, unsigned count, struct error *err)
{
	void *at = mmap(NULL, count * sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED, map,
			0);

	if (at == MAP_FAILED)
		return error_errno(err, ERR_IO, "cannot map a BPF map");
	a->boards = at;
	a->count = count;
	return 0;
}

static int load_with(struct atrest *a, const struct btf_wanted *w, int map, struct error *err)
{
	uint32_t by = w[BY_VIRTUAL_NUMBER].found ? w[BY_VIRTUAL_NUMBER].value : w[BY_NUMBER].value;
	struct places p;
	int rc = atrest_find_places(w, &p, err);

	if (rc)
		return rc;
	rc = atrest_load(w, &p, by, map, err);
	if (rc < 0)
		return rc;
	a->program = rc;
	return atrest_check(a, err);
}

int atrest_open(struct atrest *a, unsigned count, struct error *err)
{
	struct btf_wanted w[WANTED];
	int rc, map;

	*a = (struct atrest){ .program = -1 };
	if (!REGISTERS_AT_REST)
		return error_set(err, ERR_IO, "it is not built for this architecture");
	rc = atrest_look_up(w, err);
	if (rc)
		return rc;
	map = make_map(count, err);
	if (map < 0)
		return map;
	rc = map_boards(a, map, count, err);
	rc = rc ? rc : load_with(a, w, map, err);
	close(map);
	if (rc)
		atrest_close(a);
	return rc;
}
