/* The text is kept and its names point into it. The functions are sorted by name when it is read;
 * an order by address is made only if an address is asked for. */
#include "symbolize/kallsyms.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/room.h"
#include "base/sorted.h"

/* A kernel with all modules has less than 300,000 lines of 50 bytes. */
enum { TEXT_MAX = 128 << 20, CHUNK = 256 << 10 };

/* Nothing tells how long the last function of the kernel or of a module is. */
enum { FUNCTION_MOST = 256 << 10 };

struct kallsym {
	uint64_t addr, size;
	const char *name, *module; /* in the text, not NUL-terminated */
	uint32_t name_len, module_len;
};

void kallsyms_release(struct kallsyms *k)
{
	buffer_release(&k->text);
	free(k->all);
	free(k->order);
	memset(k, 0, sizeof(*k));
}

/* 1 for a function, 0 for anything else. */
static int kallsyms_parse_line(struct cursor *c, struct kallsym *s)
{
	const uint8_t *tab;
	uint8_t type;

	s->addr = cursor_number(c, 16);
	cursor_expect(c, ' ');
	type = (uint8_t)cursor_uint(c, 1);
	cursor_expect(c, ' ');
	if (c->failed || !s->addr || s->addr == UINT64_MAX || !type || !strchr("tTwW", type))
		return 0;
	tab = memchr(c->pos, '\t', cursor_left(c));
	s->name = (const char *)c->pos;
	s->name_len = (uint32_t)(tab ? (size_t)(tab - c->pos) : cursor_left(c));
	s->module = "";
	s->module_len = 0;
	if (!tab)
		return s->name_len != 0;
	cursor_bytes(c, s->name_len + 1);
	cursor_expect(c, '[');
	if (c->failed || cursor_left(c) < 2 || c->end[-1] != ']')
		return 0;
	s->module = (const char *)c->pos;
	s->module_len = (uint32_t)cursor_left(c) - 1;
	return s->name_len != 0;
}

static int kallsyms_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order ? order : a_len < b_len ? -1 : a_len > b_len;
}

static int kallsyms_by_name(const void *a, const void *b)
{
	const struct kallsym *x = a, *y = b;
	int order = kallsyms_compare(x->name, x->name_len, y->name, y->name_len);

	return order ? order : sorted_order(a, b);
}

/* As get_symbol_pos() in the kernel: up to the next function that begins elsewhere. */
static void find_sizes(struct kallsyms *k)
{
	uint64_t next = 0;

	for (size_t i = k->count; i-- > 0;) {
		if (i + 1 < k->count && k->all[i + 1].addr != k->all[i].addr)
			next = k->all[i + 1].addr;
		k->all[i].size = next ? next - k->all[i].addr : 0;
	}
}

int kallsyms_parse(struct kallsyms *k, struct buffer *text)
{
	struct cursor c, line;
	struct kallsym s;

	*k = (struct kallsyms){ .text = *text };
	*text = (struct buffer){ NULL, 0, 0 };
	cursor_init(&c, k->text.data, k->text.len, "/proc/kallsyms");
	while (cursor_line(&c, &line)) {
		if (!kallsyms_parse_line(&line, &s))
			continue;
		if (room_for((void **)&k->all, &k->room, k->count + 1, sizeof(*k->all))) {
			kallsyms_release(k);
			return ERR_NOMEM;
		}
		k->all[k->count++] = s;
	}
	if (!k->count)
		return 0;
	qsort(k->all, k->count, sizeof(*k->all), sorted_order);
	find_sizes(k);
	k->start = k->all[0].addr;
	k->end = k->all[k->count - 1].addr + 1;
	qsort(k->all, k->count, sizeof(*k->all), kallsyms_by_name);
	return 0;
}

int kallsyms_read(struct kallsyms *k, int fd)
{
	struct buffer text = { NULL, 0, 0 };
	ssize_t n = 1;
	int rc = 0;

	*k = (struct kallsyms){ .count = 0 };
	while (!rc && n > 0) {
		rc = text.len > TEXT_MAX ? ERR_LIMIT : buffer_reserve(&text, CHUNK);
		n = rc ? -1 : pread(fd, text.data + text.len, CHUNK, (off_t)text.len);
		text.len += n > 0 ? (size_t)n : 0;
	}
	if (!rc && n < 0)
		rc = ERR_IO;
	if (!rc)
		return kallsyms_parse(k, &text);
	buffer_release(&text);
	return rc;
}

/* The index of the first function of that name. */
static size_t lower_bound(const struct kallsyms *k, const char *name, size_t len)
{
	size_t low = 0, high = k->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct kallsym *s = &k->all[middle];

		if (kallsyms_compare(s->name, s->name_len, name, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t kallsyms_find(const struct kallsyms *k, const char *name, size_t name_len,
		       const char *module, size_t module_len, uint64_t size)
{
	uint64_t found = 0;

	for (size_t i = lower_bound(k, name, name_len); i < k->count; i++) {
		const struct kallsym *s = &k->all[i];

		if (kallsyms_compare(s->name, s->name_len, name, name_len))
			break;
		if (s->size != size ||
		    kallsyms_compare(s->module, s->module_len, module, module_len))
			continue;
		if (found)
			return 0;
		found = s->addr;
	}
	return found;
}

static int by_address_of(const void *a, const void *b, void *all)
{
	const struct kallsym *symbols = all;

	return sorted_order(&symbols[*(const uint32_t *)a], &symbols[*(const uint32_t *)b]);
}

static bool put_in_order(struct kallsyms *k)
{
	if (k->order || !k->count)
		return k->order;
	k->order = malloc(k->count * sizeof(*k->order));
	if (!k->order)
		return false;
	for (size_t i = 0; i < k->count; i++)
		k->order[i] = (uint32_t)i;
	qsort_r(k->order, k->count, sizeof(*k->order), by_address_of, k->all);
	return true;
}

const char *kallsyms_at(struct kallsyms *k, uint64_t addr, size_t *len)
{
	size_t low = 0, high = k->count;
	const struct kallsym *s;

	if (!put_in_order(k))
		return NULL;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (k->all[k->order[middle]].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	s = low ? &k->all[k->order[low - 1]] : NULL;
	if (!s || (s->size && addr - s->addr >= s->size) || addr - s->addr >= FUNCTION_MOST)
		return NULL;
	*len = s->name_len;
	return s->name;
}
