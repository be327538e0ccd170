/* The table gives each predefined profile its name in Go; custom ones have theirs from the
 * program. */
#include "runtimes/go/profile/type.h"

const struct goprofile_id goprofile_ids[GOPROFILE_CUSTOM] = {
	[GOPROFILE_HEAP] = { GOPROFILE_HEAP, "heap" },
	[GOPROFILE_BLOCK] = { GOPROFILE_BLOCK, "block" },
	[GOPROFILE_MUTEX] = { GOPROFILE_MUTEX, "mutex" },
	[GOPROFILE_GOROUTINE] = { GOPROFILE_GOROUTINE, "goroutine" },
	[GOPROFILE_THREADCREATE] = { GOPROFILE_THREADCREATE, "threadcreate" },
};
