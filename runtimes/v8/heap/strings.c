/* A cons string is a tree, walked with a bounded stack of parts instead of recursion, because the
 * heap is the target's. */
#include "runtimes/v8/heap/strings.h"

#include "base/error.h"
#include "base/utf8.h"
#include "runtimes/v8/heap/layout.h"
#include "runtimes/v8/heap/look.h"

enum {
	SEQ = 0,
	CONS = 1,
	EXTERNAL = 2,
	SLICED = 3,
	THIN = 5,
	REPRESENTATION = 7,
	ONE_BYTE = 8,
	UNCACHED = 16, /* an external one that does not say where its characters are */

	HEAD = 16, /* bytes up to where the kinds differ */
	HEAD_MORE = 32,
	NODES_MAX = V8_HEADS,
	PENDING_MAX = 64,
	LENGTH_MAX = 1 << 30,
	AT_ONCE = 512, /* characters */
};

static const char ELLIPSIS[] = "…";

struct strings_part {
	uint64_t string;
	uint32_t from, count;
};

struct strings_parts {
	struct v8_look *look;
	struct strings_part pending[PENDING_MAX]; /* the next one last */
	unsigned count;
};

static bool strings_push(struct strings_parts *p, uint64_t string, uint64_t from, uint64_t count)
{
	if (p->count == PENDING_MAX || from > LENGTH_MAX || count > LENGTH_MAX)
		return false;
	if (count)
		p->pending[p->count++] = (struct strings_part){ v8_moved(p->look->rt, string),
								(uint32_t)from, (uint32_t)count };
	return true;
}

/* The head of a string; returns its length in *length. */
static int strings_read_head(struct v8_look *look, uint64_t string, uint8_t head[HEAD_MORE],
			     int *type, uint32_t *length)
{
	const struct v8_layout *l = look->layout;

	if (v8_look_head(look, string, head, HEAD, type) || *type & l->not_string)
		return ERR_FORMAT;
	memcpy(length, head + l->string_length, sizeof(*length));
	if (*length > LENGTH_MAX)
		return ERR_FORMAT;
	if ((*type & REPRESENTATION) == SEQ)
		return 0;
	return v8_look_head(look, string, head, HEAD_MORE, type);
}

int v8_string_length(struct v8_look *look, uint64_t string, uint32_t *length)
{
	uint8_t head[HEAD_MORE];
	int type;

	return strings_read_head(look, v8_moved(look->rt, string), head, &type, length);
}

static bool push_cons(struct strings_parts *p, const struct strings_part *whole,
		      const uint8_t *head)
{
	const struct v8_layout *l = p->look->layout;
	uint64_t first = memory_word(head, (size_t)l->cons_first);
	uint64_t second = memory_word(head, (size_t)l->cons_second);
	uint32_t length, in_first, from = whole->from;

	if (v8_string_length(p->look, first, &length))
		return false;
	in_first = from < length ? length - from : 0;
	if (in_first >= whole->count)
		return strings_push(p, first, from, whole->count);
	return strings_push(p, second, in_first ? 0 : from - length, whole->count - in_first) &&
	       strings_push(p, first, from, in_first);
}

/* Where the characters of a sequential or external string are; 0: not known. */
static uint64_t chars_of(const struct v8_layout *l, const struct strings_part *p,
			 const uint8_t *head, int type)
{
	if ((type & REPRESENTATION) == SEQ)
		return v8_field(p->string, l->string_chars);
	return type & UNCACHED ? 0 : memory_word(head, (size_t)l->external_data);
}

