/*
 * The forms, each from a path of a real machine (tests/unit/rounds/resource/cgroup_test.c has
 * them):
 *
 *   /docker/ID                                          Docker with cgroupfs; also /kubepods/…/ID,
 *                                                       /ecs/TASK/ID, /actions_job/ID
 *   /system.slice/docker-ID.scope                       Docker, containerd, CRI-O, podman, nerdctl
 *                                                       with systemd: "NAME-ID.scope"
 *   /kubepods-…-podUID.slice:cri-containerd:ID          containerd, kubelet and runtime disagreeing
 *                                                       on the driver
 *   /ecs/TASK/TASK-NUMBER                               Fargate: the ID has 32 digits and a number
 *   /lxc/NAME  /lxc.payload.NAME  /lxc.payload/NAME     LXC, LXD, Proxmox
 *   /garden/ID                                          Cloud Foundry: a UUID, or a short one
 *   /kubepods/besteffort/podUID  /kubepods-podUID.slice the pod; a static pod's UID has 32 digits
 *
 * Of several the innermost counts: a container in a container (kind, Docker in Docker). An ID must
 * end its component, and a UUID alone is no ID: GNOME's terminals have scopes of that form.
 * "conmon" and "lxc.monitor" are outside of the container that they watch.
 */
#include "rounds/resource/cgroup.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"

enum { ID_DIGITS = 64, TASK_DIGITS = 32, UUID_LEN = 36 };

/* A part of the text, not NUL-terminated. */
struct cgroup_span {
	const char *at;
	size_t len;
};

static struct cgroup_span cgroup_span_of(const char *text)
{
	return (struct cgroup_span){ text, strlen(text) };
}

static bool span_is(struct cgroup_span s, const char *text)
{
	return s.len == strlen(text) && !memcmp(s.at, text, s.len);
}

static bool span_begins(struct cgroup_span s, const char *head)
{
	return s.len >= strlen(head) && !memcmp(s.at, head, strlen(head));
}

static bool span_ends(struct cgroup_span s, const char *tail)
{
	size_t len = strlen(tail);

	return s.len >= len && !memcmp(s.at + s.len - len, tail, len);
}

static struct cgroup_span span_from(struct cgroup_span s, size_t skip)
{
	return (struct cgroup_span){ s.at + skip, s.len - skip };
}

/* Cuts what stands before the next `by` off the text, and `by` too. False at the text's end. */
static bool span_next(struct cgroup_span *text, char by, struct cgroup_span *part)
{
	const char *end;

	if (!text->at)
		return false;
	end = text->len ? memchr(text->at, by, text->len) : NULL;
	part->at = text->at;
	part->len = end ? (size_t)(end - text->at) : text->len;
	*text = end ? span_from(*text, part->len + 1) : (struct cgroup_span){ NULL, 0 };
	return true;
}

/* Copies a part that has room; one that has not is not known. */
static void cgroup_keep(char *to, size_t room, struct cgroup_span s)
{
	if (!s.len || s.len >= room)
		return;
	memcpy(to, s.at, s.len);
	to[s.len] = '\0';
}

static bool is_lower_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* How many hexadecimal digits stand at the end. */
static size_t hex_at_end(struct cgroup_span s)
{
	size_t n = 0;

	while (n < s.len && is_lower_hex(s.at[s.len - 1 - n]))
		n++;
	return n;
}

/* "34dc0b5e-626f-2c5c-4c51-70e34b10e765", perhaps with '_': systemd reads '-' as a level. */
static bool is_uuid(struct cgroup_span s)
{
	if (s.len != UUID_LEN)
		return false;
	for (size_t i = 0; i < UUID_LEN; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s.at[i] != '-' && s.at[i] != '_' : !is_lower_hex(s.at[i]))
			return false;
	}
	return true;
}

/* Components. */

/* "ID", "NAME-ID", "NAME:ID". */
static bool take_id(struct cgroup *g, struct cgroup_span c)
{
	size_t name = c.len - (c.len < ID_DIGITS ? c.len : ID_DIGITS);

	if (hex_at_end(c) != ID_DIGITS || (name && c.at[name - 1] != '-' && c.at[name - 1] != ':'))
		return false;
	if (name >= 7 && !memcmp(c.at + name - 7, "conmon-", 7))
		return false;
	cgroup_keep(g->container_id, sizeof(g->container_id), span_from(c, name));
	return true;
}

