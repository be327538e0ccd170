/* Does a thread wait in a certain system call? */
#ifndef TESTS_UNIT_SAMPLER_TICK_WAITS_H
#define TESTS_UNIT_SAMPLER_TICK_WAITS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/process/process.h"

static inline bool waits_in(const struct process *process, pid_t tid, long number)
{
	struct buffer text = { 0 };
	char name[48];
	bool so;

	snprintf(name, sizeof(name), "task/%d/syscall", tid);
	so = !process_read(process, name, &text, NULL) && !buffer_add(&text, "", 1) &&
	     text.data[0] != 'r' && strtol((const char *)text.data, NULL, 10) == number;
	buffer_release(&text);
	return so;
}

#endif
