// links: runtimes/hotspot
/* vmstructs PID: prints the tables that the HotSpot VM of a process has of itself: fields, sizes and
 * constants. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/hotspot/vm/vmstructs.h"

static void print_field(const struct vmfield *f)
{
	printf("%s %s::%s %s 0x%lx\n", f->is_static ? "static" : "field", f->type, f->name,
	       f->type_string, f->offset);
}

static void print_number(const char *what, const char *name, int64_t value)
{
	printf("%s %s %ld\n", what, name, value);
}

int main(int argc, char **argv)
{
	struct memory_live live;
	struct process process;
	struct modmap *maps;
	size_t count;
	const struct mapping *ranges;

	if (argc != 2 || process_open(&process, atoi(argv[1]), NULL) ||
	    modmap_new(&maps, &process) || modmap_refresh(maps, NULL))
		return 2;
	memory_live_init(&live, process.pid);
	ranges = modmap_ranges(maps, &count);
	for (size_t i = 0; i < count; i++) {
		struct vmsymbols symbols;
		struct vmstructs *v;
		struct error why = { 0 };
		int rc;

		if (!image_elf(ranges[i].image) ||
		    vmstructs_find(ranges[i].image, ranges[i].bias, &symbols))
			continue;
		rc = vmstructs_read(&symbols, &live.memory, &v, &why);
		if (rc) {
			printf("# %d %s\n", rc, why.text);
			return 1;
		}
		vmstructs_list(v, print_field, print_number);
		return 0;
	}
	return 1;
}
