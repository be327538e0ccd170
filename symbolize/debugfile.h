/*
 * Separate debug files: found by build ID, then by .gnu_debuglink, as gdb does
 * ("Separate Debug Files" in its manual), in the target's view of the file
 * system first and in ours second. Nothing is asked of the network: libdwfl, which
 * would, is not used, and libdw alone does not (sampler/fetching.h does, if it is told to).
 */
#ifndef SYMBOLIZE_DEBUGFILE_H
#define SYMBOLIZE_DEBUGFILE_H

#include <stdbool.h>
#include <stddef.h>

struct image;
struct process;

/* Opens a regular ELF file in the process's view of the file system, or in `ours`;
 * NULL when there is none. `process` may be NULL. */
struct image *debugfile_open(const struct process *process, bool ours, const char *path);

/* Is there DWARF in the image's own file? */
bool debugfile_has_dwarf(const struct image *image);

/* Is there DWARF of the image, in its own file or in one that debugfile_find finds? */
bool debugfile_exists(const struct image *image, const struct process *process);

/* The debug file of an image, opened; NULL when there is none that fits. A file
 * that was found and refused is named in `note` (of `room` bytes), which else is
 * left as it is. `process` may be NULL. */
struct image *debugfile_find(const struct image *image, const struct process *process, char *note,
			     size_t room);

/* The file that dwz moved common parts of `image`'s DWARF to: .gnu_debugaltlink,
 * or DWARF 5's .debug_sup. When the image names one and it is not to be had, the
 * result is NULL and `note` says so. */
struct image *debugfile_find_alt(const struct image *image, const struct process *process,
				 char *note, size_t room);

#endif
