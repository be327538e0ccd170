/* What a profile is called when nobody says. */
#ifndef CLI_DEFAULTNAME_H
#define CLI_DEFAULTNAME_H

#include <stddef.h>

struct process;

/* sampler.<command>.<pid>.<UTC> and an ending as ".pb.gz", of characters that need no
 * quoting. */
void default_name(const struct process *p, const char *ending, char *name, size_t room);

/* sampler.<command>.<pid>, for a folder: the next run goes on there. */
void default_folder_name(const struct process *p, char *name, size_t room);

#endif
