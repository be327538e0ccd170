/* A scope is three numbers, read as one piece of memory. Each scope must lie before the one that
 * leads to it, as the compiler writes them, so the chain ends. */
#include "runtimes/hotspot/vm/scopes.h"

#include "base/cursor.h"
#include "base/error.h"
#include "base/process/memory.h"

enum {
	NUMBERS = 3, /* of a scope, as far as we read it */
	NO_SCOPE = 0,
	METHODS_MAX = 1 << 24,
	BCI_MAX = 0xffff,
};

/* Reads the scope at *offset, which becomes that of the method that it was inlined into. */
static int read_one(const struct memory *memory, const struct scopes_range *data,
		    enum unsigned5_form form, uint32_t *offset, struct scope *scope)
{
	uint8_t bytes[NUMBERS * UNSIGNED5_MAX];
	uint64_t left = data->end - data->begin - *offset;
	size_t len = left < sizeof(bytes) ? left : sizeof(bytes);
	struct cursor c;
	uint32_t sender, bci;

	if (memory->read(memory, data->begin + *offset, bytes, len))
		return ERR_IO;
	cursor_init(&c, bytes, len, "scope");
	sender = unsigned5_read(&c, form);
	scope->method = unsigned5_read(&c, form);
	bci = unsigned5_read(&c, form);
	/* The compiler wrote it before what is inlined there. */
	if (c.failed || sender >= *offset || !scope->method || scope->method > METHODS_MAX ||
	    bci > BCI_MAX)
		return ERR_FORMAT;
	scope->bci = (int32_t)bci - 1;
	*offset = sender;
	return 0;
}

int scopes_read(const struct memory *memory, const struct scopes_range *data,
		enum unsigned5_form form, int32_t offset, struct scope *scopes, size_t max,
		size_t *count)
{
	uint32_t at = (uint32_t)offset;
	int rc = 0;

	*count = 0;
	if (offset < 0 || data->end < data->begin)
		return ERR_FORMAT;
	while (!rc && at != NO_SCOPE) {
		if (at >= data->end - data->begin || *count == max)
			return ERR_FORMAT;
		rc = read_one(memory, data, form, &at, &scopes[*count]);
		*count += !rc;
	}
	return rc;
}
