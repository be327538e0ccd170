// links: runtimes/hotspot
/*
 * javanames PID methods: prints all methods of all classes that a HotSpot VM has loaded, as frames of
 * the interpreter are named: "NAME@FILE:FIRST_LINE BCI=LINE ...", one a line; for each bytecode
 * index at which the line changes.
 *
 * javanames PID threads: prints what the VM tells of its threads: "TID ROLE STATE NAME".
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/hotspot/names.h"
#include "runtimes/hotspot/hotspot.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum { METHODS_MAX = 65535 };

static struct process process;
static struct memory_live live;
static void *hs;
static struct vmstructs *tables;
static unsigned long named, nameless;

static uint64_t offset(const char *type, const char *name)
{
	struct vmfield f;

	if (!vmstructs_field(tables, type, name, &f)) {
		fprintf(stderr, "no %s::%s\n", type, name);
		exit(1);
	}
	return f.offset;
}

static uint64_t word(uint64_t addr)
{
	uint64_t value = 0;

	memory_read_u64(&live.memory, addr, &value);
	return value;
}

static bool find(void)
{
	const struct mapping *ranges;
	struct modmap *maps;
	size_t count;

	if (modmap_new(&maps, &process) || modmap_refresh(maps, NULL))
		return false;
	memory_live_init(&live, process.pid);
	ranges = modmap_ranges(maps, &count);
	for (size_t i = 0; i < count; i++) {
		struct vmsymbols symbols;

		if (!image_elf(ranges[i].image) ||
		    vmstructs_find(ranges[i].image, ranges[i].bias, &symbols))
			continue;
		return !vmstructs_read(&symbols, &live.memory, &tables, NULL) &&
		       !hotspot_ops.find(&hs, ranges[i].image, ranges[i].bias, &live.memory, NULL);
	}
	return false;
}

static void print_lines(struct managed_frame *frame, unsigned code_size)
{
	uint32_t last = 0;

	for (frame->at = 0; frame->at < code_size; frame->at++) {
		struct managed_names names = { .count = 0 };
		struct arena arena = { 0 };

		if (hotspot_names(hs, frame, &arena, &names) || names.count != 1)
			printf(" %lu=?", frame->at);
		else if (names.at[0].line != last)
			printf(" %lu=%u", frame->at, last = names.at[0].line);
		arena_release(&arena);
	}
}

static void print_method(uint64_t addr)
{
	struct managed_names names = { .count = 0 };
	struct managed_frame frame = { .kind = HOTSPOT_INTERPRETED, .code = addr };
	struct arena arena = { 0 };
	struct hotspot_method m;

	if (hotspot_method_read(hs, addr, &m)) {
		nameless++;
		return;
	}
	frame.id = m.id;
	if (hotspot_names(hs, &frame, &arena, &names) || names.count != 1) {
		nameless++;
	} else {
		named++;
		printf("%s@%s:%u", names.at[0].name, names.at[0].file, names.at[0].first_line);
		print_lines(&frame, (unsigned)m.code_size);
		putchar('\n');
	}
	arena_release(&arena);
}

static void print_class(uint64_t klass)
{
	static uint64_t methods[METHODS_MAX];
	uint64_t array = word(klass + offset("InstanceKlass", "_methods"));
	int32_t layout = 0;
	uint32_t count = 0;

	live.memory.read(&live.memory, klass + offset("Klass", "_layout_helper"), &layout, 4);
	if (layout < 0) /* an array's class */
		return;
	live.memory.read(&live.memory, array, &count, sizeof(count));
	if (count > METHODS_MAX ||
	    live.memory.read(&live.memory, array + 8, methods, count * sizeof(*methods)))
		return;
	for (uint32_t i = 0; i < count; i++)
		print_method(methods[i]);
}

static void print_methods(void)
{
	uint64_t loader = word(offset("ClassLoaderDataGraph", "_head"));

	for (; loader; loader = word(loader + offset("ClassLoaderData", "_next"))) {
		uint64_t klass = word(loader + offset("ClassLoaderData", "_klasses"));

		for (; klass; klass = word(klass + offset("Klass", "_next_link")))
			print_class(klass);
	}
	printf("# %lu named, %lu not\n", named, nameless);
}

static void print_threads(const char *pid)
{
	char path[64];
	const struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		struct managed_thread told = { .role = NULL };

		if (*e->d_name != '.' && hotspot_thread(hs, atoi(e->d_name), &told))
			printf("%s %s %s %s\n", e->d_name, told.role ? told.role : "-",
			       told.state ? told.state : "-", told.name);
	}
	if (dir)
		closedir(dir);
}

int main(int argc, char **argv)
{
	if (argc != 3 || process_open(&process, atoi(argv[1]), NULL) || !find())
		return 2;
	if (!strcmp(argv[2], "methods"))
		print_methods();
	else
		print_threads(argv[1]);
	return 0;
}
