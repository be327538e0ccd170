/* /sys/devices/system/cpu/possible lists ranges, as "0-3,8"; the highest number in it counts,
 * however they are separated. */
#include "sampler/capture/cpus.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/smallfile.h"

enum { CPUS_MOST = 1 << 16 }; /* more than any kernel is built for (NR_CPUS) */

unsigned cpus_bound_of(const char *text, size_t len)
{
	unsigned number = 0, bound = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9') {
			number = 0;
			continue;
		}
		number = number * 10 + (unsigned)(text[i] - '0');
		if (number >= CPUS_MOST)
			return 0;
		bound = number >= bound ? number + 1 : bound;
	}
	return bound;
}

unsigned cpus_bound(void)
{
	char text[4096];
	ssize_t len = smallfile_read(AT_FDCWD, "/sys/devices/system/cpu/possible", text,
				     sizeof(text));
	long counted = sysconf(_SC_NPROCESSORS_CONF);
	unsigned least = counted > 0 ? (unsigned)counted : 1;
	unsigned bound = len > 0 ? cpus_bound_of(text, (size_t)len) : 0;

	return bound > least ? bound : least;
}
