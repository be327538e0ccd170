#include "sampler/kernelstack.h"

#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "sampler/member.h"
#include "target/image.h"
#include "target/modmap.h"
#include "unwind/stack.h"

int kernelstack_init(struct kernelstack *k, struct member *m)
{
	struct image *image = image_open_none("[kernel]");

	if (!image || modmap_keep(m->maps, image))
		return ERR_NOMEM;
	k->image = image;
	return strset_init(&k->names);
}

void kernelstack_release(struct kernelstack *k)
{
	if (k->image)
		strset_release(&k->names);
}

void kernelstack_read(struct kernelstack *k, const struct member *m, pid_t tid,
		      struct buffer *text)
{
	char name[64];
	int rc;

	text->len = 0;
	if (!k->image || k->refused)
		return;
	snprintf(name, sizeof(name), "task/%d/stack", tid);
	rc = process_read(&m->process, name, text, NULL);
	if (rc)
		text->len = 0;
	k->refused = rc == ERR_PERM;
}

/* "[<0>] futex_wait_queue+0x60/0x90 [module]": what stands before the +. */
static bool parse_frame(struct cursor *line, const char **name, size_t *len)
{
	const uint8_t *blank = memchr(line->pos, ' ', cursor_left(line)), *end;

	if (!blank)
		return false;
	cursor_bytes(line, (uint64_t)(blank + 1 - line->pos));
	end = memchr(line->pos, '+', cursor_left(line));
	*name = (const char *)line->pos;
	*len = end ? (size_t)(end - line->pos) : cursor_left(line);
	return *len != 0;
}

int kernelstack_push(struct kernelstack *k, const struct buffer *text, struct stack *stack)
{
	struct cursor c, line;

	cursor_init(&c, text->data, text->len, "kernel stack");
	while (cursor_line(&c, &line)) {
		const char *name;
		uint32_t id;
		size_t len;

		if (!parse_frame(&line, &name, &len))
			continue;
		if (strset_add(&k->names, name, len, &id) ||
		    stack_push(stack, k->image, id, FRAME_PC))
			return ERR_NOMEM;
	}
	return 0;
}

const char *kernelstack_name(const struct kernelstack *k, const struct image *image, uint64_t addr)
{
	return image && image == k->image ? strset_get(&k->names, (uint32_t)addr) : NULL;
}
