/*
 * Each capability here was found to be needed by taking it away (tests/attach/privilege.test does
 * so again). A missing capability is not an error: a user who may trace without capabilities needs
 * none.
 *
 * Rejected: raising a capability only around the call that needs it. An attacker inside this
 * process could raise it as well. What protects us is that the capability is gone, and that foreign
 * files are decoded in a process that has only CAP_DAC_READ_SEARCH (sampler/child/decoding.c).
 */
#include "sampler/child/privilege.h"

#include <fcntl.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/outfile.h"

enum { KEPT_MAX = 16 };

struct privilege_kept {
	cap_value_t caps[KEPT_MAX];
	int count;
};

static void privilege_keep(struct privilege_kept *k, cap_value_t cap)
{
	k->caps[k->count++] = cap;
}

static void keep_for_reading(struct privilege_kept *k)
{
	privilege_keep(k, CAP_SYS_PTRACE); /* ptrace(2), process_vm_readv(2), most of /proc/PID */
	privilege_keep(
		k,
		CAP_DAC_READ_SEARCH); /* programs and debug files that only their owner may read */
	/* /proc/PID/map_files; before Linux 5.9 that requires CAP_SYS_ADMIN. */
	privilege_keep(k, CAP_IS_SUPPORTED(CAP_CHECKPOINT_RESTORE) ? CAP_CHECKPOINT_RESTORE :
								     CAP_SYS_ADMIN);
}

/* Reduces the effective capabilities to those of `k` that we have, and the permitted ones too if
 * `permitted` is true. */
static int set_capabilities(const struct privilege_kept *k, bool permitted)
{
	cap_t have = cap_get_proc(), want = permitted ? cap_init() : cap_dup(have);
	int rc = have && want && !cap_clear_flag(want, CAP_EFFECTIVE) ? 0 : -1;

	for (int i = 0; !rc && i < k->count; i++) {
		cap_flag_value_t set = CAP_CLEAR;

		cap_get_flag(have, k->caps[i], CAP_PERMITTED, &set);
		if (set == CAP_SET)
			rc = cap_set_flag(want, CAP_PERMITTED, 1, &k->caps[i], CAP_SET) |
			     cap_set_flag(want, CAP_EFFECTIVE, 1, &k->caps[i], CAP_SET);
	}
	if (!rc)
		rc = cap_set_proc(want);
	cap_free(have);
	cap_free(want);
	return rc;
}

static bool may_write_into(int folder)
{
	return !faccessat(folder, ".", W_OK | X_OK, AT_EACCESS);
}

/* The result's folder may belong to another user (`sudo sampler` in a home directory): then the
 * rename requires CAP_DAC_OVERRIDE. If the result replaces another user's file in a folder like
 * /tmp, the rename requires CAP_FOWNER. Called when the other capabilities are in force already. */
static void keep_for_output(struct privilege_kept *k, const struct outfile *output)
{
	struct stat folder, old;

	if (!output || output->dir_fd < 0)
		return;
	if (!may_write_into(output->dir_fd))
		privilege_keep(k, CAP_DAC_OVERRIDE);
	if (!fstat(output->dir_fd, &folder) && folder.st_mode & S_ISVTX &&
	    folder.st_uid != geteuid() &&
	    !fstatat(output->dir_fd, output->name, &old, AT_SYMLINK_NOFOLLOW) &&
	    old.st_uid != geteuid())
		privilege_keep(k, CAP_FOWNER);
}

int privilege_drop(const struct privilege_needs *needs, struct error *err)
{
	struct privilege_kept kept = { .count = 0 };

	keep_for_reading(&kept);
	privilege_keep(&kept,
		       CAP_SYS_NICE); /* SCHED_FIFO, and the lowest nice value (priority.c) */
	if (needs->samples) {
		privilege_keep(&kept,
			       CAP_SYS_ADMIN); /* /proc/PID/stack (sampler/thread/preempted.h) */
		if (CAP_IS_SUPPORTED(CAP_PERFMON))
			privilege_keep(&kept, CAP_PERFMON); /* sampler/capture/events.h, */
		if (CAP_IS_SUPPORTED(CAP_BPF))
			privilege_keep(&kept, CAP_BPF); /* and with it sampler/atrest/atrest.h */
	}
	if (needs->command)
		privilege_keep(&kept, CAP_KILL); /* the command may have become another user */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || set_capabilities(&kept, false))
		return error_errno(err, ERR_PERM, "cannot give up privileges");
	keep_for_output(&kept, needs->output);
	if (needs->folder && !may_write_into(*needs->folder))
		privilege_keep(&kept, CAP_DAC_OVERRIDE);
	if (set_capabilities(&kept, true))
		return error_errno(err, ERR_PERM, "cannot give up privileges");
	return 0;
}

void privilege_drop_all(void)
{
	set_capabilities(&(struct privilege_kept){ .count = 0 }, true);
}

void privilege_keep_scheduling(void)
{
	set_capabilities(&(struct privilege_kept){ { CAP_SYS_NICE }, 1 }, true);
}

void privilege_keep_tracing(bool holding)
{
	struct privilege_kept kept = { .count = 0 };

	keep_for_reading(&kept);
	if (holding)
		privilege_keep(&kept, CAP_SYS_NICE); /* SCHED_FIFO while threads are held */
	set_capabilities(&kept, true);
}

void privilege_keep_reading(void)
{
	set_capabilities(&(struct privilege_kept){ { CAP_DAC_READ_SEARCH }, 1 }, true);
}
