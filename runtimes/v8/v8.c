/* The table of functions that runtimes/managed.c calls. A frame's names come from names.c, from the
 * table of builtins, or from the kind of its code alone. */
#include "runtimes/v8/v8.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "runtimes/common/walkview.h"
#include "runtimes/v8/heap/codes.h"
#include "runtimes/v8/names.h"
#include "runtimes/v8/step.h"
#include "runtimes/v8/heap/runtime.h"

static void v8_release(void *data)
{
	struct v8_runtime *rt = data;

	v8_names_free(rt->names);
	v8_steps_free(rt->steps);
	v8_codes_free(rt->codes);
	v8_builtins_release(&rt->builtins);
	walkview_free(rt->cache);
	free(rt);
}

static int v8_prepare(struct v8_runtime *rt)
{
	int rc = walkview_new(&rt->cache, rt->live);

	if (rc)
		return rc;
	rt->memory = walkview_memory(rt->cache);
	rc = v8_steps_new(&rt->steps);
	if (!rc)
		rc = v8_builtins_read(&rt->builtins, &rt->place, rt->t.release);
	if (!rc)
		rc = v8_codes_new(&rt->codes);
	return rc ? rc : v8_names_new(rt);
}

static int v8_find(void **result, const struct image *image, uint64_t bias,
		   const struct memory *memory, struct error *why)
{
	struct v8_place place = { image, bias, memory };
	struct v8_runtime *rt;
	struct v8_tables t;
	int rc = v8_tables_read(&t, &place, why);

	if (rc)
		return rc;
	rt = calloc(1, sizeof(*rt));
	if (!rt)
		return ERR_NOMEM;
	rt->t = t;
	rt->place = place;
	rt->live = memory;
	snprintf(rt->version, sizeof(rt->version), "V8 %d.%d.%d.%d", t.version[0], t.version[1],
		 t.version[2], t.version[3]);
	rc = v8_prepare(rt);
	if (rc)
		v8_release(rt);
	else
		*result = rt;
	return rc;
}

static void v8_begin(void *data)
{
	struct v8_runtime *rt = data;

	walkview_begin(rt->cache);
	v8_steps_begin(rt->steps);
}

static void v8_name(struct managed_names *names, const char *text)
{
	names->at[0] = (struct managed_name){ .name = text, .file = "" };
	names->count = 1;
}

static void name_builtin(const struct v8_runtime *rt, const struct managed_frame *frame,
			 struct managed_names *names)
{
	const struct v8_builtin *b = v8_builtins_find(&rt->builtins, frame->code);

	if (b && b->name)
		v8_name(names, rt->builtins.names + b->name);
	else
		names->native = true;
}

static int find_names(void *data, const struct managed_frame *frame, struct arena *arena,
		      struct managed_names *names)
{
	struct v8_runtime *rt = data;

	switch ((enum v8_frame_kind)frame->kind) {
	case V8_UNKNOWN:
		return ERR_FORMAT;
	case V8_INTERPRETED:
	case V8_BASELINE:
	case V8_OPTIMIZED:
		return v8_function_names(rt, frame, arena, names);
	case V8_BUILTIN:
		name_builtin(rt, frame, names);
		return 0;
	case V8_HIDDEN:
		return 0;
	case V8_REGEXP:
		v8_name(names, "(regular expression)");
		return 0;
	case V8_WASM:
		v8_name(names, "(WebAssembly)");
		return 0;
	}
	return ERR_FORMAT;
}

const struct managed_ops v8_ops = {
	.mapping = "[node]",
	.find = v8_find,
	.free = v8_release,
	.begin = v8_begin,
	.step = v8_step,
	.names = find_names,
};
