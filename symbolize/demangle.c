/*
 * Uses libiberty, whose demangler binutils, gdb and perf use. The name's first letters determine
 * the language: "_Z" C++ or Rust, "_R" Rust, "_D" D (demangle_d.c). All other names, Go's among
 * them, are not mangled.
 *
 * Parameters and return types are left out, template arguments stay, and Rust's hash is removed.
 * This is google/pprof's "templates" form: a profile is read by function, and whole signatures of
 * C++ fill a screen each, but vector<int> and vector<string> have different costs. Overloads stay
 * apart by system_name, from which pprof can make its other forms (-symbolize=demangle=...:force).
 *
 * Mangled names come from the target's files, and some make libiberty work without bound. These
 * limits are set:
 *
 *   - The callback interface is used. It builds no string and, for C++, gets no memory from malloc.
 *     A name whose substitutions double again and again yields gigabytes of text. When there is too
 *     much, the callback leaves by longjmp, the only way out that the interface has.
 *   - libiberty rejects C++ names longer than 1,024 bytes to protect its stack, but real names of
 *     templates are longer. DMGL_NO_RECURSE_LIMIT lifts that; with 4 KiB the deepest nesting takes
 *     less than 1 MiB of stack.
 *   - Template arguments behind a template parameter in a conversion operator are parsed twice at
 *     each level, which is exponential ("T_I" in "cv"). A binder in Rust ("FG...", "DG...") is a
 *     loop that runs as often as its number says, up to 2^64 times, and without a callback in a
 *     skipped part. Both are recognised by their letters beforehand; a name with the same letters
 *     by chance stays mangled.
 */
#include "symbolize/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/printable.h"

enum { IN_MAX = 4 << 10, OUT_MAX = 16 << 10, REPARSED_MAX = 8, BINDER_DIGITS_MAX = 2 };

struct demangle_output {
	char text[OUT_MAX + 1];
	size_t len;
	bool full, may_hold_memory;
	jmp_buf enough;
};

/* Rust's decoder of punycode holds memory while it hands over decoded letters, and leaving then
 * would leak it. These letters are never all ASCII, and another piece soon follows. */
static bool may_leave(const struct demangle_output *o, const char *s, size_t len)
{
	for (size_t i = 0; o->may_hold_memory && i < len; i++)
		if ((unsigned char)s[i] >= 0x80)
			return false;
	return true;
}

static void demangle_take(const char *s, size_t len, void *opaque)
{
	struct demangle_output *o = opaque;

	if (o->full || len > OUT_MAX - o->len) {
		o->full = true;
		if (may_leave(o, s, len))
			longjmp(o->enough, 1);
		return;
	}
	if (len)
		memcpy(o->text + o->len, s, len);
	o->len += len;
}

static size_t demangle_digits(const char *s)
{
	return strspn(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

static bool has_long_binder(const char *name)
{
	for (const char *g = name; (g = strchr(g + 1, 'G'));) {
		size_t n = demangle_digits(g + 1);

		if ((g[-1] == 'F' || g[-1] == 'D') && n > BINDER_DIGITS_MAX && g[n + 1] == '_')
			return true;
	}
	return false;
}

static bool is_reparsed(const char *name)
{
	unsigned count = 0;

	if (!strstr(name, "cv"))
		return false;
	for (const char *t = name; (t = strchr(t, 'T')); t++) {
		size_t n = demangle_digits(t + 1);

		count += t[n + 1] == '_' && t[n + 2] == 'I';
	}
	return count > REPARSED_MAX;
}

static bool by_libiberty(const char *name, struct demangle_output *o)
{
	o->len = 0;
	o->full = false;
	o->may_hold_memory = true;
	if (setjmp(o->enough))
		return false;
	if (!has_long_binder(name) && rust_demangle_callback(name, DMGL_ANSI, demangle_take, o))
		return true;
	if (name[1] == 'R' || is_reparsed(name))
		return false;
	o->len = 0;
	o->may_hold_memory = false;
	return cplus_demangle_v3_callback(name, DMGL_ANSI | DMGL_NO_RECURSE_LIMIT, demangle_take,
					  o);
}

/* libiberty allocates the memory for D's names. */
static bool by_demangle_d(const char *name, struct demangle_output *o)
{
	char *text = demangle_d(name);
	size_t len = text ? strlen(text) : 0;

	if (len && len <= OUT_MAX)
		memcpy(o->text, text, len);
	free(text);
	o->len = len;
	o->full = false;
	return len && len <= OUT_MAX;
}

const char *demangle(struct arena *arena, const char *name)
{
	bool mangled = (!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2)) &&
		       strlen(name) <= IN_MAX;
	struct demangle_output o;

	if (!(mangled ? by_libiberty(name, &o) : by_demangle_d(name, &o)) || !o.len || o.full)
		return arena_copy(arena, name, strlen(name));
	/* Decoded text may have control characters: "$u7f$" is a DEL in Rust's old mangling. */
	return arena_copy(arena, o.text, printable_bytes(o.text, o.len));
}
