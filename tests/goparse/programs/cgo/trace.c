//go:build traced

/* A traceback that follows frame pointers, and a symbolizer that asks the dynamic linker
 * (runtime.SetCgoTraceback has the structs). It knows no lines: it gives each function a file
 * named after it, but for one that it gives a name without a file, and one that has neither. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

struct traceback {
	uintptr_t context, signal;
	uintptr_t *buf;
	uintptr_t max;
};

struct symbolizer {
	uintptr_t pc;
	const char *file;
	uintptr_t line;
	const char *function;
	uintptr_t entry, more, data;
};

struct context {
	uintptr_t *frame;
};

void c_context(uintptr_t *context)
{
	if (!*context)
		*context = (uintptr_t)__builtin_frame_address(0);
}

void c_traceback(struct traceback *t)
{
	uintptr_t *frame = (uintptr_t *)t->context;
	uintptr_t n = 0;

	if (t->signal) {
		ucontext_t *u = (ucontext_t *)t->signal;

		t->buf[n++] = u->uc_mcontext.gregs[REG_RIP];
		frame = (uintptr_t *)u->uc_mcontext.gregs[REG_RBP];
	}
	for (; n < t->max && n < 8 && frame && frame[1] > 4096; frame = (uintptr_t *)frame[0]) {
		Dl_info info;

		if (!dladdr((void *)frame[1], &info) || !info.dli_sname)
			break;
		t->buf[n++] = frame[1];
	}
	if (n < t->max)
		t->buf[n] = 0;
}

void c_symbolize(struct symbolizer *s)
{
	static char file[256];
	Dl_info info;

	s->file = s->function = NULL;
	s->more = 0;
	if (!s->pc || !dladdr((void *)s->pc, &info) || !info.dli_sname)
		return;
	if (!strcmp(info.dli_sname, "poke"))
		return;
	s->function = info.dli_sname;
	if (!strcmp(info.dli_sname, "start_thread"))
		return;
	snprintf(file, sizeof(file), "/tmp/c source/%s.c", info.dli_sname);
	s->file = file;
	s->line = s->pc % 1000;
}
