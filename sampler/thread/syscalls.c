#include "sampler/thread/syscalls.h"

#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>

const char *syscall_name(int64_t number, char text[SYSCALL_NAME_ROOM])
{
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)number);

	if (name)
		snprintf(text, SYSCALL_NAME_ROOM, "%s", name);
	else
		snprintf(text, SYSCALL_NAME_ROOM, "%ld", number);
	free(name);
	return text;
}
