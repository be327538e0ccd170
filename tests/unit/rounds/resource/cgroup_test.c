/* Texts of /proc/PID/cgroup and mountinfo, of real machines and of none. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "rounds/resource/cgroup.h"

#define ID "8c046cb0b72cd4c99f51b5591cd5b095967f58ee003710a45280c28ee1a9c7fa"
#define ID2 "b4d6d161c62525d726fa394b27df30e14f8ea5646313ada576b390de70cfc8cc"
#define UID "fd52ef25-a87d-11e9-9423-0800271a638e"
#define UID_ "fd52ef25_a87d_11e9_9423_0800271a638e" /* as systemd has it */
#define TASK "34dc0b5e626f2c5c4c5170e34b10e765"

/* `line` NULL: the text is one line, which is taken. */
static const struct {
	const char *name, *text, *container, *pod, *unit, *line;
} cases[] = {
	/* clang-format off */
	{ "nothing",
	  "",
	  "", "", "", "" },
	{ "the root cgroup of v2",
	  "0::/",
	  "", "", "", NULL },
	{ "Docker, cgroupfs, v1",
	  "12:pids:/docker/" ID "\n1:name=systemd:/docker/" ID "\n0::/system.slice/containerd.service",
	  ID, "", "containerd.service", "0::/system.slice/containerd.service" },
	{ "Docker, cgroupfs, v2",
	  "0::/docker/" ID,
	  ID, "", "", NULL },
	{ "Docker, systemd",
	  "0::/system.slice/docker-" ID ".scope",
	  ID, "", "", NULL },
	{ "Docker with an init of its own",
	  "0::/system.slice/docker-" ID ".scope/init",
	  ID, "", "", NULL },
	{ "systemd in Docker",
	  "0::/system.slice/docker-" ID ".scope/system.slice/nginx.service",
	  ID, "", "nginx.service", NULL },
	{ "Docker below another parent",
	  "5:cpuacct:/docker-ce/docker/" ID,
	  ID, "", "", NULL },
	{ "Docker of old, at the root",
	  "4:memory:/" ID,
	  ID, "", "", NULL },
	{ "Docker's name with .scope behind it",
	  "1:name=systemd:/docker/" ID ".scope",
	  ID, "", "", NULL },
	{ "Docker in Docker (kind)",
	  "0::/docker/" ID "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/kubelet-kubepods-burstable-pod" UID_ ".slice/cri-containerd-" ID2 ".scope",
	  ID2, UID, "", NULL },
	{ "Kubernetes, cgroupfs, v1",
	  "11:hugetlb:/kubepods/burstable/pod" UID "/" ID "\n2:memory:/kubepods/burstable/pod" UID "/" ID,
	  ID, UID, "", "11:hugetlb:/kubepods/burstable/pod" UID "/" ID },
	{ "Kubernetes, guaranteed",
	  "0::/kubepods/pod" UID "/" ID,
	  ID, UID, "", NULL },
	{ "Kubernetes, guaranteed, systemd",
	  "0::/kubepods.slice/kubepods-pod" UID_ ".slice/cri-containerd-" ID ".scope",
	  ID, UID, "", NULL },
	{ "Kubernetes, containerd, systemd",
	  "0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_ ".slice/cri-containerd-" ID ".scope",
	  ID, UID, "", NULL },
	{ "Kubernetes, CRI-O, cgroupfs",
	  "0::/kubepods/besteffort/pod" UID "/crio-" ID,
	  ID, UID, "", NULL },
	{ "Kubernetes, CRI-O, systemd",
	  "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/crio-" ID ".scope/container",
	  ID, UID, "", NULL },
	{ "CRI-O's conmon is outside",
	  "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/crio-conmon-" ID ".scope",
	  "", UID, "crio-conmon-" ID ".scope", NULL },
	{ "a static pod",
	  "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" TASK ".slice/cri-containerd-" ID ".scope",
	  ID, TASK, "", NULL },
	{ "kubelet and containerd with two drivers",
	  "11:cpu,cpuacct:/system.slice/containerd.service/kubepods-besteffort-pod" UID_ ".slice:cri-containerd:" ID,
	  ID, UID, "", NULL },
	{ "Docker's pods",
	  "3:cpu:/docker/pod" UID "/" ID,
	  ID, UID, "", NULL },
	{ "the kubelet itself",
	  "0::/system.slice/kubelet.service",
	  "", "", "kubelet.service", NULL },
	{ "the cgroup of a pod alone",
	  "0::/kubepods/besteffort/pod" UID,
	  "", UID, "", NULL },
	{ "k3s",
	  "0::/kubepods/besteffort/pod" UID "/" ID,
	  ID, UID, "", NULL },
	{ "another container of the pod, seen from within",
	  "0::/../cri-containerd-" ID2 ".scope",
	  ID2, "", "", NULL },
	{ "another pod, seen from within",
	  "0::/../../kubepods-burstable-pod" UID_ ".slice/cri-containerd-" ID2 ".scope",
	  ID2, UID, "", NULL },
	{ "a session, seen from within a container",
	  "0::/../../user.slice/user-501.slice/session-3.scope",
	  "", "", "session-3.scope", NULL },
	{ "nerdctl",
	  "0::/system.slice/nerdctl-" ID ".scope",
	  ID, "", "", NULL },
	{ "containerd's ctr",
	  "0::/default/" ID,
	  ID, "", "", NULL },
	{ "podman as root",
	  "0::/machine.slice/libpod-" ID ".scope/container",
	  ID, "", "", NULL },
	{ "podman without root",
	  "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container",
	  ID, "", "", NULL },
	{ "podman's conmon",
	  "0::/machine.slice/libpod-conmon-" ID ".scope",
	  "", "", "libpod-conmon-" ID ".scope", NULL },
	{ "podman's Quadlet",
	  "0::/system.slice/web.service/libpod-payload-" ID,
	  ID, "", "web.service", NULL },
	{ "ECS on EC2",
	  "9:perf_event:/ecs/55091c13-b8cf-4801-b527-f4601742204d/" ID,
	  ID, "", "", NULL },
	{ "Fargate",
	  "1:name=systemd:/ecs/" TASK "/" TASK "-1234567890",
	  TASK "-1234567890", "", "", NULL },
	{ "Fargate of old",
	  "1:name=systemd:/ecs/" TASK "-1234567890",
	  TASK "-1234567890", "", "", NULL },
	{ "Cloud Foundry",
	  "12:memory:/system.slice/garden.service/garden/6f265890-5165-7fab-6b52-18d1\n11:rdma:/",
	  "6f265890-5165-7fab-6b52-18d1", "", "", "12:memory:/system.slice/garden.service/garden/6f265890-5165-7fab-6b52-18d1" },
	{ "LXC, v1",
	  "8:devices:/lxc/web-1\n1:name=systemd:/lxc/web-1/system.slice/cron.service",
	  "web-1", "", "cron.service", "1:name=systemd:/lxc/web-1/system.slice/cron.service" },
	{ "LXC 4",
	  "0::/lxc.payload.web-1/system.slice/nginx.service",
	  "web-1", "", "nginx.service", NULL },
	{ "LXC 3",
	  "0::/lxc.payload/web-1/init.scope",
	  "web-1", "", "init.scope", NULL },
	{ "Proxmox",
	  "0::/lxc/101/ns/system.slice/postfix.service",
	  "101", "", "postfix.service", NULL },
	{ "LXC's monitor is outside",
	  "0::/lxc.monitor.web-1",
	  "", "", "", NULL },
	{ "a service",
	  "0::/system.slice/nginx.service",
	  "", "", "nginx.service", NULL },
	{ "an instance",
	  "0::/system.slice/system-getty.slice/getty@tty1.service",
	  "", "", "getty@tty1.service", NULL },
	{ "a service with groups of its own",
	  "0::/system.slice/docker.service/workers/3",
	  "", "", "docker.service", NULL },
	{ "a user's service",
	  "0::/user.slice/user-1000.slice/user@1000.service/app.slice/syncthing.service",
	  "", "", "syncthing.service", NULL },
	{ "GNOME's terminal is no container",
	  "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.gnome.Terminal.slice/vte-spawn-868f9513-eee8-457d-8e36-1b37ae8ae622.scope",
	  "", "", "vte-spawn-868f9513-eee8-457d-8e36-1b37ae8ae622.scope", NULL },
	{ "a name that systemd has escaped",
	  "0::/system.slice/_cpu.service",
	  "", "", "cpu.service", NULL },
	{ "a slice is no unit of a process",
	  "0::/system.slice",
	  "", "", "", NULL },
	{ "systemd's own hierarchy, v1",
	  "9:name=systemd:/system.slice/redis.service\n8:pids:/\n4:memory:/other/group\n0::/",
	  "", "", "redis.service", "9:name=systemd:/system.slice/redis.service" },
	{ "v1 without systemd",
	  "3:cpuset:/\n2:memory:/batch/7\n1:cpu:/",
	  "", "", "", "2:memory:/batch/7" },
	{ "hybrid: v2 is used",
	  "1:name=systemd:/system.slice/a.service\n0::/system.slice/b.service",
	  "", "", "b.service", "0::/system.slice/b.service" },
	{ "OpenRC",
	  "0::/openrc.nginx",
	  "", "", "", NULL },
	{ "a colon in a path",
	  "0::/a:b:c/nginx.service",
	  "", "", "nginx.service", NULL },
	{ "63 digits are no ID",
	  "0::/docker/c046cb0b72cd4c99f51b5591cd5b095967f58ee003710a45280c28ee1a9c7fa",
	  "", "", "", NULL },
	{ "65 digits are no ID",
	  "0::/docker/a" ID,
	  "", "", "", NULL },
	{ "capital letters are no ID",
	  "0::/docker/8C046CB0B72CD4C99F51B5591CD5B095967F58EE003710A45280C28EE1A9C7FA",
	  "", "", "", NULL },
	{ "an ID before its component's end",
	  "0::/docker/" ID "-x",
	  "", "", "", NULL },
	{ "digits behind another sign",
	  "0::/docker_" ID,
	  "", "", "", NULL },
	{ "no UID of a pod",
	  "0::/kubepods/besteffort/podfd52ef25-a87d-11e9-9423",
	  "", "", "", NULL },
	{ "no lines",
	  "docker",
	  "", "", "", "" },
	{ "lines of other forms",
	  "::\n0:/docker/" ID "\n\n:::\n0::docker/" ID "\n0::/x",
	  "", "", "", "0::/x" },
	/* clang-format on */
};

