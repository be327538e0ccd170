/* Raises the soft limit of RLIMIT_NOFILE to the hard one, once. */
#include "sampler/thread/openfiles.h"

#include <sys/resource.h>

/* Found out once: it is asked for at each process that begins. */
size_t openfiles_allowed(void)
{
	static _Atomic size_t allowed;
	struct rlimit rl;

	if (allowed || getrlimit(RLIMIT_NOFILE, &rl))
		return allowed;
	rl.rlim_cur = rl.rlim_max;
	setrlimit(RLIMIT_NOFILE, &rl);
	getrlimit(RLIMIT_NOFILE, &rl);
	allowed = rl.rlim_cur;
	return allowed;
}

size_t openfiles_for_threads(void)
{
	size_t allowed = openfiles_allowed();

	return allowed > OPENFILES_OTHER ? (allowed - OPENFILES_OTHER) / 2 : 0;
}
