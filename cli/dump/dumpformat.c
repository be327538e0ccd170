/* What both formats share: the words for a thread's state, and a buffer that is written out at each
 * MiB. */
#include "cli/dump/dumpformat.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"

enum { MUCH = 1 << 20 };

/* fs/proc/array.c, task_state_array */
const char *dump_state_name(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
		return "sleeping";
	case 'D':
		return "disk sleep";
	case 'T':
		return "stopped";
	case 't':
		return "tracing stop";
	case 'Z':
		return "zombie";
	case 'X':
		return "dead";
	case 'I':
		return "idle";
	case 'P':
		return "parked";
	default:
		return "unknown";
	}
}

int dump_flush(struct buffer *b, struct outfile *file, int rc, bool all, struct error *err)
{
	if (rc)
		return error_nomem(err);
	if (!all && b->len < MUCH)
		return 0;
	rc = outfile_write(file, b->data, b->len, err);
	b->len = 0;
	return rc;
}