static void expect(const char *name, const char *what, const char *is, const char *wanted)
{
	cr_expect_str_eq(is, wanted, "%s: %s is '%s', not '%s'", name, what, is, wanted);
}

Test(cgroup, reads_each_form)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cgroup g;

		cgroup_parse(&g, cases[i].text, strlen(cases[i].text));
		expect(cases[i].name, "the container", g.container_id, cases[i].container);
		expect(cases[i].name, "the pod", g.pod_uid, cases[i].pod);
		expect(cases[i].name, "the unit", g.unit, cases[i].unit);
		expect(cases[i].name, "the line", g.line,
		       cases[i].line ? cases[i].line : cases[i].text);
		expect(cases[i].name, "the container's name", g.container_name, "");
	}
}

/* A name that does not fit is left out: a part of it would be another one. */
Test(cgroup, leaves_out_what_is_too_long)
{
	char text[3000], name[1200];
	struct cgroup g;

	memset(name, 'a', sizeof(name));
	snprintf(text, sizeof(text), "0::/lxc/%.200s/%.300s.service", name, name);
	cgroup_parse(&g, text, strlen(text));
	cr_expect_str_eq(g.container_id, "");
	cr_expect_str_eq(g.unit, "");
	cr_expect_str_eq(g.line, text);
	snprintf(text, sizeof(text), "0::/%.1100s\n1:name=systemd:/a.service", name);
	cgroup_parse(&g, text, strlen(text));
	cr_expect_str_eq(g.line, "");
	cr_expect_str_eq(g.unit, "");
}

