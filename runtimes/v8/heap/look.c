/* The heads are kept in one buffer with their addresses, and gathered again by as few system calls
 * as possible. A look with more heads than fit proves nothing. */
#include "runtimes/v8/heap/look.h"

#include "base/error.h"

void v8_look_begin(struct v8_look *look, const struct v8_runtime *rt,
		   const struct v8_layout *layout)
{
	look->rt = rt;
	look->layout = layout;
	look->count = look->used = 0;
	look->full = false;
}

static bool heap_look_remember(struct v8_look *look, uint64_t addr, const void *head, size_t len)
{
	if (look->count == V8_HEADS || len > sizeof(look->bytes) - look->used) {
		look->full = true;
		return false;
	}
	look->heads[look->count++] = (struct v8_head){ addr, (uint32_t)len, (uint32_t)look->used };
	memcpy(look->bytes + look->used, head, len);
	look->used += len;
	return true;
}

int v8_look_head(struct v8_look *look, uint64_t object, void *head, size_t len, int *type)
{
	if (len > V8_HEAD_MAX || !v8_is_object(object) ||
	    !v8_bytes(look->rt, object - 1, head, len) ||
	    !heap_look_remember(look, object - 1, head, len))
		return ERR_FORMAT;
	*type = v8_type_of_map(look->rt, memory_word(head, 0));
	return *type < 0 ? ERR_FORMAT : 0;
}

bool v8_look_holds(struct v8_look *look)
{
	struct memory_piece pieces[V8_HEADS];

	if (look->full)
		return false;
	for (size_t i = 0; i < look->count; i++)
		pieces[i] = (struct memory_piece){ look->heads[i].addr,
						   look->again + look->heads[i].at,
						   look->heads[i].len };
	memory_gather(look->rt->live, pieces, look->count);
	for (size_t i = 0; i < look->count; i++)
		if (pieces[i].len != look->heads[i].len)
			return false;
	return !memcmp(look->again, look->bytes, look->used);
}
