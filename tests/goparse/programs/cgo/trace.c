//go:build traced

/* A traceback that follows frame pointers, and a symbolizer that uses dladdr(3)
 * (runtime.SetCgoTraceback documents the structs). It has no line tables: each function gets a file
 * named after it, except "inner", which gets no file, and "poke", which gets no name either. */
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

extern __thread void *c_frame;
void inner(int n);

/* cgo's code between C and Go keeps no frame pointer, so inner() stores its own. */
void c_context(uintptr_t *context)
{
	if (!*context)
		*context = (uintptr_t)c_frame;
}

/* Each frame is above the previous one on the stack; other values that libc has in rbp are not. */
static uintptr_t follow(uintptr_t *buf, uintptr_t max, uintptr_t low, uintptr_t frame)
{
	uintptr_t n = 0;
	Dl_info info;

	while (n < max && frame >= low && frame - low < 4096 && !(frame & 7)) {
		uintptr_t pc = ((uintptr_t *)frame)[1];

		if (!dladdr((void *)pc, &info) || !info.dli_sname)
			break;
		buf[n++] = pc;
		low = frame;
		frame = *(uintptr_t *)frame;
	}
	return n;
}

void c_traceback(struct traceback *t)
{
	ucontext_t *u = (ucontext_t *)t->signal;
	uintptr_t n = 0;

	if (u) {
		t->buf[n++] = u->uc_mcontext.gregs[REG_RIP];
		n += follow(t->buf + n, 8, u->uc_mcontext.gregs[REG_RSP],
			    u->uc_mcontext.gregs[REG_RBP]);
	} else if (t->context) {
		t->buf[n++] = (uintptr_t)inner + 8;
		n += follow(t->buf + n, 8, t->context, t->context);
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
	if (!strcmp(info.dli_sname, "inner"))
		return;
	snprintf(file, sizeof(file), "/tmp/c source/%s.c", info.dli_sname);
	s->file = file;
	s->line = s->pc % 1000;
}
