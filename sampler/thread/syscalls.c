/* libseccomp has the tables of numbers and names, so none of ours has to follow the kernel's
 * releases. */
#include "sampler/thread/syscalls.h"

#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int syscall_number(const char *name, size_t len)
{
	char text[SYSCALL_NAME_ROOM];
	int number;

	if (len >= sizeof(text))
		return -1;
	memcpy(text, name, len);
	text[len] = '\0';
	number = seccomp_syscall_resolve_name(text);
	return number < 0 ? -1 : number; /* below 0: another architecture's */
}
