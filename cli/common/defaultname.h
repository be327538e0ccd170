/* The default names of profiles and of folders of batches. */
#ifndef CLI_COMMON_DEFAULTNAME_H
#define CLI_COMMON_DEFAULTNAME_H

#include <stddef.h>

struct process;

/* Writes sampler.<command>.<pid>.<UTC> and an ending, such as ".pb.gz", into the `room` bytes at
 * `name`. No character in the name of the command needs quoting in a shell. */
void default_name(const struct process *p, const char *ending, char *name, size_t room);

/* sampler.<command>.<pid>, for a folder: without a time, so that the next run continues in it. */
void default_folder_name(const struct process *p, char *name, size_t room);

#endif
