/* One reading goes through the sources in their order into a fresh list, which replaces the last
 * one only if memory sufficed. Files of the target's root are read only if they are regular. */
#include "rounds/resource/resource.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/process/process.h"
#include "rounds/resource/cgroup.h"
#include "rounds/resource/environ.h"
#include "rounds/resource/owner.h"

/* Of files whose length the target may have chosen. */
enum {
	SMALL_BYTES = 64 << 10,
	MOUNTS_BYTES = 1 << 20,
	MAPS_BYTES = 16 << 20,
};

/* The namespace of a pod, as Kubernetes shows it to the pod's programs. */
static const char namespace_file[] = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/* A reading in the making. */
struct resource_reading {
	const struct process *p;
	struct attributes attributes;
	struct buffer text; /* of the file at hand */
	int rc;		    /* ERR_NOMEM; then nothing more is read */
};

/* Reads at most `most` bytes into r->text, and closes the file. False: there is no text. */
static bool resource_read_fd(struct resource_reading *r, int fd, size_t most)
{
	r->text.len = 0;
	if (fd >= 0 && !r->rc && buffer_read(&r->text, fd, most) == ERR_NOMEM)
		r->rc = ERR_NOMEM;
	if (fd >= 0)
		close(fd);
	return !r->rc && r->text.len;
}

static bool read_proc(struct resource_reading *r, const char *name, size_t most)
{
	return resource_read_fd(r, process_openat(r->p, name, O_RDONLY), most);
}

/* A file of the target's root. Only a regular file is read: of others a read may wait. A file
 * system of the target's own cannot make us wait: the kernel refuses one in user space that another
 * user, or another user namespace, has mounted (fs/fuse/dir.c, fuse_allow_current_process). */
static bool read_root(struct resource_reading *r, const char *path)
{
	int fd = process_open_path(r->p, path);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return resource_read_fd(r, fd, SMALL_BYTES);
}

static void resource_add(struct resource_reading *r, const char *key, const char *value)
{
	if (!r->rc)
		r->rc = attributes_addz(&r->attributes, key, value);
}

static void resource_add_groups(struct resource_reading *r)
{
	struct cgroup g = { 0 };

	if (read_proc(r, "cgroup", SMALL_BYTES))
		cgroup_parse(&g, r->text.data, r->text.len);
	if ((!*g.container_id || !*g.pod_uid) && !*g.unit &&
	    read_proc(r, "mountinfo", MOUNTS_BYTES))
		cgroup_mounts(&g, r->text.data, r->text.len);
	resource_add(r, "container.id", g.container_id);
	resource_add(r, "k8s.pod.uid", g.pod_uid);
	resource_add(r, "k8s.container.name", g.container_name);
	resource_add(r, "systemd.unit.name", g.unit);
	resource_add(r, "process.linux.cgroup", g.line);
}

/* The name of a namespace is a label of DNS (RFC 1123, as Kubernetes says): no other text, a token
 * behind a link for example, has that form. */
static void add_namespace(struct resource_reading *r)
{
	char name[64] = "";
	size_t len;

	if (!read_root(r, namespace_file) || r->text.len >= sizeof(name))
		return;
	memcpy(name, r->text.data, r->text.len);
	len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
	if (name[len] && strcmp(name + len, "\n"))
		return;
	name[len] = '\0';
	resource_add(r, "k8s.namespace.name", name);
}

static bool shares_users(const struct process *p)
{
	struct stat theirs, ours;

	return !fstatat(p->proc_fd, "ns/user", &theirs, 0) && !stat("/proc/self/ns/user", &ours) &&
	       theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev;
}

/* In another user namespace the numbers of its root's users are not those that we see. */
static void resource_add_owner(struct resource_reading *r)
{
	char name[ATTRIBUTE_VALUE_MAX];

	if (!shares_users(r->p) || !read_root(r, "/etc/passwd"))
		return;
	owner_name(r->text.data, r->text.len, r->p->uid, name, sizeof(name));
	resource_add(r, "process.owner", name);
}

static void add_program(struct resource_reading *r)
{
	const struct process *p = r->p;
	const char *slash = strrchr(p->exe, '/');
	char number[16];

	if (slash) {
		resource_add(r, "process.executable.name", slash + 1);
		resource_add(r, "process.executable.path", p->exe);
	}
	snprintf(number, sizeof(number), "%d", p->own_pid);
	if (p->own_pid != p->pid)
		resource_add(r, "process.vpid", number);
}

/* The names of OTel's own SDK for Go. */
static void resource_add_runtime(struct resource_reading *r, const char *go)
{
	if (!*go)
		return;
	resource_add(r, "process.runtime.name", "go");
	resource_add(r, "process.runtime.version", go);
}

/* A process with 10,000 mappings takes some 20 ms to search, so every other reading does it: one in
 * a round. */
static void add_context(struct resource_reading *r, struct context *c, bool *searched)
{
	struct memory_live live;

	memory_live_init(&live, r->p->pid);
	if (!c->at && !*searched && read_proc(r, "maps", MAPS_BYTES))
		c->at = context_find(r->text.data, r->text.len);
	*searched = !c->at && !*searched;
	if (!r->rc && c->at && context_read(c, &live.memory) == ERR_NOMEM)
		r->rc = ERR_NOMEM;
	if (!r->rc)
		r->rc = attributes_add_all(&r->attributes, &c->attributes);
}

static void add_environ(struct resource_reading *r)
{
	if (!r->rc)
		r->rc = process_read_environ(r->p, &r->text, NULL) == ERR_NOMEM ? ERR_NOMEM : 0;
	if (!r->rc)
		r->rc = environ_read(r->text.data, r->text.len, &r->attributes);
	if (r->text.data) /* it held all of the target's variables */
		explicit_bzero(r->text.data, r->text.len);
}

int resource_read(struct resource *r, const struct process *p, const char *go)
{
	struct resource_reading reading = { .p = p };

	resource_add_groups(&reading);
	add_namespace(&reading);
	add_program(&reading);
	resource_add_owner(&reading);
	resource_add_runtime(&reading, go);
	add_context(&reading, &r->context, &r->searched);
	add_environ(&reading);
	buffer_release(&reading.text);
	if (reading.rc || !process_alive(p)) {
		attributes_release(&reading.attributes);
		context_release(&r->context); /* perhaps of another process that got the number */
		return reading.rc ? reading.rc : ERR_GONE;
	}
	attributes_release(&r->attributes);
	r->attributes = reading.attributes;
	return 0;
}

void resource_line(const struct attributes *attributes, char line[RESOURCE_LINE])
{
	static const char *const words[][2] = {
		{ "container.id", "container" },
		{ "k8s.pod.uid", "pod" },
		{ "systemd.unit.name", "unit" },
		{ "service.name", "service" },
	};
	size_t len = 0;

	line[0] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const char *value = attributes_find(attributes, words[i][0]);

		if (value)
			len += (size_t)snprintf(line + len, RESOURCE_LINE - len, "%s%s %s",
						len ? ", " : "process: ", words[i][1], value);
		if (len < RESOURCE_LINE)
			continue;
		line[0] = '\0';
		return;
	}
}

void resource_release(struct resource *r)
{
	attributes_release(&r->attributes);
	context_release(&r->context);
	r->searched = false;
}
