/*
 * x86-64 code refers to a variable by its distance from the end of the instruction: a ModRM byte of
 * mod 0 and r/m 5, four bytes of distance, then possibly an immediate operand of one, two or four
 * bytes (Intel SDM volume 2, 2.2.1.6 "RIP-Relative Addressing"). The code is not decoded for that:
 * each byte that may be such a ModRM byte is taken as one, with each size of the operand. Hardly
 * any of the addresses that result by chance lie in the program's data. For a wrong structure to be
 * found, all fields of a clue would have to result by chance at their right distances. The
 * structure's address must be a multiple of 8, which distinguishes the operand sizes.
 */
#include "runtimes/go/find/refs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "base/room.h"

enum { CODE_MAX = 64 << 10, MODRM_MASK = 0xc7, MODRM_RIP = 5 };

bool gorefs_variable(const struct image *image, uint64_t addr)
{
	size_t count;
	const struct image_segment *s = image_segments(image, &count);

	for (size_t i = 0; i < count; i++)
		if (s[i].flags & PF_W && addr - s[i].vaddr < s[i].memsz)
			return true;
	return false;
}

struct refs_loading {
	struct gorefs *refs;
	const struct image *image;
};

static int refs_add(const struct refs_loading *l, size_t function, uint64_t addr)
{
	struct gorefs *r = &l->refs[function];

	if (addr % 4 || !gorefs_variable(l->image, addr))
		return 0;
	if (room_for((void **)&r->all, &r->room, r->count + 1, sizeof(*r->all)))
		return ERR_NOMEM;
	r->all[r->count++] = addr;
	return 0;
}

static int refs_load(struct gopclntab *t, const struct go_function *f, size_t i, gorefs_code *each,
		     void *ctx)
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
		rc = each(ctx, i, f->entry, code, len);
	free(code);
	return rc;
}

int gorefs_codes(struct gopclntab *t, const char *const *functions, size_t count, gorefs_code *each,
		 void *ctx)
{
	struct go_function *found = calloc(count, sizeof(*found));
	int rc = found ? 0 : ERR_NOMEM;

	if (found)
		gopclntab_named_all(t, functions, count, found);
	for (size_t i = 0; i < count && !rc; i++)
		rc = refs_load(t, &found[i], i, each, ctx);
	free(found);
	return rc;
}

static int load_refs(void *ctx, size_t function, uint64_t entry, const uint8_t *code, size_t len)
{
	static const uint8_t operand[] = { 0, 1, 2, 4 };
	const struct refs_loading *l = ctx;
	int rc = 0;

	for (size_t i = 0; i + 5 <= len && !rc; i++) {
		uint64_t end = entry + i + 5;
		int32_t distance;

		if ((code[i] & MODRM_MASK) != MODRM_RIP)
			continue;
		memcpy(&distance, code + i + 1, sizeof(distance));
		for (size_t k = 0; k < sizeof(operand) && !rc; k++)
			rc = refs_add(l, function, end + operand[k] + (uint64_t)(int64_t)distance);
	}
	return rc;
}

int gorefs_load(struct gorefs *refs, struct gopclntab *t, const struct image *image,
		const char *const *functions, size_t count)
{
	struct refs_loading l = { refs, image };

	memset(refs, 0, count * sizeof(*refs));
	return gorefs_codes(t, functions, count, load_refs, &l);
}

void gorefs_release(struct gorefs *refs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(refs[i].all);
	memset(refs, 0, count * sizeof(*refs));
}

static bool refs_has(const struct gorefs *r, uint64_t addr)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->all[i] == addr)
			return true;
	return false;
}

static bool refs_fits(const struct goclue *clue, uint64_t base)
{
	for (unsigned i = 0; i < clue->count; i++)
		if (!refs_has(clue->refs, base + clue->fields[i]))
			return false;
	return true;
}

int gorefs_find(const struct goclue *clues, size_t count, uint64_t *address)
{
	const struct gorefs *first = clues[0].refs;
	bool found = false;

	for (size_t i = 0; i < first->count; i++) {
		uint64_t base = first->all[i] - clues[0].fields[0];
		size_t fit = 0;

		while (fit < count && refs_fits(&clues[fit], base))
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