static void mounts(struct cgroup *g, const char *groups, const char *text)
{
	cgroup_parse(g, groups, strlen(groups));
	cgroup_mounts(g, text, strlen(text));
}

#define MOUNT(root, point) "600 590 8:1 " root " " point " rw,relatime - ext4 /dev/sda1 rw\n"

Test(mounts, tell_a_docker_container)
{
	static const char text[] = "590 500 0:50 / / rw - overlay overlay rw\n" MOUNT(
		"/var/lib/docker/containers/" ID "/resolv.conf", "/etc/resolv.conf")
		MOUNT("/var/lib/docker/containers/" ID2 "/hostname", "/etc/hostname");
	struct cgroup g;

	mounts(&g, "0::/", text);
	cr_expect_str_eq(g.container_id, ID2);
	mounts(&g, "0::/", MOUNT("/containers/" ID "/hostname", "/etc/hostname"));
	cr_expect_str_eq(g.container_id, ID, "the folder is a file system of its own");
	mounts(&g, "0::/docker/" ID, text);
	cr_expect_str_eq(g.container_id, ID, "the control group counts more");
}

/* hostname and resolv.conf are of the pod's first container, the sandbox. */
Test(mounts, tell_a_pod_and_not_its_sandbox)
{
	static const char text[] = MOUNT("/var/lib/docker/containers/" ID "/hostname",
					 "/etc/hostname")
		MOUNT("/var/lib/kubelet/pods/" UID "/volumes/kubernetes.io~projected/token",
		      "/run/t") MOUNT("/var/lib/kubelet/pods/" UID "/etc-hosts", "/etc/hosts")
			MOUNT("/var/lib/kubelet/pods/" UID "/containers/shop/1b2c3d4e",
			      "/dev/termination-log");
	struct cgroup g;

	mounts(&g, "0::/", text);
	cr_expect_str_eq(g.container_id, "");
	cr_expect_str_eq(g.pod_uid, UID);
	cr_expect_str_eq(g.container_name, "shop");
	mounts(&g, "0::/../cri-containerd-" ID2 ".scope", text);
	cr_expect_str_eq(g.container_id, ID2);
	cr_expect_str_eq(g.pod_uid, UID);
	mounts(&g, "0::/", MOUNT("/pods/" TASK "/containers/etcd/0a", "/dev/termination-log"));
	cr_expect_str_eq(g.pod_uid, TASK, "a static pod");
	cr_expect_str_eq(g.container_name, "etcd");
}

Test(mounts, tell_nothing_else)
{
	static const char *const texts[] = {
		"",
		"600",
		"600 590 8:1",
		"600 590 8:1 /containers/" ID "/hostname /etc/hostname",
		MOUNT("/containers/" ID "/hostname", "/mnt"),
		MOUNT("/containers/" ID "/hostname/x", "/etc/hostname"),
		MOUNT("/containers/" ID, "/etc/hostname"),
		MOUNT("/containers/storage/overlay-containers/" ID "/userdata/hostname",
		      "/etc/hostname"),
		MOUNT("/containers/x-" ID "/hostname", "/etc/hostname"),
		MOUNT("/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/" ID "/hostname",
		      "/etc/hostname"),
		MOUNT("/var/lib/kubelet/pods/" UID "/etc-hosts", "/mnt"),
		MOUNT("/var/lib/kubelet/pods/other/etc-hosts", "/etc/hosts"),
		MOUNT("/var/lib/kubelet/pods/" UID, "/etc/hosts"),
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct cgroup g;

		mounts(&g, "0::/", texts[i]);
		cr_expect(!*g.container_id && !*g.pod_uid && !*g.container_name, "%s", texts[i]);
	}
}
