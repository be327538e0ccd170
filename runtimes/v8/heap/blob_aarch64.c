/* V8's own tables of its builtins are not read on aarch64: they are found by instructions. */
#include "base/error.h"
#include "runtimes/v8/heap/builtins.h"

int v8_builtins_read_tables(struct v8_builtins *b, const struct v8_place *at, int release)
{
	(void)b, (void)at, (void)release;
	return ERR_NOTFOUND;
}
