/*
 * Opens the files that are mapped.
 *
 * Images are told apart by device, inode and path as the maps line names them. The file is opened
 * through /proc/PID/map_files/START-END. That is the very file that is mapped, even if it was
 * deleted or replaced or is in a container. Opening it requires CAP_SYS_ADMIN or
 * CAP_CHECKPOINT_RESTORE. Without these capabilities the path is opened below the target's root and
 * accepted only if the inode agrees with the maps line. Else /proc/PID/exe is tried, for a deleted
 * executable; there the device must agree, too.
 */
#include "base/process/imagestore.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/maps.h"
#include "base/process/process.h"
#include "base/room.h"

void imagestore_leave(struct imagestore *s)
{
	if (--s->users)
		return;
	for (size_t i = 0; i < s->count; i++)
		image_free(s->images[i]);
	free(s->images);
	free(s->origins);
	free(s);
}

int imagestore_keep(struct imagestore *s, struct image *image, const struct imageorigin *origin)
{
	if (room_for((void **)&s->images, &s->room, s->count + 1, sizeof(*s->images)) ||
	    room_for((void **)&s->origins, &s->origin_room, s->count + 1, sizeof(*s->origins))) {
		image_free(image);
		return ERR_NOMEM;
	}
	image_set_id(image, (uint32_t)s->count);
	s->images[s->count] = image;
	s->origins[s->count++] = *origin;
	return 0;
}

/* A file has one image for all processes that map it; memory belongs to one process. */
static struct image *find_image(const struct imagestore *s, const struct imageorigin *o,
				const char *path)
{
	for (size_t i = s->count; i-- > 0;)
		if (s->origins[i].inode == o->inode && s->origins[i].dev == o->dev &&
		    (s->origins[i].process == o->process ||
		     (o->inode && image_elf(s->images[i]))) &&
		    !strcmp(image_path(s->images[i]), path))
			return s->images[i];
	return NULL;
}

/* On overlayfs and btrfs the device in maps differs from the one of stat(2). There it must suffice
 * that the inode agrees and that the file was found at the mapped path. */
static bool same_file(int fd, const struct maps_line *line, bool same_device)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == line->inode &&
	       (!same_device ||
		(major(st.st_dev) == line->major && minor(st.st_dev) == line->minor));
}

static int imagestore_open_file(const struct process *process, const struct maps_line *line,
				const char *path)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "map_files/%lx-%lx", line->start, line->end);
	fd = process_openat(process, name, O_RDONLY | O_NONBLOCK);
	if (fd >= 0)
		return fd;
	fd = process_open_path(process, path);
	if (same_file(fd, line, false))
		return fd;
	descriptor_close(&fd);
	fd = process_openat(process, "exe", O_RDONLY | O_NONBLOCK);
	if (same_file(fd, line, true))
		return fd;
	descriptor_close(&fd);
	return -1;
}

/* The kernel has one for all 64-bit processes (arch/x86/entry/vdso/vma.c), and gives no other
 * mapping its name. Ours is taken: another process can have written into its own. It ends with its
 * table of sections. */
static struct image *open_vdso(void)
{
	const Elf64_Ehdr *own = (const Elf64_Ehdr *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct image *image = NULL;

	if (own)
		image_open_bytes(own, own->e_shoff + (size_t)own->e_shnum * own->e_shentsize,
				 "[vdso]", &image, NULL);
	return image;
}

/* That of a 32-bit process lies below 4 GiB. */
static bool is_vdso(const struct maps_line *line, const char *path)
{
	return !strcmp(path, "[vdso]") && line->start >> 32;
}

static struct image *open_image(const struct process *process, const struct maps_line *line,
				const char *path)
{
	struct image *image = NULL;
	int fd;

	if (is_vdso(line, path))
		image = open_vdso();
	else if (line->inode && (fd = imagestore_open_file(process, line, path)) >= 0)
		image_open(fd, path, &image, NULL);
	return image ? image : image_open_none(path);
}

/* The path without the kernel's " (deleted)"; "[anon]" for anonymous code. The caller frees it. */
static char *imagestore_path_of(const struct process *process, const struct maps_line *line)
{
	size_t len = line->path_len;

	if (!len)
		return strdup("[anon]");
	if (line->inode)
		len = process_path_len(process, line->path, len, line->inode);
	return strndup(line->path, len);
}

struct image *imagestore_of(struct imagestore *s, const struct process *process,
			    const struct maps_line *line)
{
	char *path = imagestore_path_of(process, line);
	struct imageorigin o = { .process = process,
				 .inode = line->inode,
				 .dev = makedev(line->major, line->minor) };
	struct image *image;

	if (!path)
		return NULL;
	if (is_vdso(line, path))
		o.process = NULL;
	image = find_image(s, &o, path);
	if (!image) {
		image = open_image(process, line, path);
		if (image && imagestore_keep(s, image, &o))
			image = NULL;
	}
	free(path);
	return image;
}
