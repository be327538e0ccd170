/*
 * The root is found by its name, which is a symbol or a section, and never by that of the file:
 * CPython is in libpython, in static programs, in uwsgi, in what PyInstaller unpacks.
 *
 * - _PyRuntime (3.7 and later) is exported, so it is in .dynsym of stripped files, too. Programs
 *   that do not export their symbols have the section .PyRuntime (3.10 and later).
 * - Before, interp_head is static. A file without .symtab has PyInterpreterState_Head, whose first
 *   instruction loads it (x86-64).
 *
 * The release: from 3.13 on _PyRuntime begins with it; 3.11 and later export Py_Version. All older
 * ones have the tag of their .pyc files as a string of its own, "cpython-39" (_PySys_ImplCacheTag
 * in Python/sysmodule.c). Rejected: the name in DT_SONAME, which programs do not have.
 */
#include "runtimes/cpython/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/elfsymbol.h"
#include "base/process/image.h"
#include "runtimes/cpython/layout.h"
#include "runtimes/cpython/releases.h"

enum { TEXTS_MAX = 64 << 20, HEAD_CODE = 11 };

enum { RUNTIME, VERSION, CODE_TYPE, LOOP, HEAD, HEAD_FUNCTION, SYMBOLS };

struct located {
	struct elfsymbol symbols[SYMBOLS];
	uint64_t runtime; /* image address; 0: older than 3.7 */
	uint64_t debug[CPYTHON_DEBUG_WORDS];
	bool has_debug;
	uint32_t hex; /* PY_VERSION_HEX; the lower half may be 0 */
};

/* Decodes `mov interp_head(%rip), %rax`, which may follow an endbr64. */
static bool decode_head(const struct image *image, uint64_t function, uint64_t *head)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t load[] = { 0x48, 0x8b, 0x05 };
	uint8_t code[HEAD_CODE];
	size_t at = 0;
	int32_t distance;

	if (!elfsymbol_bytes(image, function, code, sizeof(code)))
		return false;
	if (!memcmp(code, endbr64, sizeof(endbr64)))
		at = sizeof(endbr64);
	if (memcmp(code + at, load, sizeof(load)) != 0)
		return false;
	memcpy(&distance, code + at + sizeof(load), sizeof(distance));
	*head = function + at + sizeof(load) + sizeof(distance) + (uint64_t)(int64_t)distance;
	return true;
}

static bool locate_find_root(struct located *l, const struct image *image, uint64_t *head)
{
	uint64_t size;

	if (l->symbols[RUNTIME].found) {
		l->runtime = l->symbols[RUNTIME].addr;
		return true;
	}
	if (elfsymbol_section(image, ".PyRuntime", &l->runtime, &size))
		return true;
	l->runtime = 0;
	*head = l->symbols[HEAD].addr;
	return l->symbols[HEAD].found || (l->symbols[HEAD_FUNCTION].found &&
					  decode_head(image, l->symbols[HEAD_FUNCTION].addr, head));
}

/* The string that begins with `start`, has digits behind, and ends there. NULL: there is none. */
static const char *find_text(const char *texts, size_t len, const char *start)
{
	size_t skip = strlen(start);

	for (const char *at = texts; (at = memmem(at, len - (size_t)(at - texts), start, skip));
	     at++) {
		const char *end = at + skip;

		while (end < texts + len && *end >= '0' && *end <= '9')
			end++;
		if (end > at + skip && end - at < 16 && end < texts + len && !*end)
			return at;
	}
	return NULL;
}

static uint32_t version_in(const char *texts, size_t len)
{
	const char *tag = find_text(texts, len, "cpython-3"), *full;
	unsigned minor = tag ? (unsigned)strtoul(tag + strlen("cpython-3"), NULL, 10) : 0;
	char start[16];

	if (!tag || minor > UINT8_MAX)
		return 0;
	snprintf(start, sizeof(start), "3.%u.", minor);
	full = find_text(texts, len, start);
	return 3u << 24 | minor << 16 |
	       (full ? (uint32_t)strtoul(full + strlen(start), NULL, 10) & 0xff : 0) << 8;
}

static int version_of_texts(const struct image *image, uint32_t *hex)
{
	uint64_t addr, size;
	char *texts;

	*hex = 0;
	if (!elfsymbol_section(image, ".rodata", &addr, &size) || size > TEXTS_MAX)
		return 0;
	texts = malloc(size);
	if (!texts)
		return ERR_NOMEM;
	if (elfsymbol_bytes(image, addr, texts, size))
		*hex = version_in(texts, size);
	free(texts);
	return 0;
}

static int find_version(struct located *l, struct cpython *python, const struct image *image)
{
	const struct elfsymbol *version = &l->symbols[VERSION];

	if (l->runtime && elfsymbol_bytes(image, l->runtime, l->debug, sizeof(l->debug)))
		l->has_debug = cpython_debug_version(l->debug, &l->hex, &python->free_threaded);
	if (l->has_debug ||
	    (version->found && elfsymbol_bytes(image, version->addr, &l->hex, sizeof(l->hex))))
		return 0;
	return version_of_texts(image, &l->hex);
}

static void locate_set_name(struct cpython *python, uint32_t hex)
{
	static const char suffix[] = { [0xa] = 'a', [0xb] = 'b', [0xc] = 'c' };
	unsigned level = hex >> 4 & 0xf;
	int len = snprintf(python->name, sizeof(python->name), "CPython %u.%u.%u%s", hex >> 24,
			   hex >> 16 & 0xff, hex >> 8 & 0xff,
			   python->free_threaded ? " free-threaded" : "");

	if (level >= 0xa && level <= 0xc)
		snprintf(python->name + len, sizeof(python->name) - (size_t)len, "%c%u",
			 suffix[level], hex & 0xf);
}

int cpython_locate(struct cpython *python, const struct image *image, uint64_t bias,
		   struct error *why)
{
	struct located l = { .symbols = {
				     [RUNTIME] = { .name = "_PyRuntime" },
				     [VERSION] = { .name = "Py_Version" },
				     [CODE_TYPE] = { .name = "PyCode_Type" },
				     [LOOP] = { .name = "_PyEval_EvalFrameDefault" },
				     [HEAD] = { .name = "interp_head" },
				     [HEAD_FUNCTION] = { .name = "PyInterpreterState_Head" } } };
	uint64_t head = 0;

	memset(python, 0, sizeof(*python));
	elfsymbol_find(image, l.symbols, SYMBOLS);
	if (!locate_find_root(&l, image, &head))
		return ERR_NOTFOUND;
	if (find_version(&l, python, image))
		return ERR_NOMEM;
	if (!l.hex)
		return error_set(why, ERR_FORMAT, "'%s' does not say which CPython it has",
				 image_path(image));
	python->version = (uint16_t)(l.hex >> 16);
	locate_set_name(python, l.hex);
	if (cpython_layout_set(python, l.has_debug ? l.debug : NULL))
		return error_set(why, ERR_FORMAT, "'%s' has %s, which is not supported",
				 image_path(image), python->name);
	if (l.runtime)
		head = l.runtime + python->layout.runtime.interpreters;
	if (l.runtime && python->layout.runtime.gil != CPYTHON_NONE)
		python->gil = bias + l.runtime + python->layout.runtime.gil;
	python->head = bias + head;
	if (l.symbols[CODE_TYPE].found)
		python->code_type = bias + l.symbols[CODE_TYPE].addr;
	if (l.symbols[LOOP].found) {
		python->loop = bias + l.symbols[LOOP].addr;
		python->loop_end = python->loop + l.symbols[LOOP].size;
	}
	return 0;
}
