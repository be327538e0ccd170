/* The name of a user, by a passwd file (passwd(5)) that may be the target's own. */
#ifndef ROUNDS_RESOURCE_OWNER_H
#define ROUNDS_RESOURCE_OWNER_H

#include <stddef.h>
#include <stdint.h>

/* Finds the first user of that number in the file's text. `name` is cut to "" if there is none, or
 * if it has not room. Not getpwuid(3): that is about our own root, and loads libraries. */
void owner_name(const void *text, size_t len, int64_t uid, char *name, size_t room);

#endif
