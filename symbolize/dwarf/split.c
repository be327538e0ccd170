/*
 * Packages are tried first, as gdb does, because .dwo files left over from a build are usually
 * older. A package is kept open. A .dwo file is closed when its unit has been read; otherwise a
 * program of ten thousand objects would keep as many files open.
 *
 * DWARF 4 does not give the end of a unit's part of .debug_addr and .debug_ranges. It is at the
 * latest where the next unit's part begins.
 */
#include "symbolize/dwarf/split.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/room.h"
#include "base/sorted.h"
#include "symbolize/dwarf/skeleton.h"
#include "symbolize/dwarf/splitfile.h"
#include "symbolize/files/debugfile.h"

enum { PATH_ROOM = 4352, ADDR_HEADER = 8 };

#define DEBUG_ROOT "/usr/lib/debug"

/* Sorted. */
struct bases {
	uint64_t *all;
	size_t count, room;
};

struct split {
	const struct image *program, *file;
	const struct process *process;
	char *note;
	size_t note_room;
	bool noted, looked_for_package, has_bases;
	struct splitfile *package; /* NULL: there is none */
	struct bases addr, ranges;
};

int split_new(struct split **out, const struct image *program, const struct image *file,
	      const struct process *process, char *note, size_t room)
{
	struct split *s = calloc(1, sizeof(*s));

	if (!s)
		return ERR_NOMEM;
	*s = (struct split){ .program = program,
			     .file = file,
			     .process = process,
			     .note = note,
			     .note_room = room };
	*out = s;
	return 0;
}

void split_free(struct split *s)
{
	if (!s)
		return;
	splitfile_close(s->package);
	free(s->addr.all);
	free(s->ranges.all);
	free(s);
}

void split_unit_release(struct split_unit *u)
{
	dwarf_end(u->dwarf);
	elf_end(u->elf);
	elfview_release(&u->view);
	*u = (struct split_unit){ .elf = NULL };
}

/* The skeleton's parts of sections. */

static int add_base(struct bases *b, uint64_t base)
{
	if (room_for((void **)&b->all, &b->room, b->count + 1, sizeof(*b->all)))
		return ERR_NOMEM;
	b->all[b->count++] = base;
	return 0;
}

static int find_bases(struct split *s, const Dwarf_Die *of)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(of->cu);
	Dwarf_CU *unit = NULL;
	struct skeleton k;
	Dwarf_Die die;

	s->has_bases = true;
	while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		if (skeleton_read(&die, &k) && k.version < 5 &&
		    (add_base(&s->addr, k.addr_base) || add_base(&s->ranges, k.ranges_base)))
			return ERR_NOMEM;
	if (s->addr.count)
		qsort(s->addr.all, s->addr.count, sizeof(uint64_t), sorted_order);
	if (s->ranges.count)
		qsort(s->ranges.all, s->ranges.count, sizeof(uint64_t), sorted_order);
	return 0;
}

/* Cuts off the parts of later units. */
static void split_cut(struct cursor *c, const struct bases *b, uint64_t base)
{
	size_t next = sorted_upto(b->all, b->count, sizeof(*b->all), 0, base);

	if (next < b->count && b->all[next] - base < cursor_left(c))
		c->end = c->pos + (b->all[next] - base);
}

/* DWARF 5 has a header before each part: length, version, sizes. */
static void find_addr_5(const Dwarf_Die *die, const struct skeleton *k, struct cursor *c)
{
	uint64_t len;

	if (k->addr_base < ADDR_HEADER) {
		cursor_init(c, NULL, 0, ".debug_addr");
		return;
	}
	skeleton_section(die, ".debug_addr", k->addr_base - ADDR_HEADER, c);
	len = cursor_uint(c, 4);
	cursor_bytes(c, 4);
	if (len >= 4 && len - 4 < cursor_left(c))
		c->end = c->pos + (len - 4);
}

static struct bytes rest(const struct cursor *c)
{
	return (struct bytes){ c->pos, cursor_left(c) };
}

static int split_find_parts(struct split *s, const Dwarf_Die *die, const struct skeleton *k,
			    struct bytes *addr, struct bytes *ranges)
{
	struct cursor c;

	*ranges = (struct bytes){ NULL, 0 };
	if (k->version >= 5) {
		find_addr_5(die, k, &c);
		*addr = rest(&c);
		return 0;
	}
	if (!s->has_bases && find_bases(s, die))
		return ERR_NOMEM;
	skeleton_section(die, ".debug_addr", k->addr_base, &c);
	split_cut(&c, &s->addr, k->addr_base);
	*addr = rest(&c);
	skeleton_section(die, ".debug_ranges", k->ranges_base, &c);
	split_cut(&c, &s->ranges, k->ranges_base);
	*ranges = rest(&c);
	return 0;
}

/* Files. */

