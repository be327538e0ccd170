/* The table leads to the files that do the work. A runtime is found by its layout (find.c), and
 * then its live state must agree with that. */
#include "runtimes/cpython/cpython.h"

#include <stdlib.h>

#include "base/error.h"
#include "runtimes/cpython/capture.h"
#include "runtimes/cpython/code.h"
#include "runtimes/cpython/find.h"
#include "runtimes/cpython/layout.h"
#include "runtimes/cpython/states.h"

static int cpython_find(void **rt, const struct image *image, uint64_t bias,
			const struct memory *memory, struct error *why)
{
	struct cpython *python = malloc(sizeof(*python));
	int rc;

	if (!python)
		return ERR_NOMEM;
	rc = cpython_locate(python, image, bias, why);
	if (!rc)
		rc = cpython_check(python, memory, why);
	if (rc)
		free(python);
	else
		*rt = python;
	return rc;
}

static bool cpython_is_new(const void *rt)
{
	return ((const struct cpython *)rt)->is_new;
}

const struct interp_ops cpython_ops = {
	.mapping = "[python]",
	.find = cpython_find,
	.free = free,
	.is_new = cpython_is_new,
	.threads = cpython_threads,
	.capture = cpython_capture,
	.identify = cpython_identify,
	.resolve = cpython_resolve,
	.line = cpython_line,
	.anchor = cpython_anchor,
	.task_name = cpython_task_name,
	.note_image = cpython_note_image,
};
