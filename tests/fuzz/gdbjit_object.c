// links: runtimes/gdbjit
/* Any bytes as a file that a JIT compiler has registered, and as the process's memory: functions
 * are ascending, have names of UTF-8, and lie in the object; each address gives a function that
 * covers it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "base/strset.h"
#include "runtimes/gdbjit/object.h"
#include "unwind/table/table.h"
#include "tests/fuzz/chains.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct jit_object *o, const struct strset *names)
{
	for (size_t i = 0; i < o->count; i++) {
		const struct jit_function *f = &o->functions[i], *found;

		must(f->start < f->end && f->start >= o->low && f->end <= o->high);
		must(!i || f->start >= f[-1].start);
		check_text(strset_get(names, f->name));
		found = jitobject_find(o, f->start);
		must(!found || (found->start <= f->start && f->start < found->end));
		if (o->table)
			cfi_table_find(o->table, f->start);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_object o = { .count = 0 };
	struct memory_bytes memory;
	struct strset names;
	int rc;

	memory_bytes_init(&memory, data, START, size);
	must(!strset_init(&names));
	rc = jitobject_read(&o, data, size, &memory.memory, &names);
	must(!rc || rc == ERR_FORMAT);
	check(&o, &names);
	jitobject_release(&o);
	strset_release(&names);
	return 0;
}
