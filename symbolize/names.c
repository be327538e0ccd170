#include "symbolize/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "symbolize/demangle.h"

enum { LEN_MAX = 64 << 10 };

int names_init(struct names *n)
{
	memset(n, 0, sizeof(*n));
	return strset_init(&n->raw);
}

void names_release(struct names *n)
{
	strset_release(&n->raw);
	free(n->shown);
	arena_release(&n->arena);
	memset(n, 0, sizeof(*n));
}

static int is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static int intern(struct names *n, const char *raw, uint32_t *id)
{
	size_t len = strnlen(raw, LEN_MAX), i = 0;
	char *copy;
	int rc;

	while (i < len && !is_control(raw[i]))
		i++;
	if (i == len)
		return strset_add(&n->raw, raw, len, id);
	/* Few strings need a copy without control characters. */
	copy = malloc(len);
	for (i = 0; copy && i < len; i++)
		copy[i] = is_control(raw[i]) ? '?' : raw[i];
	rc = copy ? strset_add(&n->raw, copy, len, id) : ERR_NOMEM;
	free(copy);
	return rc;
}

const char *names_text(struct names *n, const char *raw)
{
	uint32_t id;

	return intern(n, raw, &id) ? NULL : strset_get(&n->raw, id);
}

int names_function(struct names *n, const char *raw, const char **system_name, const char **name)
{
	uint32_t id;

	if (intern(n, raw, &id) ||
	    room_for_zeros((void **)&n->shown, &n->shown_room, n->raw.count, sizeof(*n->shown)))
		return ERR_NOMEM;
	*system_name = strset_get(&n->raw, id);
	if (!n->shown[id])
		n->shown[id] = demangle(&n->arena, *system_name);
	*name = n->shown[id];
	return *name ? 0 : ERR_NOMEM;
}
