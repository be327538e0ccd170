// links: runtimes/hotspot
/*
 * Any changes to the threads of a HotSpot that is made up, to their objects, the monitor and the lock
 * that they wait for, and to the VM's tables of them. The first bytes choose the release, what the
 * owner's type is, and the wait; then changes: two bytes of address, one of length, so many bytes.
 */
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "tests/fuzz/must.h"
#include "tests/unit/runtimes/hotspot/made_up_monitors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 4, TABLES = 0x8000 };

/* Addresses from TABLES on are of the tables, which lie at the beginning. */
static void change(const uint8_t *data, size_t size)
{
	while (size > 3) {
		uint64_t at = data[0] | data[1] << 8;
		size_t len = data[2];

		at = at < TABLES ? MON - VM + at : at - TABLES;
		data += 3, size -= 3;
		len = len < size ? len : size;
		memcpy(vm_memory + at, data, len);
		data += len, size -= len;
	}
}

static void make_wait(const uint8_t *head)
{
	static const uint8_t states[] = { MON_ENTERS, MON_NOTICES, MON_PARKS };
	unsigned which = head[2] % 3;

	mon_make(head[1] & 1 ? "int64_t" : "");
	mon_waits(states[which], which == 0 ? MON_PENDING : which == 1 ? MON_WAITING : 0);
	vm_put(mon_object(0) + MON_BLOCKER, MON_LOCK, 8);
	vm_put(MON_LOCK + MON_EXCLUSIVE, mon_object(1), 8);
	vm_put(MON_MONITOR + 16, head[3] < 8 ? head[3] : head[3] < 64 ? mon_thread(1) : 31, 8);
}

static void check(const struct managed_wait *w, pid_t tid)
{
	size_t size = strnlen(w->class, sizeof(w->class)), len;

	must(size < sizeof(w->class) && w->kind < MANAGED_WAIT_KINDS);
	must(!w->kind || w->kind != MANAGED_WAIT_NOTICE || !w->owned);
	must(!w->owner || (w->owned && w->owner != tid));
	for (size_t i = 0; i < size; i += len)
		must(utf8_next(w->class + i, size - i, &len) != UTF8_REPLACEMENT || len == 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t releases[] = { 8, 11, 17, 21, 25, 27 };
	struct managed_wait wait;
	struct hotspot hs;

	if (size < HEAD || size > 1 << 12)
		return 0;
	make_wait(data);
	change(data + HEAD, size - HEAD);
	if (!mon_start(&hs, releases[data[0] % sizeof(releases)]))
		for (pid_t tid = MON_FIRST_TID; tid < MON_FIRST_TID + MON_THREADS; tid++) {
			hotspot_wait(&hs, tid, &wait);
			check(&wait, tid);
		}
	mon_stop();
	return 0;
}
