/* Lines of code are cached by their address in a table without chains. A line from the process is
 * valid for one walk, one from a file for a generation of the maps. */
#include "unwind/code/codebytes.h"

#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "unwind/code/insn.h"

enum { CALL_MAX = 8 };

void codebytes_begin(struct codebytes *c, const struct modmap *maps)
{
	c->maps = maps;
	c->walk++;
}

/* As image_offset, also of what a page has before a segment that begins amid these bytes. */
static bool codebytes_offset(const struct image *image, uint64_t addr, size_t len, uint64_t *offset,
			     uint64_t *left)
{
	if (image_offset(image, addr, offset, left))
		return true;
	if (!image_offset(image, addr + len - 1, offset, left) || *offset < len - 1)
		return false;
	*offset -= len - 1;
	*left += len - 1;
	return true;
}

static size_t codebytes_read_file(const struct image *image, uint64_t addr, uint8_t *to, size_t len)
{
	uint64_t offset, left;
	Elf_Data *data;
	ssize_t got;

	if (!codebytes_offset(image, addr, len, &offset, &left))
		return 0;
	if (len > left)
		len = left;
	if (image_fd(image) >= 0) {
		got = pread(image_fd(image), to, len, (off_t)offset);
		return got > 0 ? (size_t)got : 0;
	}
	data = elf_getdata_rawchunk(image_elf(image), (int64_t)offset, len, ELF_T_BYTE);
	if (!data)
		return 0;
	memcpy(to, data->d_buf, len);
	return len;
}

static size_t codebytes_read_process(const struct process *process, uint64_t addr, uint8_t *to,
				     size_t len)
{
	struct memory_live live;

	if (!process)
		return 0;
	memory_live_init(&live, process->pid);
	return live.memory.read(&live.memory, addr, to, len) ? 0 : len;
}

/* Fills the part of a line that the mapping covers. A mapping consists of whole pages and a page of
 * whole lines, so a line lies entirely inside or outside of a mapping, except in mappings that
 * tests make. */
static void codebytes_fill(struct codebytes *c, struct code_line *line, const struct mapping *range)
{
	size_t len = range->end - line->addr < CODE_LINE ? range->end - line->addr : CODE_LINE;

	if (image_elf(range->image)) {
		line->walk = 0;
		line->len = codebytes_read_file(range->image, line->addr - range->bias, line->bytes,
						len);
	} else {
		line->walk = c->walk;
		line->len = codebytes_read_process(modmap_owner(c->maps, range->image), line->addr,
						   line->bytes, len);
	}
}

static const struct code_line *line_at(struct codebytes *c, uint64_t addr)
{
	uint64_t start = addr & ~(uint64_t)(CODE_LINE - 1);
	struct code_line *line = &c->lines[addr / CODE_LINE & (CODE_LINES - 1)];
	const struct mapping *range;

	if (line->addr == start && line->generation == modmap_generation(c->maps) &&
	    (!line->walk || line->walk == c->walk))
		return line;
	range = modmap_find(c->maps, addr);
	if (!range || range->start > start)
		return NULL;
	line->addr = start;
	line->generation = modmap_generation(c->maps);
	codebytes_fill(c, line, range);
	return line;
}

size_t codebytes_read(struct codebytes *c, uint64_t addr, void *buf, size_t want)
{
	size_t done = 0;

	while (done < want) {
		const struct code_line *line = line_at(c, addr + done);
		size_t from = (addr + done) % CODE_LINE, part = want - done;

		if (!line || line->len <= from)
			break;
		if (part > line->len - from)
			part = line->len - from;
		memcpy((uint8_t *)buf + done, line->bytes + from, part);
		done += part;
		if (line->len < CODE_LINE)
			break;
	}
	return done;
}

bool codebytes_behind_call(struct codebytes *c, uint64_t addr, uint64_t *target)
{
	uint8_t before[CALL_MAX];
	size_t len = CALL_MAX;
	int64_t distance;

	*target = 0;
	/* The mapping may begin fewer bytes before `addr` than the longest call instruction has. */
	while (len && codebytes_read(c, addr - len, before, len) < len)
		len--;
	if (!insn_call_ends(before + len, len, &distance))
		return false;
	*target = distance ? addr + (uint64_t)distance : 0;
	return true;
}
