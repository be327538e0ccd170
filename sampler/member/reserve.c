/*
 * What sampling itself needs is kept for it: a member that would take the last descriptors is not
 * opened, and the others are sampled.
 */
#include "sampler/member/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"
#include "sampler/member/member.h"
#include "sampler/thread/openfiles.h"

enum {
	TICKER_FILES = 2,   /* on each CPU */
	OTHER_FILES = 12,   /* folders, maps, symbols, the output */
	PROGRAM_FILES = 16, /* programs and libraries, most of which the members share, */
	START_FILES = 4,    /* and what each opens besides as it starts */
};

/* Found out once, since glibc reads a file for it each time. */
static size_t ticker_files(void)
{
	static _Atomic long cpus;

	if (!cpus)
		cpus = sysconf(_SC_NPROCESSORS_ONLN);
	return TICKER_FILES * (size_t)cpus;
}

int reserve_keep(const struct member *m, size_t waiting, struct error *err)
{
	size_t needed = OTHER_FILES + ticker_files() +
			(waiting ? PROGRAM_FILES + START_FILES * waiting : 0);
	size_t allowed = openfiles_allowed();
	int next = fcntl(m->process.pid_fd, F_DUPFD_CLOEXEC, 0);
	/* A new descriptor has the lowest number that is free (open(2)). */
	bool fits = next >= 0 && (size_t)next + needed <= allowed;

	descriptor_close(&next);
	if (fits)
		return 0;
	errno = EMFILE;
	return error_errno(err, ERR_IO, "process %d would take our last descriptors (ulimit -n)",
			   m->process.pid);
}