static bool take_fargate(struct cgroup *g, struct cgroup_span c)
{
	size_t digits = 0;

	while (digits < c.len && isdigit((unsigned char)c.at[c.len - 1 - digits]))
		digits++;
	if (!digits || digits > 20 || c.len != TASK_DIGITS + 1 + digits ||
	    c.at[TASK_DIGITS] != '-' ||
	    hex_at_end((struct cgroup_span){ c.at, TASK_DIGITS }) != TASK_DIGITS)
		return false;
	cgroup_keep(g->container_id, sizeof(g->container_id), c);
	return true;
}

static bool cgroup_take_name(struct cgroup *g, struct cgroup_span name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!isalnum((unsigned char)name.at[i]) && !strchr("-._", name.at[i]))
			return false;
	cgroup_keep(g->container_id, sizeof(g->container_id), name);
	return name.len > 0;
}

/* A name below a folder of its runtime. */
static bool take_named(struct cgroup *g, struct cgroup_span before, struct cgroup_span c)
{
	if (span_begins(c, "lxc.payload."))
		return cgroup_take_name(g, span_from(c, 12));
	if (span_is(before, "lxc") || span_is(before, "lxc.payload") || span_is(before, "garden"))
		return cgroup_take_name(g, c);
	return false;
}

static bool take_pod(struct cgroup *g, struct cgroup_span c)
{
	struct cgroup_span uid = c;
	size_t at = 0;

	/* "kubepods-besteffort-podUID.slice", "kubelet-kubepods-podUID.slice", "podUID" */
	if (!span_begins(c, "pod")) {
		const char *pod = memmem(c.at, c.len, "-pod", 4);

		if (!pod || !memmem(c.at, c.len, "kubepods", 8) || !span_ends(c, ".slice"))
			return false;
		uid.len -= strlen(".slice");
		at = (size_t)(pod - c.at) + 1;
	}
	uid = span_from(uid, at + 3);
	if (!is_uuid(uid) && !(uid.len == TASK_DIGITS && hex_at_end(uid) == TASK_DIGITS))
		return false;
	cgroup_keep(g->pod_uid, sizeof(g->pod_uid), uid);
	for (char *p = g->pod_uid; *p; p++)
		if (*p == '_')
			*p = '-';
	return true;
}

/* systemd puts '_' before a name that the kernel could take for a file of its own (cg_escape in
 * systemd's src/basic/cgroup-util.c). */
static void take_unit(char unit[256], struct cgroup_span c)
{
	struct cgroup_span name = span_begins(c, "_") ? span_from(c, 1) : c;

	if (span_ends(name, ".service") || span_ends(name, ".scope"))
		cgroup_keep(unit, 256, name);
}

/* Reads one component. True: it is a container's. A container's scope is no unit that a user has
 * written, and the unit around it is the runtime's, except of podman's --cgroups=split. */
static bool take_component(struct cgroup *g, struct cgroup_span before, struct cgroup_span c)
{
	struct cgroup_span bare = c, slice;

	if (span_ends(c, ".scope"))
		bare.len -= strlen(".scope");
	if (take_named(g, before, bare) || take_fargate(g, bare))
		return true;
	if (!take_id(g, bare)) {
		take_pod(g, c);
		return false;
	}
	if (span_next(&bare, ':', &slice) && bare.at)
		take_pod(g, slice);
	return true;
}

static void take_path(struct cgroup *g, struct cgroup_span path)
{
	struct cgroup_span before = cgroup_span_of(""), c;
	char unit[256] = "";

	while (span_next(&path, '/', &c)) {
		if (take_component(g, before, c)) {
			if (!span_begins(c, "libpod-payload-"))
				unit[0] = '\0';
		} else {
			take_unit(unit, c);
		}
		before = c;
	}
	if (*unit)
		cgroup_keep(g->unit, sizeof(g->unit), cgroup_span_of(unit));
}

/* The text. */

/* How well a line describes the process: the unified hierarchy's, else systemd's own. A path "/"
 * says nothing; of cgroup v1's other lines any is better than that. */
static int cgroup_rank(struct cgroup_span id, struct cgroup_span controllers,
		       struct cgroup_span path)
{
	if (path.len < 2)
		return 1;
	if (span_is(id, "0") && !controllers.len)
		return 4;
	return span_is(controllers, "name=systemd") ? 3 : 2;
}

