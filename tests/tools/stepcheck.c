// links: sampler/thread
/*
 * Runs a program one instruction at a time, walks its stack at each, and checks that the
 * callers found by the unwinder are those that have called.
 *
 *   stepcheck [--waiting] STEPS EVERY AFTER COMMAND [ARG…]
 *
 * Walks at each EVERY-th of STEPS steps, from the first instruction on, or after the program
 * has run freely for AFTER milliseconds. With --waiting a walk begins with sp and pc only, as
 * those of a thread that is not stopped.
 *
 * The truth is a shadow stack, which needs no CFI: each call instruction pushes the return
 * address and its place on the stack; an entry is removed when sp has passed it, by ret,
 * longjmp or an exception alike. The delivery of a signal pushes two entries: the restorer,
 * to which the handler returns, and the interrupted pc. After a free run the stack found then
 * is taken as true; if it is wrong, that shows when one of its functions returns. Later calls
 * are known.
 *
 * All other tests stop at samples and so see only the few instructions at which interrupts
 * tend to arrive; this test sees each prologue, epilogue and PLT stub.
 *
 * Prints "walks N right N", then for each function and kind of difference a line: "short N
 * FUNCTION: REASON" if the frames found are right but some are missing, or "wrong N FUNCTION at
 * PC: frame I is PC, not PC".
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "sampler/thread/registers.h"
#include "sampler/thread/snapshot.h"
#include "unwind/stack.h"
#include "unwind/unwinder.h"
#include "symbolize/symbolizer.h"

/* STACK_ROOM is less than any main stack has mapped, so that its top can be copied, too. */
enum { STACK_ROOM = 96 << 10, DEPTH_MAX = 100000, KINDS_MAX = 256, INSTRUCTION = 16 };
enum { SYS_MMAP = 9, SYS_MREMAP = 25 }; /* mprotect and munmap are between them */

struct call {
	uint64_t slot; /* address of the return address; the call has ended if sp is above it */
	uint64_t pc;
};

struct difference {
	char what[400];
	unsigned long count;
};

static struct process process;
static struct modmap *maps;
static struct unwinder *unwinder;
static struct symbolizer *symbolizer;
static struct snapshot snapshot;
static struct stack stack;
static struct call calls[DEPTH_MAX];
static size_t depth;
static struct difference differences[KINDS_MAX];
static size_t kinds;
static unsigned long walks, right;
static bool waiting;
static uint64_t stack_top; /* so that a walk can return from an alternate signal stack */

static int fail(const char *what)
{
	fprintf(stderr, "stepcheck: %s\n", what);
	exit(1);
}

static uint64_t peek(uint64_t addr)
{
	return (uint64_t)ptrace(PTRACE_PEEKDATA, process.pid, addr, 0);
}

static uint64_t pc_of(const struct frame *f)
{
	const struct mapping *range = f->image ? modmap_first_range(maps, f->image) : NULL;

	return f->addr + (range ? range->bias : 0);
}

static const char *function_of(const struct frame *f)
{
	struct symbol symbol = { .count = 0 };

	if (f->image)
		symbolizer_lookup(symbolizer, f->image, frame_code_address(f->addr, f->kind),
				  &symbol);
	if (symbol.count)
		return symbol.frames[symbol.count - 1].system_name;
	return f->image ? image_name(f->image) : "?";
}

/* Differences of one kind in one function are counted in one line, which shows the first. */
static void note(const char *what, size_t key_len)
{
	for (size_t i = 0; i < kinds; i++)
		if (!strncmp(differences[i].what, what, key_len)) {
			differences[i].count++;
			return;
		}
	if (kinds == KINDS_MAX)
		fail("too many kinds of differences");
	snprintf(differences[kinds].what, sizeof(differences[kinds].what), "%s", what);
	differences[kinds++].count = 1;
}

static void note_short(void)
{
	char what[400];

	snprintf(what, sizeof(what), "short %s: %s", function_of(&stack.frames[stack.count - 1]),
		 stack_end_name(stack.end));
	note(what, strlen(what) + 1);
}

/* `truth` is 0 if there was no caller. */
static void note_wrong(size_t frame, uint64_t truth)
{
	char what[400];
	int key = snprintf(what, sizeof(what), "wrong %s", function_of(&stack.frames[frame - 1]));

	snprintf(what + key, sizeof(what) - (size_t)key, " at %lx: frame %zu is %lx, not %lx",
		 pc_of(&stack.frames[0]), frame, pc_of(&stack.frames[frame]), truth);
	note(what, (size_t)key + 4);
}

static void compare(void)
{
	for (size_t i = 1; i < stack.count; i++) {
		uint64_t truth = i <= depth ? calls[depth - i].pc : 0;

		if (pc_of(&stack.frames[i]) != truth) {
			note_wrong(i, truth);
			return;
		}
	}
	if (stack.count != depth + 1 || stack.end != STACK_OUTERMOST)
		note_short();
	else
		right++;
}

static void walk(const struct registers *regs)
{
	snapshot.spans = modmap_spans(maps);
	snapshot_take(&snapshot, process.pid, regs, STACK_ROOM - 256, stack_top);
	if (waiting)
		snapshot.regs.unknown = ~(uint32_t)CALLER_KNOWS;
	if (unwinder_walk(unwinder, maps,
			  &(struct walk_from){ .regs = &snapshot.regs, .memory = &snapshot.memory },
			  &stack))
		fail("out of memory");
	walks++;
	compare();
}

