/*
 * Reads the maps and gives each executable range its image.
 *
 * A program may move its text to memory of huge pages (node --use-largepages, hugify of BOLT and
 * chromium, iodlr, mysqld, HHVM). Such a range keeps the image of the file whose data lie beside
 * it, if by their place it is where an executable segment of that file belongs.
 *
 * Reading the maps again costs the target time (mmap_lock), so the owner calls modmap_refresh only
 * when a pc is in no range, and now and then.
 */
#include "base/process/modmap.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/imagestore.h"
#include "base/process/maps.h"
#include "base/process/process.h"
#include "base/room.h"
#include "base/sorted.h"

enum {
	GAP_MAX = 4 << 20, /* bytes between two segments of a file */
};

static const uint64_t PAGE_MASK = 4095;

struct modmap {
	const struct process *process;
	uint64_t generation;
	struct mapping *ranges; /* sorted by start */
	size_t count, room;
	struct imagestore *store;
	struct spans spans;
	struct buffer text, last; /* text of the maps now and at the last refresh */
};

static uint64_t next_generation(void)
{
	static uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static int map_new(struct modmap **m, const struct process *process, struct imagestore *store)
{
	*m = calloc(1, sizeof(**m));
	if (!*m)
		return ERR_NOMEM;
	store->users++;
	(*m)->process = process;
	(*m)->store = store;
	(*m)->generation = next_generation();
	return 0;
}

int modmap_new(struct modmap **m, const struct process *process)
{
	struct imagestore *store = calloc(1, sizeof(*store));

	if (store && map_new(m, process, store) == 0)
		return 0;
	free(store);
	return ERR_NOMEM;
}

int modmap_new_beside(struct modmap **m, const struct process *process, struct modmap *other)
{
	return map_new(m, process, other->store);
}

void modmap_free(struct modmap *m)
{
	if (!m)
		return;
	imagestore_leave(m->store);
	spans_release(&m->spans);
	free(m->ranges);
	buffer_release(&m->text);
	buffer_release(&m->last);
	free(m);
}

static int push_range(struct modmap *m, const struct mapping *range)
{
	struct imageorigin *o = &m->store->origins[image_id(range->image)];

	if (room_for((void **)&m->ranges, &m->room, m->count + 1, sizeof(*m->ranges)))
		return ERR_NOMEM;
	m->ranges[m->count++] = *range;
	if (!o->first.image)
		o->first = *range;
	return 0;
}

/* Address in the process minus image address, from the segment that holds the range's file offset;
 * a page of the file may be in two, of which one is executable as the range is. The image addresses
 * of a file without ELF are its offsets, those of memory are its addresses. */
static uint64_t bias_of(const struct image *image, const struct maps_line *line)
{
	size_t count;
	const struct image_segment *s = image_segments(image, &count);

	if (!image_elf(image))
		return image_is_memory(image) ? 0 : line->start - line->offset;
	for (size_t i = 0; i < count; i++) {
		uint64_t first = s[i].offset & ~PAGE_MASK;

		if (!(s[i].flags & PF_X) == (line->prot[2] != 'x') && line->offset >= first &&
		    line->offset < s[i].offset + s[i].filesz)
			return line->start - (s[i].vaddr - s[i].offset + line->offset);
	}
	for (size_t i = 0; i < count; i++)
		if (line->offset >= (s[i].offset & ~PAGE_MASK) &&
		    line->offset < s[i].offset + s[i].filesz)
			return line->start - (s[i].vaddr - s[i].offset + line->offset);
	return line->start - line->offset;
}

/* May it be a file's text that was moved there? Without a file, or with one of huge pages or
 * memory. */
static bool may_be_moved(const struct maps_line *line)
{
	static const char *const names[] = { "[anon:", "/anon_hugepage", "/memfd:", "/dev/zero" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (line->path_len >= strlen(names[i]) &&
		    !memcmp(line->path, names[i], strlen(names[i])))
			return true;
	return !line->path_len;
}

/* Is the range where an executable segment of the image belongs? Then *offset is its place in the
 * file. */
static bool is_text_of(const struct image *image, const struct mapping *range, uint64_t bias,
		       uint64_t *offset)
{
	size_t count;
	const struct image_segment *s = image_segments(image, &count);
	uint64_t start = range->start - bias, end = range->end - bias;

	for (size_t i = 0; i < count; i++) {
		if (!(s[i].flags & PF_X) || start < (s[i].vaddr & ~PAGE_MASK) ||
		    end > ((s[i].vaddr + s[i].memsz + PAGE_MASK) & ~PAGE_MASK) || end <= start)
			continue;
		*offset = (s[i].offset & ~PAGE_MASK) + (start - (s[i].vaddr & ~PAGE_MASK));
		return true;
	}
	return false;
}

/* A file whose text may be near. A device is not opened for that. */
static bool is_beside(const struct maps_line *line, const struct mapping *range)
{
	uint64_t gap = line->end <= range->start ? range->start - line->end :
						   line->start - range->end;

	return line->inode && gap <= GAP_MAX &&
	       !(line->path_len > 5 && !memcmp(line->path, "/dev/", 5));
}

/* Gives the memory of a range to the file that is mapped beside it, if it is its text. */
static void modmap_settle(struct modmap *m, struct mapping *range, const struct maps_line *beside)
{
	struct image *image = is_beside(beside, range) ?
				      imagestore_of(m->store, m->process, beside) :
				      NULL;
	uint64_t bias = image && image_elf(image) ? bias_of(image, beside) : 0, offset;

	if (!image || !image_elf(image) || !is_text_of(image, range, bias, &offset))
		return;
	range->image = image;
	range->bias = bias;
	range->offset = offset;
}

/* Does a file's mapping tell where its text belongs? One that is executable does not: V8 maps the
 * text of its builtins once more, amid the code that it compiles. */
static bool proves_place(const struct maps_line *line)
{
	return line->inode && line->prot[2] != 'x' && !may_be_moved(line);
}

/* The lines around memory that may be text. */
struct modmap_around {
	struct maps_line below; /* the last line that proves a place */
	size_t pending;		/* the first range behind it */
};

/* Of the ranges behind the last file, those that are memory may belong to this one or to that
 * one. */
static void settle_pending(struct modmap *m, struct modmap_around *a, const struct maps_line *line)
{
	for (size_t i = a->pending; i < m->count; i++) {
		if (m->ranges[i].end <= line->start && !image_elf(m->ranges[i].image))
			modmap_settle(m, &m->ranges[i], line);
	}
	a->below = *line;
	a->pending = m->count;
}

static int modmap_add_line(struct modmap *m, const struct maps_line *line,
			   const struct modmap_around *a)
{
	struct mapping range = { .start = line->start, .end = line->end, .offset = line->offset };

	if (may_be_moved(line))
		modmap_settle(m, &range, &a->below);
	if (range.image)
		return push_range(m, &range);
	range.image = imagestore_of(m->store, m->process, line);
	if (!range.image)
		return ERR_NOMEM;
	range.bias = bias_of(range.image, line);
	return push_range(m, &range);
}

static int modmap_parse(struct modmap *m, struct error *err)
{
	struct modmap_around around = { .pending = 0 };
	struct maps_line line;
	struct cursor c;
	int rc;

	cursor_init(&c, m->text.data, m->text.len, "/proc/PID/maps");
	m->count = 0;
	spans_begin(&m->spans);
	while ((rc = maps_next(&c, &line, err)) > 0) {
		spans_add(&m->spans, line.start, line.end, line.prot);
		if (proves_place(&line))
			settle_pending(m, &around, &line);
		if (line.prot[2] == 'x' && (rc = modmap_add_line(m, &line, &around))) {
			rc = error_nomem(err);
			break;
		}
	}
	spans_end(&m->spans);
	return rc;
}

/* Are the executable ranges as they were? Heaps and stacks that grow must not invalidate caches, so
 * they do not change the generation. */
static bool same_ranges(const struct modmap *m, const struct mapping *old, size_t count)
{
	if (m->count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (old[i].start != m->ranges[i].start || old[i].end != m->ranges[i].end ||
		    old[i].offset != m->ranges[i].offset || old[i].image != m->ranges[i].image)
			return false;
	return true;
}

int modmap_refresh(struct modmap *m, struct error *err)
{
	struct mapping *old = m->ranges;
	size_t count = m->count, room = m->room;
	struct buffer swap;
	int rc = process_read(m->process, "maps", &m->text, err);

	if (rc)
		return rc;
	if (!m->text.len) /* the address space is gone: a zombie */
		return error_set(err, ERR_GONE, "process %d has ended", m->process->pid);
	/* This cheap test comes before the text is parsed. */
	if (m->text.len == m->last.len && !memcmp(m->text.data, m->last.data, m->text.len))
		return 0;
	m->ranges = NULL;
	m->count = m->room = 0;
	rc = modmap_parse(m, err);
	if (rc) {
		free(m->ranges);
		m->ranges = old;
		m->count = count;
		m->room = room;
		return rc;
	}
	if (!same_ranges(m, old, count))
		m->generation = next_generation();
	free(old);
	swap = m->last;
	m->last = m->text;
	m->text = swap;
	return 0;
}

int modmap_keep(struct modmap *m, struct image *image)
{
	return imagestore_keep(m->store, image, &(struct imageorigin){ .process = m->process });
}

int modmap_add(struct modmap *m, const struct mapping *range)
{
	bool known = image_id(range->image) < m->store->count &&
		     m->store->images[image_id(range->image)] == range->image;
	size_t i;

	if (!known && modmap_keep(m, range->image))
		return ERR_NOMEM;
	if (push_range(m, range))
		return ERR_NOMEM;
	for (i = m->count - 1; i > 0 && m->ranges[i - 1].start > range->start; i--)
		m->ranges[i] = m->ranges[i - 1];
	m->ranges[i] = *range;
	m->generation = next_generation();
	return 0;
}

const struct mapping *modmap_find(const struct modmap *m, uint64_t addr)
{
	size_t at = SORTED_UPTO(m->ranges, m->count, end, addr);

	return at < m->count && m->ranges[at].start <= addr ? &m->ranges[at] : NULL;
}

const struct mapping *modmap_range_of(const struct modmap *m, const struct image *image)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->ranges[i].image == image)
			return &m->ranges[i];
	return NULL;
}

static bool is_writable_in(const struct image *image, uint64_t at)
{
	size_t count;
	const struct image_segment *s = image_segments(image, &count);

	for (size_t i = 0; i < count; i++)
		if (s[i].flags & PF_W && at >= s[i].vaddr && at - s[i].vaddr < s[i].memsz)
			return true;
	return false;
}

const struct image *modmap_variable(const struct modmap *m, uint64_t addr, uint64_t *at)
{
	for (size_t i = 0; i < m->count; i++) {
		*at = addr - m->ranges[i].bias;
		if (is_writable_in(m->ranges[i].image, *at))
			return m->ranges[i].image;
	}
	return NULL;
}

const struct mapping *modmap_ranges(const struct modmap *m, size_t *count)
{
	*count = m->count;
	return m->ranges;
}

const struct spans *modmap_spans(const struct modmap *m)
{
	return &m->spans;
}

uint64_t modmap_generation(const struct modmap *m)
{
	return m->generation;
}

struct image *const *modmap_images(const struct modmap *m, size_t *count)
{
	*count = m->store->count;
	return m->store->images;
}

const struct mapping *modmap_first_range(const struct modmap *m, const struct image *image)
{
	return &m->store->origins[image_id(image)].first;
}

const struct process *modmap_owner(const struct modmap *m, const struct image *image)
{
	return m->store->origins[image_id(image)].process;
}
