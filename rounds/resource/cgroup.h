/*
 * Container, pod and systemd unit of a process, by the names of its control groups.
 *
 * /proc/PID/cgroup (cgroups(7)) has a line for each hierarchy, "ID:CONTROLLERS:PATH". Runtimes put
 * their IDs into the path's components; cgroup.c has the forms. In a cgroup namespace a path begins
 * at the namespace's root, as the reader sees it: "/", or "/../…" from within another container.
 * If the container's own component is hidden in this way, its mounts may still tell
 * (cgroup_mounts).
 *
 * Rejected: the search of a directory with the same inode in the host's hierarchy, as OTel's eBPF
 * profiler does for itself. It requires the host's mount namespace; a sampler that has that also
 * has its cgroup namespace.
 */
#ifndef ROUNDS_RESOURCE_CGROUP_H
#define ROUNDS_RESOURCE_CGROUP_H

#include <stddef.h>

/* "" for what is not known. */
struct cgroup {
	char container_id[128];	 /* 64 hexadecimal digits, or LXC's name */
	char container_name[64]; /* Kubernetes' name of the container, by cgroup_mounts only */
	char pod_uid[40];	 /* with '-', as Kubernetes shows it */
	char unit[256];		 /* "nginx.service", the innermost */
	char line[1024];	 /* "0::/system.slice/nginx.service": v2's, or systemd's in v1 */
};

/* Reads the text of /proc/PID/cgroup. Lines of another form are skipped. */
void cgroup_parse(struct cgroup *g, const void *text, size_t len);

/* Reads the text of /proc/PID/mountinfo (proc_pid_mountinfo(5)), and adds what is not known yet:
 * Docker and Kubernetes mount files of their own folder of the container. */
void cgroup_mounts(struct cgroup *g, const void *text, size_t len);

#endif