static int try_package(struct split *s, const char *root, const struct image *beside)
{
	char path[PATH_ROOM];
	int rc = 0;

	if (s->package || *image_path(beside) != '/')
		return 0;
	snprintf(path, sizeof(path), "%s%s.dwp", root, image_path(beside));
	for (int ours = 0; rc != ERR_NOMEM && !s->package && ours <= 1; ours++) {
		struct image *image = debugfile_open(s->process, ours, path);

		if (image)
			rc = splitfile_open(&s->package, image, true);
	}
	return rc == ERR_NOMEM ? rc : 0;
}

static int look_for_package(struct split *s)
{
	if (s->looked_for_package)
		return 0;
	s->looked_for_package = true;
	if (try_package(s, "", s->program) || try_package(s, "", s->file) ||
	    try_package(s, DEBUG_ROOT, s->program))
		return ERR_NOMEM;
	return 0;
}

/* The i-th path where the .dwo file may be: as compiled, or beside the program. False: none. */
static bool dwo_path(const struct split *s, const struct skeleton *k, int i, char *path,
		     size_t room)
{
	const char *dir = image_path(s->file), *slash = strrchr(dir, '/');
	const char *comp_dir = k->comp_dir ? k->comp_dir : "";
	int len = slash ? (int)(slash - dir) : 0, n = -1;

	if (*k->dwo_name == '/')
		n = i ? -1 : snprintf(path, room, "%s", k->dwo_name);
	else if (i == 0 && *comp_dir == '/')
		n = snprintf(path, room, "%s/%s", comp_dir, k->dwo_name);
	else if (i == 1 && *comp_dir && *comp_dir != '/')
		n = snprintf(path, room, "%.*s/%s/%s", len, dir, comp_dir, k->dwo_name);
	else if (i == 2)
		n = snprintf(path, room, "%.*s/%s", len, dir, k->dwo_name);
	return n > 0 && (size_t)n < room && *path == '/';
}

static int try_dwo(struct split *s, const struct skeleton *k, const char *path, bool ours,
		   struct bytes addr, struct bytes ranges, struct elfview *v)
{
	struct image *image = debugfile_open(s->process, ours, path);
	struct splitfile *file;
	int rc;

	if (!image)
		return ERR_NOTFOUND;
	rc = splitfile_open(&file, image, false);
	if (rc)
		return rc;
	rc = splitfile_unit(file, k, addr, ranges, v);
	splitfile_close(file);
	return rc;
}

static int find_in_dwo(struct split *s, const struct skeleton *k, struct bytes addr,
		       struct bytes ranges, struct elfview *v)
{
	int rc = ERR_NOTFOUND;
	char path[PATH_ROOM];

	if (!k->dwo_name)
		return ERR_NOTFOUND;
	for (int i = 0; i < 3; i++)
		for (int ours = 0; dwo_path(s, k, i, path, sizeof(path)) && ours <= 1; ours++) {
			rc = try_dwo(s, k, path, ours, addr, ranges, v);
			if (!rc || rc == ERR_NOMEM)
				return rc;
		}
	return rc;
}

static int split_make_view(struct split *s, Dwarf_Die *die, const struct skeleton *k,
			   struct elfview *v)
{
	struct bytes addr, ranges;
	int rc = split_find_parts(s, die, k, &addr, &ranges);

	if (rc || (rc = look_for_package(s)))
		return rc;
	rc = s->package ? splitfile_unit(s->package, k, addr, ranges, v) : ERR_NOTFOUND;
	return rc && rc != ERR_NOMEM ? find_in_dwo(s, k, addr, ranges, v) : rc;
}

static void say_missing(struct split *s, const struct skeleton *k)
{
	size_t len = strlen(s->note);

	if (!s->noted)
		snprintf(s->note + len, s->note_room - len,
			 "; split DWARF is missing, for one in '%.256s'",
			 k->dwo_name ? k->dwo_name : "a file without a name");
	s->noted = true;
}

int split_find(struct split *s, Dwarf_Die *skeleton, struct split_unit *u, Dwarf_Die *code)
{
	struct skeleton k;
	Dwarf_CU *unit;
	Dwarf_Die die;
	int rc;

	*u = (struct split_unit){ .elf = NULL };
	if (!skeleton_read(skeleton, &k))
		return 0;
	rc = split_make_view(s, skeleton, &k, &u->view);
	if (rc == ERR_NOMEM)
		return rc;
	if (!rc && (u->elf = elfview_open(&u->view)))
		u->dwarf = dwarf_begin_elf(u->elf, DWARF_C_READ, NULL);
	if (u->dwarf && dwarf_get_units(u->dwarf, NULL, &unit, NULL, NULL, &die, NULL) == 0) {
		*code = die;
		return 0;
	}
	split_unit_release(u);
	say_missing(s, &k);
	return 0;
}
