/* Parses the text of a kernel stack, and compares names of its functions. */
#include "sampler/thread/kernelframe.h"

#include <stdint.h>
#include <string.h>

#include "base/cursor.h"

bool kernelframe_begins(const struct kernelframe *f, const char *with)
{
	size_t len = strlen(with);

	return *f->name == *with && f->len >= len && !memcmp(f->name, with, len);
}

bool kernelframe_is(const struct kernelframe *f, const char *name)
{
	return *f->name == *name && f->len == strlen(name) && !memcmp(f->name, name, f->len);
}

bool kernelframe_is_any(const struct kernelframe *f, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (kernelframe_is(f, names[i]))
			return true;
	return false;
}

bool kernelframe_begins_any(const struct kernelframe *f, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (kernelframe_begins(f, names[i]))
			return true;
	return false;
}

static bool is_name_byte(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '_';
}

/* Of "[<0>] name.part.0+0x12/0x340 [module]" the name. */
static bool kernelframe_parse_line(struct cursor *line, struct kernelframe *f)
{
	const uint8_t *blank = memchr(line->pos, ' ', cursor_left(line));

	if (!blank || !cursor_bytes(line, (uint64_t)(blank + 1 - line->pos)))
		return false;
	f->name = (const char *)line->pos;
	f->len = 0;
	while (f->len < cursor_left(line) && is_name_byte(line->pos[f->len]))
		f->len++;
	return f->len && memchr(line->pos, '+', cursor_left(line));
}

bool kernelframes_parse(struct kernelframes *frames, const char *text, size_t len)
{
	struct cursor c, line;

	frames->count = 0;
	if (!len || text[len - 1] != '\n')
		return false;
	cursor_init(&c, text, len, "kernel stack");
	while (cursor_line(&c, &line))
		if (frames->count == KERNELFRAMES_MAX ||
		    !kernelframe_parse_line(&line, &frames->all[frames->count++]))
			return false;
	return frames->count;
}
