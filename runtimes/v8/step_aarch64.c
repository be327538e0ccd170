/* V8's frames on aarch64 are not known yet. */
#include <stddef.h>

#include "base/error.h"
#include "runtimes/v8/step.h"

int v8_steps_new(struct v8_steps **steps)
{
	*steps = NULL;
	return ERR_NOTFOUND;
}

void v8_steps_begin(struct v8_steps *steps)
{
	(void)steps;
}

void v8_steps_free(struct v8_steps *steps)
{
	(void)steps;
}

int v8_step(void *rt, struct walk *w, enum frame_kind *kind, struct managed_frame *frame)
{
	(void)rt, (void)w, (void)kind, (void)frame;
	return MANAGED_PASS;
}
