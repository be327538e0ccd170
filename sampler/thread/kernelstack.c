/* A frame's text is kept in a strset, and its number is the frame's address. /proc/kallsyms is
 * opened while we have our privileges and read at the end, if any text must be located. */
#include "sampler/thread/kernelstack.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "unwind/stack.h"

int kernelstack_init(struct kernelstack *k, struct modmap *maps)
{
	struct image *image = image_open_none("[kernel]");

	if (!image || modmap_keep(maps, image))
		return ERR_NOMEM;
	k->image = image;
	/* Opened while we have our privileges: the kernel checks the process that opens it. */
	k->symbols_fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	return strset_init(&k->texts) || strset_init(&k->names) ? ERR_NOMEM : 0;
}

void kernelstack_release(struct kernelstack *k)
{
	if (!k->image)
		return;
	descriptor_close(&k->symbols_fd);
	strset_release(&k->texts);
	strset_release(&k->names);
	kallsyms_release(&k->symbols);
}

void kernelstack_read(struct kernelstack *k, const struct process *process, pid_t tid,
		      struct buffer *text)
{
	char name[64];
	int rc;

	text->len = 0;
	if (!k->image || k->refused)
		return;
	snprintf(name, sizeof(name), "task/%d/stack", tid);
	rc = process_read(process, name, text, NULL);
	if (rc)
		text->len = 0;
	k->refused = rc == ERR_PERM;
}

/* Of a line like "[<0>] futex_wait_queue+0x60/0x90 [module]", what follows the first blank. */
static bool parse_frame(struct cursor *line, const char **text, size_t *len)
{
	const uint8_t *blank = memchr(line->pos, ' ', cursor_left(line));

	if (!blank)
		return false;
	cursor_bytes(line, (uint64_t)(blank + 1 - line->pos));
	*text = (const char *)line->pos;
	*len = cursor_left(line);
	return *len != 0;
}

int kernelstack_push(struct kernelstack *k, const struct buffer *text, struct stack *stack)
{
	struct cursor c, line;

	cursor_init(&c, text->data, text->len, "kernel stack");
	while (cursor_line(&c, &line)) {
		const char *at;
		uint32_t id;
		size_t len;

		if (!parse_frame(&line, &at, &len))
			continue;
		if (strset_add(&k->texts, at, len, &id) ||
		    stack_push(stack, k->image, id, FRAME_PC))
			return ERR_NOMEM;
	}
	return 0;
}

/* Of a return address the call is one before. */
int kernelstack_push_addresses(const struct kernelstack *k, const uint64_t *addresses, size_t count,
			       struct stack *stack)
{
	for (size_t i = 0; i < count; i++)
		if (stack_push(stack, k->image, addresses[i] - (i != 0), FRAME_PC))
			return ERR_NOMEM;
	return 0;
}

int kernelstack_load(struct kernelstack *k)
{
	if (!k->image || k->symbols_fd < 0 || k->symbols.count)
		return 0;
	return kallsyms_read(&k->symbols, k->symbols_fd) == ERR_NOMEM ? ERR_NOMEM : 0;
}

/* The address of a frame, or 0 if it is not known. Frames are return addresses, and the call is
 * before the return address, so the address is one less. */
static uint64_t find_address(const struct kernelstack *k, struct cursor c, const char *name,
			     size_t name_len)
{
	uint64_t offset, size, start;
	const char *module;
	size_t module_len;

	cursor_expect(&c, '+');
	cursor_expect(&c, '0');
	cursor_expect(&c, 'x');
	offset = cursor_number(&c, 16);
	cursor_expect(&c, '/');
	cursor_expect(&c, '0');
	cursor_expect(&c, 'x');
	size = cursor_number(&c, 16);
	if (c.failed)
		return 0;
	cursor_blanks(&c);
	module = cursor_left(&c) > 2 ? (const char *)c.pos + 1 : "";
	module_len = cursor_left(&c) > 2 ? cursor_left(&c) - 2 : 0;
	start = kallsyms_find(&k->symbols, name, name_len, module, module_len, size);
	return start ? start + offset - (offset != 0) : 0;
}

static int name_address(struct kernelstack *k, uint64_t at, const char **name)
{
	size_t len;
	const char *text = kallsyms_at(&k->symbols, at, &len);
	uint32_t id;

	if (!text)
		return 0;
	if (strset_add(&k->names, text, len, &id))
		return ERR_NOMEM;
	*name = strset_get(&k->names, id);
	return 0;
}

int kernelstack_locate(struct kernelstack *k, const struct image *image, uint64_t at,
		       const char **name, uint64_t *place)
{
	const char *text;
	struct cursor c;
	uint32_t id;
	size_t len;

	*name = NULL;
	if (!image || image != k->image)
		return 0;
	if (at > UINT32_MAX) {
		*place = at;
		return name_address(k, at, name);
	}
	text = strset_get(&k->texts, (uint32_t)at);
	len = strcspn(text, "+");
	if (strset_add(&k->names, text, len, &id))
		return ERR_NOMEM;
	*name = strset_get(&k->names, id);
	cursor_init(&c, text + len, strlen(text + len), "kernel stack");
	*place = find_address(k, c, text, len);
	if (!*place)
		*place = id;
	return 0;
}
