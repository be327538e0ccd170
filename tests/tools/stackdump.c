// links: sampler/thread
/*
 * Prints the stacks of all threads of a process that is already stopped (kill -STOP), for
 * comparison with eu-stack and gdb: "TID n", then a line "PC FUNCTION" for each frame,
 * innermost first, then "END reason".
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "sampler/thread/registers.h"
#include "sampler/thread/snapshot.h"
#include "unwind/stack.h"
#include "unwind/unwinder.h"
#include "symbolize/symbolizer.h"

enum { STACK_ROOM = 8 << 20 };

static struct process process;
static struct modmap *maps;
static struct unwinder *unwinder;
static struct symbolizer *symbolizer;
static struct snapshot snapshot;

static int take(pid_t tid)
{
	struct registers regs = { 0 };
	int status, rc = 1;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0) || ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
	    waitpid(tid, &status, __WALL) != tid)
		return 1;
	if (registers_read(tid, &regs) == 0) {
		snapshot_take(&snapshot, tid, &regs, STACK_ROOM - 256, 0);
		rc = 0;
	}
	ptrace(PTRACE_DETACH, tid, 0, 0);
	return rc;
}

static void print_frame(const struct frame *f)
{
	const struct mapping *range = f->image ? modmap_first_range(maps, f->image) : NULL;
	struct symbol symbol = { .count = 0 };

	if (f->image)
		symbolizer_lookup(symbolizer, f->image, frame_code_address(f->addr, f->kind),
				  &symbol);
	printf("%lx %s\n", f->addr + (range ? range->bias : 0),
	       symbol.count ? symbol.frames[symbol.count - 1].system_name : "?");
}

static int dump(pid_t tid)
{
	struct stack stack = { 0 };

	if (take(tid))
		return 1;
	if (unwinder_walk(unwinder, maps,
			  &(struct walk_from){ .regs = &snapshot.regs, .memory = &snapshot.memory },
			  &stack))
		return 1;
	printf("TID %d\n", tid);
	for (size_t i = 0; i < stack.count; i++)
		print_frame(&stack.frames[i]);
	printf("END %s\n", stack_end_name(stack.end));
	stack_release(&stack);
	return 0;
}

static int dump_all(void)
{
	char path[64];
	struct dirent *e;
	int rc = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", process.pid);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			rc |= dump(atoi(e->d_name));
	if (d)
		closedir(d);
	return rc;
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	int rc;

	if (argc != 2)
		return 2;
	if (process_open(&process, atoi(argv[1]), &err) || modmap_new(&maps, &process) ||
	    modmap_refresh(maps, &err) || unwinder_new(&unwinder) ||
	    symbolizer_new(&symbolizer, &process, SYMBOLIZE_NO_INLINE) ||
	    snapshot_init(&snapshot, STACK_ROOM)) {
		fprintf(stderr, "stackdump: %s\n", err.text);
		return 1;
	}
	rc = dump_all();
	snapshot_release(&snapshot);
	symbolizer_free(symbolizer);
	unwinder_free(unwinder);
	modmap_free(maps);
	process_close(&process);
	return rc;
}
