/*
 * Separate debug files are found by build ID, then by .gnu_debuglink, as gdb does ("Separate Debug
 * Files" in its manual), in the target's view of the file system first and in ours second. The
 * network is not used: libdwfl, which would use it, is not called, and libdw alone does not use it.
 * Downloads on request are in sampler/profile/fetching.h.
 */
#ifndef SYMBOLIZE_FILES_DEBUGFILE_H
#define SYMBOLIZE_FILES_DEBUGFILE_H

#include <stdbool.h>
#include <stddef.h>

struct image;
struct process;

/* Opens a regular ELF file in the process's view of the file system, or in our own if `ours`; NULL
 * when there is none. The caller frees the image. `process` may be NULL. */
struct image *debugfile_open(const struct process *process, bool ours, const char *path);

/* Is there DWARF in the image's own file? */
bool debugfile_has_dwarf(const struct image *image);

/* Is there DWARF of the image, in its own file or in one that debugfile_find finds? */
bool debugfile_exists(const struct image *image, const struct process *process);

/* The debug file of an image, which the caller frees; NULL when there is none that fits. If a file
 * was found and rejected, `note` (of `room` bytes) names it, else `note` is left as it is.
 * `process` may be NULL. */
struct image *debugfile_find(const struct image *image, const struct process *process, char *note,
			     size_t room);

/* The file to which dwz moved common parts of `image`'s DWARF: .gnu_debugaltlink, or DWARF 5's
 * .debug_sup. The caller frees it. If the image names a file that cannot be used, the result is
 * NULL and `note` says so. */
struct image *debugfile_find_alt(const struct image *image, const struct process *process,
				 char *note, size_t room);

#endif
