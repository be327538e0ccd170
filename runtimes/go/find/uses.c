/*
 * Go's compiler puts no data between instructions, so a function's code is decoded from its first
 * byte to its last. A byte that does not begin an instruction is skipped.
 */
#include "runtimes/go/find/uses.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "base/room.h"

enum { CODE_MAX = 64 << 10 };

bool gouses_variable(const struct image *image, uint64_t addr)
{
	size_t count;
	const struct image_segment *s = image_segments(image, &count);

	for (size_t i = 0; i < count; i++)
		if (s[i].flags & PF_W && addr - s[i].vaddr < s[i].memsz)
			return true;
	return false;
}

static int uses_add(struct gouses *u, const struct image *image, const struct gouse *use)
{
	if (use->kind != GOUSE_NUMBER && !gouses_variable(image, use->address))
		return 0;
	if (room_for((void **)&u->all, &u->room, u->count + 1, sizeof(*u->all)))
		return ERR_NOMEM;
	u->all[u->count++] = *use;
	return 0;
}

static int uses_decode(struct gouses *u, const struct image *image, uint64_t entry,
		       const uint8_t *code, size_t len)
{
	int rc = 0;

	for (size_t at = 0; at < len && !rc;) {
		struct gouse use = { 0 };

		at += gouses_of_insn(code + at, len - at, entry + at, &use);
		if (use.kind)
			rc = uses_add(u, image, &use);
	}
	return rc;
}

static int uses_read(struct gouses *u, struct gopclntab *t, const struct image *image,
		     const struct go_function *f)
{
	uint8_t *code;
	size_t len;
	int rc = 0;

	if (f->end <= f->entry || f->end - f->entry > CODE_MAX)
		return 0;
	len = (size_t)(f->end - f->entry);
	code = malloc(len);
	if (!code)
		return ERR_NOMEM;
	if (gopclntab_code(t, f->entry, code, len))
		rc = uses_decode(u, image, f->entry, code, len);
	free(code);
	return rc;
}

int gouses_load(struct gouses *uses, struct gopclntab *t, const struct image *image,
		const char *const *functions, size_t count)
{
	struct go_function *found = calloc(count, sizeof(*found));
	int rc = found ? 0 : ERR_NOMEM;

	memset(uses, 0, count * sizeof(*uses));
	if (found)
		gopclntab_named_all(t, functions, count, found);
	for (size_t i = 0; i < count && !rc; i++)
		rc = uses_read(&uses[i], t, image, &found[i]);
	free(found);
	return rc;
}

void gouses_release(struct gouses *uses, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(uses[i].all);
	memset(uses, 0, count * sizeof(*uses));
}

static bool uses_has(const struct gouses *u, uint64_t addr)
{
	for (size_t i = 0; i < u->count; i++)
		if (u->all[i].kind != GOUSE_NUMBER && u->all[i].address == addr)
			return true;
	return false;
}

static bool uses_fit(const struct goclue *clue, uint64_t base)
{
	for (unsigned i = 0; i < clue->count; i++)
		if (!uses_has(clue->uses, base + clue->fields[i]))
			return false;
	return true;
}

int gouses_find(const struct goclue *clues, size_t count, uint64_t *address)
{
	const struct gouses *first = clues[0].uses;
	bool found = false;

	for (size_t i = 0; i < first->count; i++) {
		uint64_t base = first->all[i].address - clues[0].fields[0];
		size_t fit = 0;

		while (fit < count && uses_fit(&clues[fit], base))
			fit++;
		if (base % 8 || fit < count || (found && base == *address))
			continue;
		if (found)
			return ERR_NOTFOUND;
		*address = base;
		found = true;
	}
	return found ? 0 : ERR_NOTFOUND;
}
