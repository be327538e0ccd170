/* pread(2) leaves the position of a descriptor that is kept open where it is. */
#include "base/smallfile.h"

#include <fcntl.h>
#include <unistd.h>

ssize_t smallfile_text(int fd, char *text, size_t room)
{
	ssize_t len = pread(fd, text, room - 1, 0);

	text[len > 0 ? len : 0] = '\0';
	return len;
}

ssize_t smallfile_read(int folder, const char *path, char *text, size_t room)
{
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	*text = '\0';
	if (fd < 0)
		return -1;
	len = smallfile_text(fd, text, room);
	close(fd);
	return len;
}
