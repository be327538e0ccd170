/*
 * One ELF file as a process has it mapped; immutable, identified by its build ID.
 *
 * Addresses inside an image are those of the file itself (ELF's p_vaddr and st_value), wherever a
 * process maps it: "image addresses" in what follows. A stack in image addresses stays correct
 * after a dlclose, an exec or the target's end, because the image holds its file open.
 *
 * A mapping without a readable ELF file (anonymous memory, a file that is gone) has an image too,
 * so that every frame has one. Then image_elf is NULL, and an image address is the offset in the
 * file or, for memory, the address in the process.
 */
#ifndef BASE_PROCESS_IMAGE_H
#define BASE_PROCESS_IMAGE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct image;

/* A PT_LOAD program header. */
struct image_segment {
	uint64_t vaddr, offset, filesz, memsz; /* bytes */
	uint32_t flags;			       /* PF_R | PF_W | PF_X */
};

/* Opens an ELF file. The image owns `fd` from then on, also on failure. `path` is the name to show;
 * it is copied. Nothing is mapped: a file that is truncated meanwhile causes a read error, not a
 * SIGBUS. ERR_FORMAT, ERR_NOMEM. */
int image_open(int fd, const char *path, struct image **image, struct error *err);

/* The same from bytes (the vDSO, tests), which are copied. */
int image_open_bytes(const void *data, size_t len, const char *path, struct image **image,
		     struct error *err);

/* An image without ELF; NULL when out of memory. */
struct image *image_open_none(const char *path);

void image_free(struct image *image);

/* What elfsymbol.c keeps of the image, from malloc(3); NULL at first. */
void **image_names(const struct image *image);

/* NULL for image_open_none. Not thread-safe, like all of libelf. */
Elf *image_elf(const struct image *image);

/* Is it memory that no file backs? It is anonymous, or made by memfd_create(2), with which JIT
 * compilers map their code a second time. */
bool image_is_memory(const struct image *image);

/* The file's descriptor, owned by the image; -1 if there is none. */
int image_fd(const struct image *image);

/* The path as the target sees it ("/usr/lib/libc.so.6", "[vdso]", "[anon]"). */
const char *image_path(const struct image *image);

/* The last part of the path. */
const char *image_name(const struct image *image);

/* The GNU build ID as lower-case hex digits, "" if there is none. */
const char *image_build_id(const struct image *image);

/* The loadable segments in file order, valid as long as the image. */
const struct image_segment *image_segments(const struct image *image, size_t *count);

/* The file offset of the byte at an image address; *left is how many bytes the segment has from
 * there on. False when the file has no byte for the address. */
bool image_offset(const struct image *image, uint64_t addr, uint64_t *offset, uint64_t *left);

/* A small number, different for each image of a process; caches use it as an array index. The owner
 * of the images sets it (base/process/modmap.h). */
uint32_t image_id(const struct image *image);

/* Bits in which the users of images note what the file has not, for all processes that map it; 0 at
 * first. The highest is of the search for Go's runtime (runtimes/go/find/runtime.h), the others of
 * that for interpreters (runtimes/interps.c). As little thread-safe as libelf. */
#define IMAGE_WITHOUT_GO (UINT32_C(1) << 31)
uint32_t *image_notes(const struct image *image);
void image_set_id(struct image *image, uint32_t id);

#endif
