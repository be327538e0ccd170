// links: rounds/resource
/* Any bytes as the text of /proc/PID/cgroup, and behind a NUL as that of mountinfo. */
#include <stdint.h>
#include <string.h>

#include "must.h"
#include "rounds/resource/cgroup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* It ends, and has come from one line. */
static void check(const char *text, size_t room)
{
	must(strnlen(text, room) < room);
	must(!strchr(text, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
	size_t groups = end ? (size_t)(end - data) : size;
	struct cgroup g;

	cgroup_parse(&g, data, groups);
	if (end)
		cgroup_mounts(&g, end + 1, size - groups - 1);
	check(g.container_id, sizeof(g.container_id));
	check(g.container_name, sizeof(g.container_name));
	check(g.pod_uid, sizeof(g.pod_uid));
	check(g.unit, sizeof(g.unit));
	check(g.line, sizeof(g.line));
	must(!*g.pod_uid || strlen(g.pod_uid) == 36 || strlen(g.pod_uid) == 32);
	must(!strchr(g.container_id, '/') && !strchr(g.unit, '/'));
	return 0;
}
