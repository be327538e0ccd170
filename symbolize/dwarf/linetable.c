/*
 * Reads the header of a line table; linetable_run.c runs the program that follows it.
 */
#include "symbolize/dwarf/linetable.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "symbolize/dwarf/linetable_run.h"

enum { FORMATS_MAX = 255 };

/* An entry of a list of folders or files. */
struct dwarf_linetable_entry {
	const char *name;
	uint64_t folder;
};

void linetable_free(struct linetable *t)
{
	if (!t)
		return;
	ranges_release(&t->ranges);
	free(t->rows);
	free(t->starts);
	free(t->folders);
	free(t->files);
	free(t);
}

/* Strings are used in place, so they must have a NUL there. */
static const char *string_at(struct cursor *c)
{
	const char *s = (const char *)c->pos;
	size_t len = strnlen(s, cursor_left(c));

	return cursor_bytes(c, len + 1) ? s : NULL;
}

static const char *string_in(const struct cursor *section, uint64_t offset)
{
	struct cursor c = *section;

	cursor_bytes(&c, offset);
	return string_at(&c);
}

static int add_folder(struct linetable *t, const char *name)
{
	if (room_for((void **)&t->folders, &t->folder_room, t->folder_count + 1,
		     sizeof(*t->folders)))
		return ERR_NOMEM;
	t->folders[t->folder_count++] = name;
	return 0;
}

int linetable_add_file(struct linetable *t, const char *name, uint64_t folder)
{
	if (room_for((void **)&t->files, &t->file_room, t->file_count + 1, sizeof(*t->files)))
		return ERR_NOMEM;
	t->files[t->file_count++] = (struct line_file){ name, folder < t->folder_count ?
								      t->folders[folder] :
								      NULL };
	return 0;
}

/* DWARF 2 to 4: strings up to an empty one. Folder 0 is the unit's; there is no file 0. */
static int read_old_lists(struct linetable *t, struct cursor *c, const char *unit_folder)
{
	const char *name;
	int rc = add_folder(t, unit_folder);

	while (!rc && (name = string_at(c)) && *name)
		rc = add_folder(t, name);
	if (!rc)
		rc = linetable_add_file(t, NULL, 0);
	while (!rc && (name = string_at(c)) && *name) {
		rc = linetable_add_file(t, name, cursor_uleb(c));
		cursor_uleb(c); /* time */
		cursor_uleb(c); /* size */
	}
	return rc;
}

/* DWARF 5: each list begins with the format of its entries. */

struct dwarf_linetable_format {
	uint64_t content, form;
};

static void dwarf_linetable_read_field(const struct linetable *t, const struct line_sections *s,
				       struct cursor *c, const struct dwarf_linetable_format *f,
				       struct dwarf_linetable_entry *e)
{
	const char *string = NULL;
	uint64_t number = 0;

	switch (f->form) {
	case DW_FORM_string:
		string = string_at(c);
		break;
	case DW_FORM_line_strp:
		string = string_in(&s->line_str, cursor_uint(c, t->offset_size));
		break;
	case DW_FORM_strp:
		string = string_in(&s->str, cursor_uint(c, t->offset_size));
		break;
	case DW_FORM_udata:
		number = cursor_uleb(c);
		break;
	case DW_FORM_data1:
	case DW_FORM_data2:
		number = cursor_uint(c, f->form == DW_FORM_data1 ? 1 : 2);
		break;
	case DW_FORM_data4:
	case DW_FORM_data8:
		number = cursor_uint(c, f->form == DW_FORM_data4 ? 4 : 8);
		break;
	case DW_FORM_data16:
		cursor_bytes(c, 16);
		break;
	case DW_FORM_block:
		cursor_bytes(c, cursor_uleb(c));
		break;
	default:
		cursor_fail(c, "unknown form");
	}
	if (f->content == DW_LNCT_path)
		e->name = string;
	else if (f->content == DW_LNCT_directory_index)
		e->folder = number;
}

