// links: runtimes/go/session
/* Any bytes as the saved memory of seen goroutines, and merged with itself; then a look that uses
 * it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "runtimes/go/session/seen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sighting now = { .goid = 7, .pc = 0x401000 };
	struct buffer saved = { 0 };
	struct error err = { 0 };
	struct seen_wait wait;
	struct seen *s;
	int rc;

	if (seen_new(&s))
		return 0;
	rc = seen_load(s, data, size, &err);
	if (rc && !*err.text)
		abort();
	if (!rc && (seen_save(s, &saved) || saved.len != size))
		abort();
	if (seen_merge(s, data, size, &err) != rc)
		abort();
	seen_begin(s, 1000, true, 3);
	if (seen_look(s, &now, &wait) || (rc && wait.since != INT64_MAX))
		abort();
	seen_end(s, 2000, true, 4);
	buffer_release(&saved);
	seen_free(s);
	return 0;
}
