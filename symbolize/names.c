/* Each distinct raw name is demangled once: the result has the number of the raw name. */
#include "symbolize/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printable.h"
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

/* Few strings need a copy without what is not shown. */
static int intern_printable(struct names *n, const char *raw, size_t len, uint32_t *id)
{
	struct buffer copy = { 0 };
	int rc = buffer_add_printable(&copy, raw, len);

	rc = rc ? rc : strset_add(&n->raw, (char *)copy.data, copy.len, id);
	buffer_release(&copy);
	return rc;
}

static int intern(struct names *n, const char *raw, uint32_t *id)
{
	size_t len = strnlen(raw, LEN_MAX), at = 0, size;

	while (at < len && printable_next(raw + at, len - at, &size))
		at += size;
	return at == len ? strset_add(&n->raw, raw, len, id) : intern_printable(n, raw, len, id);
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
