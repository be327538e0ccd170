/* Reads a reason from the program's own array of strings, runtime.waitReasonStrings. */
#include "runtimes/go/stacks/waitreasons.h"

#include <stddef.h>
#include <string.h>

#include "base/process/memory.h"

/* A text that is not printable ASCII is none. */
const char *goreasons_text(struct goreasons *r, const struct memory *memory, uint64_t strings,
			   uint8_t reason)
{
	struct {
		uint64_t text, len;
	} string;
	char *text = r->texts[reason];

	if (r->known[reason])
		return text;
	r->known[reason] = true;
	if (!reason || !strings ||
	    memory->read(memory, strings + reason * sizeof(string), &string, sizeof(string)) ||
	    !string.len || string.len >= GO_REASON_ROOM ||
	    memory->read(memory, string.text, text, (size_t)string.len))
		return "";
	for (size_t i = 0; i < string.len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return memset(text, 0, GO_REASON_ROOM);
	return text;
}