int v8_string_each(struct v8_look *look, uint64_t string, uint32_t max,
		   int (*take)(void *own, const struct v8_chars *chars), void *own)
{
	const struct v8_layout *l = look->layout;
	struct strings_parts parts = { .look = look };
	uint8_t head[HEAD_MORE];
	uint32_t length;
	int type, rc = 0;

	if (v8_string_length(look, string, &length))
		return ERR_FORMAT;
	strings_push(&parts, string, 0, length < max ? length : max);
	for (unsigned nodes = 0; parts.count && !rc; nodes++) {
		struct strings_part p = parts.pending[--parts.count];
		bool ok = nodes < NODES_MAX &&
			  !strings_read_head(look, p.string, head, &type, &length) &&
			  p.from <= length && p.count <= length - p.from;

		if (!ok)
			return ERR_FORMAT;
		switch (type & REPRESENTATION) {
		case SEQ:
		case EXTERNAL: {
			struct v8_chars chars = { chars_of(l, &p, head, type), p.count,
						  !(type & ONE_BYTE) };

			ok = chars.at;
			chars.at += (uint64_t)p.from << chars.wide;
			rc = ok ? take(own, &chars) : ERR_FORMAT;
			break;
		}
		case CONS:
			ok = push_cons(&parts, &p, head);
			break;
		case SLICED:
			ok = strings_push(&parts, memory_word(head, (size_t)l->sliced_parent),
					  (uint64_t)p.from +
						  (uint32_t)v8_smi(memory_word(
							  head, (size_t)l->sliced_offset)),
					  p.count);
			break;
		case THIN:
			ok = strings_push(&parts, memory_word(head, (size_t)l->thin_actual), p.from,
					  p.count);
			break;
		default:
			ok = false;
		}
		rc = rc || ok ? rc : ERR_FORMAT;
	}
	return rc;
}

/* Text. */

struct strings_text {
	const struct v8_runtime *rt;
	char *text;
	size_t len;
	size_t whole;  /* of the characters behind which "…" fits, too */
	uint16_t high; /* a first surrogate that waits for its second one */
	bool cut;
};

static void strings_put(struct strings_text *t, uint32_t ch)
{
	char one[4];
	size_t size = utf8_put(one, ch ? ch : UTF8_REPLACEMENT);

	if (t->cut || t->len + size >= V8_TEXT_MAX) {
		t->cut = true;
		return;
	}
	memcpy(t->text + t->len, one, size);
	t->len += size;
	if (t->len + sizeof(ELLIPSIS) <= V8_TEXT_MAX)
		t->whole = t->len;
}

/* A unit of UTF-16. Half a pair becomes U+FFFD. */
static void put_unit(struct strings_text *t, uint16_t unit)
{
	bool is_high = unit >> 10 == 0xd800 >> 10, is_low = unit >> 10 == 0xdc00 >> 10;

	if (t->high && is_low) {
		strings_put(t, 0x10000u + ((t->high & 0x3ffu) << 10) + (unit & 0x3ffu));
		t->high = 0;
		return;
	}
	if (t->high)
		strings_put(t, UTF8_REPLACEMENT);
	t->high = is_high ? unit : 0;
	if (!is_high)
		strings_put(t, unit);
}

static int strings_take_text(void *own, const struct v8_chars *chars)
{
	struct strings_text *t = own;
	uint16_t units[AT_ONCE];

	for (uint32_t done = 0; done < chars->count && !t->cut;) {
		uint32_t some = chars->count - done < AT_ONCE ? chars->count - done : AT_ONCE;

		if (!v8_bytes(t->rt, chars->at + ((uint64_t)done << chars->wide), units,
			      (size_t)some << chars->wide))
			return ERR_FORMAT;
		for (uint32_t i = 0; i < some; i++)
			put_unit(t, chars->wide ? units[i] : ((const uint8_t *)units)[i]);
		done += some;
	}
	return 0;
}

int v8_string_text(struct v8_look *look, uint64_t string, char text[V8_TEXT_MAX])
{
	struct strings_text t = { .rt = look->rt, .text = text };
	int rc = v8_string_each(look, string, V8_TEXT_MAX, strings_take_text, &t);

	if (rc)
		return rc;
	if (t.high)
		strings_put(&t, UTF8_REPLACEMENT);
	if (t.cut) {
		memcpy(text + t.whole, ELLIPSIS, sizeof(ELLIPSIS) - 1);
		t.len = t.whole + sizeof(ELLIPSIS) - 1;
	}
	text[t.len] = '\0';
	return 0;
}
