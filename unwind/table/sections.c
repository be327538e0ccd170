/*
 * The sections are read through a separate libelf handle on the image's file, which is closed when
 * the table is finished: libelf keeps what it has read until then. A file without section headers
 * still has the program header PT_GNU_EH_FRAME, which leads to .eh_frame_hdr and from there to
 * .eh_frame (LSB Core, 10.6.2).
 */
#include "unwind/table/sections.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/elf/elfsection.h"
#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "unwind/table/arch.h"

/* Larger than any known section, compressed or not (libLLVM has 7 MB of .eh_frame). A limit is
 * needed: a few bytes can claim any decompressed length. */
enum { SECTION_BYTES_MAX = 1 << 28 };

struct found {
	struct cfi_source *source;
	uint64_t data_base;
	const unsigned char *ident;
};

static void table_sections_add_section(struct found *f, Elf_Scn *scn, const GElf_Shdr *shdr,
				       bool eh_frame)
{
	struct cfi_source *source = f->source;
	struct elfbytes bytes;

	if (source->count == SECTIONS_MAX || shdr->sh_size > SECTION_BYTES_MAX ||
	    elfsection_bytes(source->elf, scn, SECTION_BYTES_MAX, &bytes) || !bytes.data)
		return;
	source->plain[source->count] = bytes.owned;
	source->sections[source->count++] = (struct cfi_section){
		.data = bytes.data,
		.len = bytes.len,
		.vaddr = shdr->sh_addr,
		.eh_frame = eh_frame,
		.ident = f->ident,
	};
}

static void add_named(struct found *f, const char *name, bool eh_frame)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elfsection_next(f->source->elf, scn, name, &shdr)))
		table_sections_add_section(f, scn, &shdr, eh_frame);
}

/* The file's bytes from address `vaddr` on: `most` bytes, or fewer where the segment ends. */
static Elf_Data *bytes_at(const struct image *image, Elf *elf, uint64_t vaddr, uint64_t most)
{
	uint64_t offset, left;

	if (!image_offset(image, vaddr, &offset, &left))
		return NULL;
	return elf_getdata_rawchunk(elf, (int64_t)offset, left < most ? left : most, ELF_T_BYTE);
}

static bool table_sections_find_header(Elf *elf, GElf_Phdr *ph)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, ph) && ph->p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

/* .eh_frame_hdr consists of version 1, the encoding of eh_frame_ptr, two more encodings,
 * eh_frame_ptr. Every linker writes eh_frame_ptr pc-relative, in four bytes. */
static void find_by_header(struct found *f, const struct image *image, Elf *elf)
{
	Elf_Data *header, *frame;
	struct cursor c;
	GElf_Phdr ph;
	uint64_t at;

	if (!table_sections_find_header(elf, &ph))
		return;
	header = bytes_at(image, elf, ph.p_vaddr, 8);
	cursor_init(&c, header ? header->d_buf : NULL, header ? header->d_size : 0,
		    ".eh_frame_hdr");
	if (cursor_uint(&c, 1) != 1 || cursor_uint(&c, 1) != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
		return;
	cursor_uint(&c, 2);
	at = ph.p_vaddr + 4 + (uint64_t)(int32_t)cursor_uint(&c, 4);
	frame = c.failed ? NULL : bytes_at(image, elf, at, SECTION_BYTES_MAX);
	if (!frame)
		return;
	f->data_base = ph.p_vaddr;
	f->source->sections[f->source->count++] = (struct cfi_section){
		.data = frame->d_buf,
		.len = frame->d_size,
		.vaddr = at,
		.eh_frame = true,
		.ident = f->ident,
	};
}

/* The address range of the executable segments. */
static void code_range(const struct image *image, uint64_t *base, uint64_t *limit)
{
	size_t count;
	const struct image_segment *s = image_segments(image, &count);

	*base = UINT64_MAX;
	*limit = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t end;

		if (!(s[i].flags & PF_X) || __builtin_add_overflow(s[i].vaddr, s[i].memsz, &end))
			continue;
		*base = s[i].vaddr < *base ? s[i].vaddr : *base;
		*limit = end > *limit ? end : *limit;
	}
	if (*base > *limit)
		*base = *limit = 0;
}

/* Opens a separate handle; NULL for an image without ELF. An image that exists only as bytes (the
 * vDSO) is copied first, and *copy is the copy: libelf writes the headers of a decompressed section
 * back to the memory that they were read from. */
static Elf *open_elf(const struct image *image, char **copy)
{
	const char *bytes;
	size_t len;

	if (!image_elf(image))
		return NULL;
	if (image_fd(image) >= 0)
		return elf_begin(image_fd(image), ELF_C_READ, NULL);
	bytes = elf_rawfile(image_elf(image), &len);
	*copy = bytes ? malloc(len) : NULL;
	return *copy ? elf_memory(memcpy(*copy, bytes, len), len) : NULL;
}

/* For Go code pclntab says more than .debug_frame (step_go_NAME.c). */
static bool is_go(const struct image *image)
{
	struct gopclntab *t;

	if (gopclntab_open(image, &t))
		return false;
	gopclntab_close(t);
	return true;
}

void cfi_source_open(struct cfi_source *source, const struct image *image)
{
	struct found f = { .source = source };
	GElf_Shdr shdr;

	*source = (struct cfi_source){ .count = 0 };
	source->elf = open_elf(image, &source->copy);
	code_range(image, &source->base, &source->limit);
	if (!source->elf)
		return;
	f.ident = (const unsigned char *)elf_getident(source->elf, NULL);
	add_named(&f, ".eh_frame", true);
	if (!KNOWS_GO || !is_go(image)) {
		add_named(&f, ".debug_frame", false);
		add_named(&f, ".zdebug_frame", false);
	}
	if (elfsection_next(source->elf, NULL, ".eh_frame_hdr", &shdr))
		f.data_base = shdr.sh_addr;
	if (!source->count)
		find_by_header(&f, image, source->elf);
	for (size_t i = 0; i < source->count; i++)
		source->sections[i].data_base = f.data_base;
}

void cfi_source_close(struct cfi_source *source)
{
	for (size_t i = 0; i < source->count; i++)
		free(source->plain[i]);
	elf_end(source->elf);
	free(source->copy);
}