static int dwarf_linetable_read_list(struct linetable *t, const struct line_sections *s,
				     struct cursor *c, bool files)
{
	struct dwarf_linetable_format formats[FORMATS_MAX];
	unsigned format_count = (unsigned)cursor_uint(c, 1);
	uint64_t count;
	int rc = 0;

	for (unsigned i = 0; i < format_count; i++) {
		formats[i].content = cursor_uleb(c);
		formats[i].form = cursor_uleb(c);
	}
	count = cursor_uleb(c);
	if (count && !format_count) /* entries of no bytes, without an end */
		cursor_fail(c, "list without a format");
	for (uint64_t n = 0; !rc && n < count && !c->failed; n++) {
		struct dwarf_linetable_entry e = { NULL, 0 };

		for (unsigned i = 0; i < format_count; i++)
			dwarf_linetable_read_field(t, s, c, &formats[i], &e);
		rc = files ? linetable_add_file(t, e.name, e.folder) : add_folder(t, e.name);
	}
	return rc;
}

static void read_machine(struct linetable *t, struct cursor *c)
{
	const uint8_t *lengths;

	t->min_length = (uint8_t)cursor_uint(c, 1);
	t->max_ops = t->version >= 4 ? (uint8_t)cursor_uint(c, 1) : 1;
	cursor_uint(c, 1); /* default_is_stmt */
	t->line_base = (int8_t)cursor_uint(c, 1);
	t->line_range = (uint8_t)cursor_uint(c, 1);
	t->opcode_base = (uint8_t)cursor_uint(c, 1);
	if (!t->line_range || !t->opcode_base || !t->max_ops) {
		cursor_fail(c, "impossible header");
		return;
	}
	lengths = cursor_bytes(c, t->opcode_base - 1u);
	if (lengths)
		memcpy(t->lengths + 1, lengths, t->opcode_base - 1u);
}

/* Moves `c` to the program, and its end to the table's end. */
static int dwarf_linetable_read_header(struct linetable *t, const struct line_sections *s,
				       struct cursor *c, const char *folder)
{
	uint64_t len, header_len;
	const uint8_t *program;
	int rc;

	t->bytes = c->pos;
	t->offset_size = 4;
	len = cursor_uint(c, 4);
	if (len == 0xffffffff) {
		t->offset_size = 8;
		len = cursor_uint(c, 8);
	}
	if (len < cursor_left(c))
		c->end = c->pos + len;
	t->len = (size_t)(c->end - t->bytes);
	t->version = (uint16_t)cursor_uint(c, 2);
	if (t->version < 2 || t->version > 5)
		cursor_fail(c, "unknown version");
	if (t->version >= 5)
		cursor_bytes(c, 2); /* sizes of addresses and segment selectors */
	header_len = cursor_uint(c, t->offset_size);
	if (header_len > cursor_left(c))
		cursor_fail(c, "ends too early");
	program = c->pos + header_len;
	read_machine(t, c);
	if (t->version < 5)
		rc = read_old_lists(t, c, folder);
	else
		rc = dwarf_linetable_read_list(t, s, c, false) ||
				     dwarf_linetable_read_list(t, s, c, true) ?
			     ERR_NOMEM :
			     0;
	if (rc || cursor_error(c, NULL))
		return rc ? rc : ERR_FORMAT;
	c->pos = program;
	return 0;
}

int linetable_new(struct linetable **out, const struct line_sections *sections, uint64_t offset,
		  const char *folder)
{
	struct linetable *t = calloc(1, sizeof(*t));
	struct cursor c = sections->line;
	int rc;

	if (!t)
		return ERR_NOMEM;
	cursor_bytes(&c, offset);
	rc = c.failed ? ERR_FORMAT : dwarf_linetable_read_header(t, sections, &c, folder);
	if (!rc)
		rc = linetable_run(t, &c);
	if (rc) {
		linetable_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

const char *linetable_file(const struct linetable *t, uint64_t number, const char **folder)
{
	*folder = NULL;
	if (number >= t->file_count)
		return NULL;
	*folder = t->files[number].folder;
	return t->files[number].name;
}

const void *linetable_bytes(const struct linetable *t, size_t *len)
{
	*len = t->len;
	return t->bytes;
}
