/* Entries are found by a key, the pc with a bit for physical functions, and their texts are shared
 * in a strset. Type arguments are cut as the release prints them. */
#include "runtimes/go/stacks/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/gopclntab.h"
#include "base/room.h"
#include "runtimes/go/stacks/sites.h"

enum {
	TEXT_ROOM = 1 << 16, /* bytes of a function's or file's name; longer ones are cut */
	KIND_SHIFT = 62,     /* bit of a key that marks physical functions; no address is as high */
	ENTRIES_MAX = 1 << 20,
};

struct goframes_entry {
	uint64_t key;
	struct gocallers_frame frame;
};

int goframes_init(struct goframes *f, struct gosites *sites)
{
	memset(f, 0, sizeof(*f));
	f->sites = sites;
	f->text = malloc(TEXT_ROOM);
	return f->text ? strset_init(&f->strings) : ERR_NOMEM;
}

void goframes_release(struct goframes *f)
{
	strset_release(&f->strings);
	hashindex_release(&f->index);
	free(f->all);
	free(f->text);
	memset(f, 0, sizeof(*f));
}

/* Replaces the text between `from` and `to` by "...". */
static void put_dots(char *from, const char *to)
{
	memmove(from + 3, to, strlen(to) + 1);
	memcpy(from, "...", 3);
}

/* Does the name have two pairs of brackets, as a generic method of a generic type has,
 * "T[int]).Do[string]"? Then *close is where the first pair closes, *open where the second opens.
 * *malformed: the brackets do not match. */
static bool two_pairs(char *interior, const char *end, char **close, char **open, bool *malformed)
{
	int depth = 1;

	*close = *open = NULL;
	for (char *p = interior; p < end && depth >= 0 && !*open; p++) {
		if (*p == '[' && ++depth == 1)
			*open = p;
		else if (*p == ']' && --depth == 0)
			*close = p;
	}
	*malformed = depth != 1;
	return *open && !*malformed;
}

void goframes_for_print(char *name, unsigned minor)
{
	char *first = strchr(name, '['), *last = strrchr(name, ']'), *close, *open;
	bool malformed = false;

	if (minor < 21 || !first || !last || last <= first)
		return;
	if (minor >= 27 && two_pairs(first + 1, last, &close, &open, &malformed)) {
		put_dots(open + 1, last);
		last = close;
	}
	if (!malformed)
		put_dots(first + 1, last);
}

static const char *stacks_frames_keep(struct goframes *f, const char *text)
{
	uint32_t id;

	return strset_addz(&f->strings, text, &id) ? NULL : strset_get(&f->strings, id);
}

static const char *stacks_frames_name_of(struct goframes *f, const struct gosites_function *at,
					 uint32_t name)
{
	return stacks_frames_keep(
		f, gopclntab_name(at->table, name, f->text, TEXT_ROOM - 8) ? f->text : "");
}

/* runtime/symtab.go, (*Frames).Next, for a pc alone. */
static bool stacks_frames_make(struct goframes *f, uint64_t pc, struct gocallers_frame *frame)
{
	struct gosites_function at;
	struct go_inlined inlined;
	uint64_t addr;
	bool known;

	if (!gosites_function(f->sites, pc, &at))
		return false;
	addr = pc - at.bias;
	addr -= addr > at.function.entry;
	frame->inlined = gopclntab_inlined(at.table, &at.function, addr, &inlined);
	frame->entry = at.function.entry + at.bias;
	frame->start_line = frame->inlined ? inlined.start_line : at.function.start_line;
	frame->function = stacks_frames_name_of(f, &at,
						frame->inlined ? inlined.name : at.function.name);
	/* funcline1: the file is "?" where it is not known. */
	known = gopclntab_line(at.table, &at.function, addr, f->text, TEXT_ROOM, &frame->line);
	frame->file = stacks_frames_keep(f, known ? f->text : "?");
	return frame->function && frame->file;
}

/* The entry of a key, made when it does not exist yet: for `physical` the physical function's name,
 * otherwise the logical frame. NULL: no function covers the address. */
static const struct gocallers_frame *stacks_frames_entry(struct goframes *f, uint64_t address,
							 bool physical)
{
	uint64_t key = address | (uint64_t)physical << KIND_SHIFT;
	struct goframes_entry new = { .key = key };
	struct gosites_function at;
	uint32_t id;

	if (address >> KIND_SHIFT)
		return NULL;
	id = HASHINDEX_NUMBER(&f->index, f->all, key, key);
	if (id != HASHINDEX_NONE)
		return &f->all[id].frame;
	if (!physical && !stacks_frames_make(f, address, &new.frame))
		return NULL;
	if (physical && (!gosites_function(f->sites, address, &at) ||
			 !(new.frame.function = stacks_frames_name_of(f, &at, at.function.name))))
		return NULL;
	if (f->count == ENTRIES_MAX) {
		hashindex_clear(&f->index);
		f->count = 0;
	}
	if (room_for((void **)&f->all, &f->room, f->count + 1, sizeof(*f->all)) ||
	    hashindex_add_number(&f->index, key, (uint32_t)f->count))
		return NULL;
	f->all[f->count] = new;
	return &f->all[f->count++].frame;
}

bool goframes_at(struct goframes *f, uint64_t pc, struct gocallers_frame *frame)
{
	const struct gocallers_frame *found = stacks_frames_entry(f, pc, false);

	if (found)
		*frame = *found;
	return found;
}

const char *goframes_function(struct goframes *f, uint64_t address)
{
	const struct gocallers_frame *found = stacks_frames_entry(f, address, true);

	return found ? found->function : NULL;
}
