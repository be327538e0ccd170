/* From a frame of V8's to its caller's. */
#ifndef RUNTIMES_V8_STEP_H
#define RUNTIMES_V8_STEP_H

#include "unwind/managed.h"

struct v8_steps;

/* ERR_NOTFOUND: steps on this machine are not known; ERR_NOMEM. */
int v8_steps_new(struct v8_steps **steps);
void v8_steps_free(struct v8_steps *steps);

/* A walk begins. */
void v8_steps_begin(struct v8_steps *steps);

/* As managed_ops.step; `rt` is a struct v8_runtime. */
int v8_step(void *rt, struct walk *w, enum frame_kind *kind, struct managed_frame *frame);

#endif