void cgroup_parse(struct cgroup *g, const void *text, size_t len)
{
	struct cursor c, line;
	int best = 0;

	memset(g, 0, sizeof(*g));
	cursor_init(&c, text, len, "cgroup");
	while (cursor_line(&c, &line)) {
		struct cgroup_span whole = { (const char *)line.pos, cursor_left(&line) },
				   rest = whole;
		struct cgroup_span id, controllers;
		struct cgroup of = { 0 };

		if (!span_next(&rest, ':', &id) || !span_next(&rest, ':', &controllers) ||
		    !rest.at || !span_begins(rest, "/"))
			continue;
		take_path(&of, rest);
		if (!*g->container_id)
			memcpy(g->container_id, of.container_id, sizeof(g->container_id));
		if (!*g->pod_uid)
			memcpy(g->pod_uid, of.pod_uid, sizeof(g->pod_uid));
		if (cgroup_rank(id, controllers, rest) > best) {
			best = cgroup_rank(id, controllers, rest);
			memcpy(g->unit, of.unit, sizeof(g->unit));
			g->line[0] = '\0';
			cgroup_keep(g->line, sizeof(g->line), whole);
		}
	}
}

/* The component behind the folder `name`, which may be anywhere in the path. */
static bool component_behind(struct cgroup_span path, const char *name, struct cgroup_span *rest,
			     struct cgroup_span *found)
{
	const char *at = memmem(path.at, path.len, name, strlen(name));

	if (!at)
		return false;
	*rest = span_from(path, (size_t)(at - path.at) + strlen(name));
	return span_next(rest, '/', found);
}

/* "/var/lib/docker/containers/ID/hostname", mounted to /etc/hostname. Its begin is missing where
 * the folder is a file system of its own. In a pod the file is of the pod's first container, whose
 * ID is another one (OTel's detectors have taken it). */
static void take_docker_mount(struct cgroup *g, struct cgroup_span root)
{
	struct cgroup_span rest, id;

	if (!*g->container_id && component_behind(root, "/containers/", &rest, &id) &&
	    id.len == ID_DIGITS && rest.at && span_is(rest, "hostname"))
		take_id(g, id);
}

/* "/var/lib/kubelet/pods/UID/etc-hosts", mounted to /etc/hosts, and
 * "/var/lib/kubelet/pods/UID/containers/NAME/1a2b3c4d", to /dev/termination-log. */
static bool take_kubelet_mount(struct cgroup *g, struct cgroup_span root, struct cgroup_span point)
{
	struct cgroup_span rest, uid, folder, name;

	if (!component_behind(root, "/pods/", &rest, &uid) || !rest.at ||
	    (!is_uuid(uid) && !(uid.len == TASK_DIGITS && hex_at_end(uid) == TASK_DIGITS)))
		return false;
	if (!span_is(point, "/etc/hosts") && !span_is(point, "/dev/termination-log"))
		return false;
	if (!*g->pod_uid)
		cgroup_keep(g->pod_uid, sizeof(g->pod_uid), uid);
	if (!*g->container_name && span_next(&rest, '/', &folder) &&
	    span_is(folder, "containers") && rest.at && span_next(&rest, '/', &name) && rest.at)
		cgroup_keep(g->container_name, sizeof(g->container_name), name);
	return true;
}

/* Fields 4 and 5: the root of the mount within its file system, and the mount point. */
static bool mount_of(struct cursor *line, struct cgroup_span *root, struct cgroup_span *point)
{
	struct cgroup_span rest = { (const char *)line->pos, cursor_left(line) }, skipped;

	for (int i = 0; i < 3; i++)
		if (!span_next(&rest, ' ', &skipped))
			return false;
	return span_next(&rest, ' ', root) && span_next(&rest, ' ', point) && rest.at;
}

void cgroup_mounts(struct cgroup *g, const void *text, size_t len)
{
	struct cursor c, line;
	struct cgroup_span root, point;
	bool in_pod = *g->pod_uid;

	cursor_init(&c, text, len, "mountinfo");
	while (cursor_line(&c, &line))
		in_pod |= mount_of(&line, &root, &point) && take_kubelet_mount(g, root, point);
	if (in_pod)
		return;
	cursor_init(&c, text, len, "mountinfo");
	while (cursor_line(&c, &line))
		if (mount_of(&line, &root, &point) && span_is(point, "/etc/hostname"))
			take_docker_mount(g, root);
}
