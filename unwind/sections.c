/*
 * Where an image keeps its CFI.
 *
 * The sections are read through a handle of our own on the image's file, which
 * is closed when the table stands: libelf keeps what it has read until then.
 * A file without section headers still has the program header PT_GNU_EH_FRAME,
 * which leads to .eh_frame_hdr and from there to .eh_frame (LSB Core, 10.6.2).
 */
#include "unwind/sections.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "target/image.h"

/* Larger than any seen, compressed or not (libLLVM has 7 MB of .eh_frame);
 * a few bytes of zlib can claim a thousand times their length. */
enum { SECTION_BYTES_MAX = 1 << 28 };

struct found {
	struct cfi_source *source;
	uint64_t data_base;
	const unsigned char *ident;
};

/* True when the section's bytes are plain, now or already. */
static bool decompress(Elf_Scn *scn, const GElf_Shdr *shdr)
{
	GElf_Chdr chdr;

	if (!(shdr->sh_flags & SHF_COMPRESSED))
		return true;
	return gelf_getchdr(scn, &chdr) && chdr.ch_size <= SECTION_BYTES_MAX &&
	       elf_compress(scn, 0, 0) >= 0;
}

static void add_section(struct found *f, Elf_Scn *scn, const GElf_Shdr *shdr, bool eh_frame)
{
	Elf_Data *data;

	if (shdr->sh_type == SHT_NOBITS || shdr->sh_size > SECTION_BYTES_MAX ||
	    f->source->count == SECTIONS_MAX || !decompress(scn, shdr))
		return;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return;
	f->source->sections[f->source->count++] = (struct cfi_section){
		.data = data->d_buf, .len = data->d_size, .vaddr = shdr->sh_addr,
		.eh_frame = eh_frame, .ident = f->ident,
	};
}

/* One pass for each name, so that .eh_frame comes first. */
static void find_named(struct found *f, Elf *elf, const char *wanted, bool eh_frame)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr) ?
					   elf_strptr(elf, strings, shdr.sh_name) : NULL;

		if (name && !strcmp(name, wanted))
			add_section(f, scn, &shdr, eh_frame);
		else if (name && !strcmp(name, ".eh_frame_hdr"))
			f->data_base = shdr.sh_addr;
	}
}

/* The file's bytes from an address on, `most` or up to the segment's end. */
static Elf_Data *bytes_at(const struct image *image, Elf *elf, uint64_t vaddr, uint64_t most)
{
	uint64_t offset, left;

	if (!image_offset(image, vaddr, &offset, &left))
		return NULL;
	return elf_getdata_rawchunk(elf, (int64_t)offset, left < most ? left : most, ELF_T_BYTE);
}

static bool find_header(Elf *elf, GElf_Phdr *ph)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, ph) && ph->p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

/* .eh_frame_hdr: version 1, the encoding of eh_frame_ptr, two more encodings,
 * eh_frame_ptr; every linker writes it pc-relative, four bytes. */
static void find_by_header(struct found *f, const struct image *image, Elf *elf)
{
	Elf_Data *header, *frame;
	struct cursor c;
	GElf_Phdr ph;
	uint64_t at;

	if (!find_header(elf, &ph))
		return;
	header = bytes_at(image, elf, ph.p_vaddr, 8);
	cursor_init(&c, header ? header->d_buf : NULL, header ? header->d_size : 0,
		    ".eh_frame_hdr");
	if (cursor_uint(&c, 1) != 1 ||
	    cursor_uint(&c, 1) != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
		return;
	cursor_uint(&c, 2);
	at = ph.p_vaddr + 4 + (uint64_t)(int32_t)cursor_uint(&c, 4);
	frame = c.failed ? NULL : bytes_at(image, elf, at, SECTION_BYTES_MAX);
	if (!frame)
		return;
	f->data_base = ph.p_vaddr;
	f->source->sections[f->source->count++] = (struct cfi_section){
		.data = frame->d_buf, .len = frame->d_size, .vaddr = at,
		.eh_frame = true, .ident = f->ident,
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

/* A handle of our own; NULL for an image without ELF. Of an image that is bytes
 * (the vDSO) a copy is opened, through *copy: libelf writes the headers of a
 * decompressed section back to where it has them from. */
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

void cfi_source_open(struct cfi_source *source, const struct image *image)
{
	struct found f = { .source = source };

	*source = (struct cfi_source){ .count = 0 };
	source->elf = open_elf(image, &source->copy);
	code_range(image, &source->base, &source->limit);
	if (!source->elf)
		return;
	f.ident = (const unsigned char *)elf_getident(source->elf, NULL);
	find_named(&f, source->elf, ".eh_frame", true);
	find_named(&f, source->elf, ".debug_frame", false);
	if (!source->count)
		find_by_header(&f, image, source->elf);
	for (size_t i = 0; i < source->count; i++)
		source->sections[i].data_base = f.data_base;
}

void cfi_source_close(struct cfi_source *source)
{
	elf_end(source->elf);
	free(source->copy);
}
