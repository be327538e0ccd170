// links: sampler/lock sampler/child
/* The words around a futex, and the names of the functions that wait: no claim without an owner's
 * words, whatever they are. */
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#include "sampler/lock/lock.h"
#include "sampler/thread/threads.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* op, value, then the bytes before and after the word, then a function's name. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct call call = { .number = SYS_futex };
	struct lock_wait wait, again;
	char name[64] = "";
	struct lock_site site = { { name, NULL }, 2, { name }, 1, "libc.so.6", true };
	enum lock_kind kind;
	size_t after;

	if (size < 8 + LOCK_BEFORE)
		return 0;
	memcpy(&call.args[1], data, 4);
	memcpy(&call.args[2], data + 4, 4);
	after = size - 8 - LOCK_BEFORE;
	if (after > LOCK_AFTER) {
		size_t len = after - LOCK_AFTER < 63 ? after - LOCK_AFTER : 63;

		memcpy(name, data + 8 + LOCK_BEFORE + LOCK_AFTER, len);
	}
	if (!lock_parse(&call, data + 8, LOCK_BEFORE, data + 8 + LOCK_BEFORE, after, &wait))
		return 0;
	must(lock_parse(&call, data + 8, LOCK_BEFORE, data + 8 + LOCK_BEFORE, after, &again));
	must(lock_same(&wait, &again));
	for (int i = 0; i < LOCK_KINDS; i++) {
		must(wait.as[i].possible || !wait.as[i].owner);
		must(wait.as[i].before <= LOCK_BEFORE);
		must(after >= LOCK_AFTER || !wait.as[i].owner);
		wait.as[i].lives = wait.as[i].owner != 0;
	}
	kind = lock_prove(&wait, &site);
	must(wait.as[kind].possible == (kind != LOCK_NONE));
	return 0;
}