static void push(uint64_t slot, uint64_t pc)
{
	if (depth == DEPTH_MAX)
		fail("too deep");
	calls[depth++] = (struct call){ slot, pc };
}

/* After prefixes: E8, or FF with 2 in the reg field of its ModRM byte. */
static int is_call(const uint8_t *code)
{
	while (*code == 0xf2 || *code == 0x3e || *code == 0x66 || *code == 0x67 ||
	       (*code & 0xf0) == 0x40)
		code++;
	return code[0] == 0xe8 || (code[0] == 0xff && (code[1] >> 3 & 7) == 2);
}

static int is_syscall(const uint8_t *code)
{
	return code[0] == 0x0f && code[1] == 0x05;
}

static void read_code(uint64_t pc, uint8_t code[INSTRUCTION])
{
	struct iovec local = { code, INSTRUCTION };
	struct iovec remote = { (void *)(uintptr_t)pc, INSTRUCTION };

	memset(code, 0, INSTRUCTION);
	process_vm_readv(process.pid, &local, 1, &remote, 1, 0);
}

static void refresh_maps(void)
{
	struct error err = { 0 };

	if (modmap_refresh(maps, &err))
		fail(err.text);
}

/* Executes one instruction and updates the shadow stack. 0: the program has ended. */
static int step(struct registers *regs, int *sig)
{
	struct registers before = *regs;
	uint8_t code[INSTRUCTION];
	int status, delivered = *sig;

	read_code(before.user.rip, code);
	ptrace(PTRACE_SINGLESTEP, process.pid, 0, delivered);
	if (waitpid(process.pid, &status, 0) != process.pid || !WIFSTOPPED(status))
		return 0;
	*sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	registers_read(process.pid, regs);
	if (*sig)
		return 1; /* nothing was executed; the next step delivers the signal */
	while (depth && calls[depth - 1].slot < regs->user.rsp)
		depth--;
	if (delivered && regs->user.rip != before.user.rip && regs->user.rsp != before.user.rsp) {
		push(before.user.rsp - 1, before.user.rip);
		push(regs->user.rsp, peek(regs->user.rsp));
	} else if (is_call(code) && regs->user.rsp == before.user.rsp - 8) {
		push(regs->user.rsp, peek(regs->user.rsp));
	} else if (is_syscall(code) && before.user.rax >= SYS_MMAP &&
		   before.user.rax <= SYS_MREMAP) {
		refresh_maps();
	}
	return 1;
}

/* Lets the program run, and then takes its pending calls from a walk: each return address is
 * searched above that of the function that was called. */
static void run_freely(long ms, struct registers *regs)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };
	uint64_t slot;
	int status;

	ptrace(PTRACE_CONT, process.pid, 0, 0);
	nanosleep(&ts, NULL);
	kill(process.pid, SIGSTOP);
	if (waitpid(process.pid, &status, 0) != process.pid || !WIFSTOPPED(status))
		fail("the program has ended already");
	registers_read(process.pid, regs);
	refresh_maps();
	snapshot_take(&snapshot, process.pid, regs, STACK_ROOM - 256, 0);
	if (unwinder_walk(unwinder, maps,
			  &(struct walk_from){ .regs = &snapshot.regs, .memory = &snapshot.memory },
			  &stack))
		fail("out of memory");
	slot = regs->user.rsp;
	for (depth = 0; depth + 1 < stack.count; slot += 8) {
		uint64_t pc = pc_of(&stack.frames[depth + 1]);

		while (slot < stack_top && peek(slot) != pc)
			slot += 8;
		calls[depth++] = (struct call){ slot, pc };
	}
	for (size_t i = 0; i < depth / 2; i++) {
		struct call c = calls[i];

		calls[i] = calls[depth - 1 - i];
		calls[depth - 1 - i] = c;
	}
}

/* We and the program take turns: on the same CPU neither has to be woken on another. */
static void stay_on_one_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void start(char **command)
{
	struct error err = { 0 };
	int status;
	pid_t pid;

	stay_on_one_cpu();
	pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		fail("cannot start the program");
	if (process_open(&process, pid, &err) || modmap_new(&maps, &process) ||
	    modmap_refresh(maps, &err) || unwinder_new(&unwinder) ||
	    symbolizer_new(&symbolizer, &process, SYMBOLIZE_NO_INLINE) ||
	    snapshot_init(&snapshot, STACK_ROOM))
		fail(err.text);
}

int main(int argc, char **argv)
{
	struct registers regs = { 0 };
	long steps, every, after;
	int sig = 0;

	waiting = argc > 1 && !strcmp(argv[1], "--waiting");
	argc -= waiting;
	argv += waiting;
	if (argc < 5 || (steps = atol(argv[1])) <= 0 || (every = atol(argv[2])) <= 0)
		return 2;
	after = atol(argv[3]);
	start(argv + 4);
	registers_read(process.pid, &regs);
	stack_top = regs.user.rsp;
	if (after > 0)
		run_freely(after, &regs);
	for (long i = 0; i < steps && step(&regs, &sig); i++)
		if (i % every == 0 && !sig)
			walk(&regs);
	printf("walks %lu right %lu\n", walks, right);
	for (size_t i = 0; i < kinds; i++)
		printf("%.5s %lu%s\n", differences[i].what, differences[i].count,
		       differences[i].what + 5);
	kill(process.pid, SIGKILL);
	snapshot_release(&snapshot);
	stack_release(&stack);
	symbolizer_free(symbolizer);
	unwinder_free(unwinder);
	modmap_free(maps);
	process_close(&process);
	return 0;
}
