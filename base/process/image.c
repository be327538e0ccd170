/*
 * Files are opened with ELF_C_READ, not ELF_C_READ_MMAP: the file belongs to the target's user and
 * can be truncated at any moment. If it were mapped, that would kill us by SIGBUS in the middle of
 * a walk. libelf reads a section when it is first used; only headers and notes are read here.
 */
#include "base/process/image.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/process/machine.h"

enum { SEGMENTS_MAX = 256, NOTES_MAX = 64 << 10, BUILD_ID_MAX = 64 };

struct image {
	Elf *elf;
	int fd;
	uint32_t id, notes;
	void *bytes; /* the file's bytes, for image_open_bytes; owned */
	char *path;
	void *names; /* see image_names; owned */
	struct image_segment *segments;
	size_t segment_count;
	char build_id[2 * BUILD_ID_MAX + 1];
};

static int image_is_ours(Elf *elf, const char *path, struct error *err)
{
	GElf_Ehdr ehdr;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr))
		return error_set(err, ERR_FORMAT, "'%s' is not an ELF file", path);
	if (ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_machine != MACHINE_ELF)
		return error_set(err, ERR_FORMAT, "'%s' is not an ELF file for " MACHINE_NAME,
				 path);
	return 0;
}

/* The GNU build ID among the notes (elf.h, NT_GNU_BUILD_ID). */
static void find_build_id(struct image *image, const void *data, size_t len)
{
	struct cursor c;

	cursor_init(&c, data, len, "notes");
	while (cursor_left(&c) >= 12 && !image->build_id[0]) {
		uint64_t namesz = cursor_uint(&c, 4), descsz = cursor_uint(&c, 4);
		uint64_t type = cursor_uint(&c, 4);
		const uint8_t *name = cursor_bytes(&c, (namesz + 3) & ~3ull);
		const uint8_t *desc = cursor_bytes(&c, descsz);

		if (!desc)
			return;
		if (type == NT_GNU_BUILD_ID && namesz == 4 && !memcmp(name, "GNU", 4) &&
		    descsz <= BUILD_ID_MAX)
			for (size_t i = 0; i < descsz; i++)
				sprintf(image->build_id + 2 * i, "%02x", desc[i]);
		cursor_bytes(&c, -descsz & 3);
	}
}

static void read_notes(struct image *image, uint64_t offset, uint64_t len)
{
	Elf_Data *data;

	if (len > NOTES_MAX || image->build_id[0])
		return;
	data = elf_getdata_rawchunk(image->elf, (int64_t)offset, len, ELF_T_BYTE);
	if (data)
		find_build_id(image, data->d_buf, data->d_size);
}

/* Debug files have the notes in a section. They have either copies of the program's program
 * headers, which point to where the notes are in the program (eu-strip), or none (dwz). */
static void read_note_sections(struct image *image)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while (!image->build_id[0] && (scn = elf_nextscn(image->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_NOTE)
			read_notes(image, shdr.sh_offset, shdr.sh_size);
}

static int read_program_headers(struct image *image, struct error *err)
{
	size_t count = 0;

	if (elf_getphdrnum(image->elf, &count) || count > SEGMENTS_MAX)
		return error_set(err, ERR_FORMAT, "'%s' has broken program headers", image->path);
	image->segments = calloc(count ? count : 1, sizeof(*image->segments));
	if (!image->segments)
		return error_nomem(err);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(image->elf, (int)i, &ph))
			return error_set(err, ERR_FORMAT, "'%s' has a broken program header %zu",
					 image->path, i);
		if (ph.p_type == PT_LOAD)
			image->segments[image->segment_count++] = (struct image_segment){
				ph.p_vaddr, ph.p_offset, ph.p_filesz, ph.p_memsz, ph.p_flags
			};
		else if (ph.p_type == PT_NOTE)
			read_notes(image, ph.p_offset, ph.p_filesz);
	}
	read_note_sections(image);
	return 0;
}

/* Takes over elf, fd and bytes, also on failure. */
static int image_make(Elf *elf, int fd, void *bytes, const char *path, struct image **out,
		      struct error *err)
{
	struct image *image = calloc(1, sizeof(*image));
	int rc;

	if (!image) {
		elf_end(elf);
		free(bytes);
		descriptor_close(&fd);
		return error_nomem(err);
	}
	*image = (struct image){ .elf = elf, .fd = fd, .bytes = bytes, .path = strdup(path) };
	if (!image->path)
		rc = error_nomem(err);
	else if (!elf)
		rc = error_set(err, ERR_FORMAT, "'%s': %s", path, elf_errmsg(-1));
	else if (!(rc = image_is_ours(elf, path, err)))
		rc = read_program_headers(image, err);
	if (rc) {
		image_free(image);
		return rc;
	}
	*out = image;
	return 0;
}

int image_open(int fd, const char *path, struct image **image, struct error *err)
{
	elf_version(EV_CURRENT);
	return image_make(elf_begin(fd, ELF_C_READ, NULL), fd, NULL, path, image, err);
}

int image_open_bytes(const void *data, size_t len, const char *path, struct image **image,
		     struct error *err)
{
	char *bytes = malloc(len ? len : 1);

	if (!bytes)
		return error_nomem(err);
	if (len)
		memcpy(bytes, data, len);
	elf_version(EV_CURRENT);
	return image_make(elf_memory(bytes, len), -1, bytes, path, image, err);
}

struct image *image_open_none(const char *path)
{
	struct image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->fd = -1;
	image->path = strdup(path);
	if (!image->path) {
		free(image);
		return NULL;
	}
	return image;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	descriptor_close(&image->fd);
	free(image->bytes);
	free(image->segments);
	free(image->path);
	free(image->names);
	free(image);
}

void **image_names(const struct image *image)
{
	return (void **)&image->names;
}

Elf *image_elf(const struct image *image)
{
	return image->elf;
}

bool image_is_memory(const struct image *image)
{
	return !image->elf &&
	       (!strncmp(image->path, "[anon", 5) || !strncmp(image->path, "/memfd:", 7));
}

int image_fd(const struct image *image)
{
	return image->fd;
}

const char *image_path(const struct image *image)
{
	return image->path;
}

const char *image_name(const struct image *image)
{
	const char *slash = strrchr(image->path, '/');

	return slash ? slash + 1 : image->path;
}

const char *image_build_id(const struct image *image)
{
	return image->build_id;
}

const struct image_segment *image_segments(const struct image *image, size_t *count)
{
	*count = image->segment_count;
	return image->segments;
}

bool image_offset(const struct image *image, uint64_t addr, uint64_t *offset, uint64_t *left)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *s = &image->segments[i];
		uint64_t into = addr - s->vaddr;

		if (into < s->filesz) {
			*offset = s->offset + into;
			*left = s->filesz - into;
			return true;
		}
	}
	return false;
}

uint32_t image_id(const struct image *image)
{
	return image->id;
}

uint32_t *image_notes(const struct image *image)
{
	return &((struct image *)image)->notes;
}

void image_set_id(struct image *image, uint32_t id)
{
	image->id = id;
}
