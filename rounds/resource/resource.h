/*
 * Whose process it is: container, pod, systemd unit, service, as OpenTelemetry's resource
 * attributes.
 *
 * Sources, in the order of their trust: the kernel (control groups, the program), the process
 * context that the process publishes, its environment. Of attributes with the same key that of the
 * first source stays. The command line is not read: it may hold secrets. Nothing is asked of a
 * container runtime or of Kubernetes, which would require their sockets and credentials; so
 * the names of containers and pods are not known, except where the process has them.
 *
 * All is read from /proc and the process's memory, without stopping it. A source that cannot be
 * read is left out.
 */
#ifndef ROUNDS_RESOURCE_RESOURCE_H
#define ROUNDS_RESOURCE_RESOURCE_H

#include <stdbool.h>

#include "rounds/resource/context.h"
#include "rounds/resource/attributes.h"

struct process;

/* {0} at first. */
struct resource {
	struct attributes attributes;
	struct context context;
	bool searched; /* at the last reading, and no context was found */
};

/* Reads all of `p` again; p->exe must be set. `go` is the program's release of Go as
 * runtime.Version returns it, "" for a program that is not Go's. If the process has ended
 * meanwhile, the earlier attributes stay. ERR_GONE: it has ended; ERR_NOMEM. */
int resource_read(struct resource *r, const struct process *p, const char *go);

enum { RESOURCE_LINE = 512 }; /* bytes, with the NUL */

/* What tells most, in a line: "process: container 8c04…, pod fd52…, unit nginx.service, service
 * cart". "" if nothing is known, or the line has not room. */
void resource_line(const struct attributes *attributes, char line[RESOURCE_LINE]);

/* Frees the attributes, as when the process has executed another program. */
void resource_release(struct resource *r);

#endif
