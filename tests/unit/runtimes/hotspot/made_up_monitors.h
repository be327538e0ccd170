/*
 * Threads of a HotSpot VM that does not exist, which wait: their objects, a monitor, a lock. The layout is
 * made up. In the room of the stack of made_up_vm.h.
 */
#ifndef TESTS_UNIT_RUNTIMES_HOTSPOT_MADE_UP_MONITORS_H
#define TESTS_UNIT_RUNTIMES_HOTSPOT_MADE_UP_MONITORS_H

#include "runtimes/hotspot/monitors.h"
#include "runtimes/hotspot/names.h"
#include "runtimes/hotspot/threads.h"
#include "tests/unit/runtimes/hotspot/made_up_vm.h"

enum {
	MON = VM_STACK,
	MON_THREADS = 3,
	MON_FIRST_TID = 100,

	/* Each JavaThread, and in it: */
	MON_THREAD = MON,
	MON_THREAD_BYTES = 0x100,
	MON_PENDING = 8,
	MON_WAITING = 16,
	MON_OSTHREAD = 24,
	MON_OBJECT = 32, /* OopHandle */
	MON_STACK_BASE = 40,
	MON_STACK_SIZE = 48,
	MON_OWNER_ID = 56,
	MON_LOCK_STACK = 64, /* its top, 4 bytes, and from 8 on four objects */

	MON_OSTHREADS = MON + 0x400, /* 16 bytes each: number, state */
	MON_LIST = MON + 0x500,
	MON_ARRAY = MON + 0x540,
	MON_HEAP = MON + 0x580, /* CollectedHeap: collecting at 0, count at 4 */
	MON_FLAGS = MON + 0x5c0,
	MON_MONITOR = MON + 0x600, /* ObjectMonitor: object at 8, owner at 16, stack locker at 24 */
	MON_HANDLES = MON + 0x640, /* of the threads' objects, of the monitor's */
	MON_STACKS = MON + 0x4000, /* 0x1000 bytes each */

	/* Classes: 0x100 bytes each, with their fields' records behind. */
	MON_CLASS = MON + 0x800,
	MON_CLASS_THREAD = MON_CLASS,
	MON_CLASS_STRING = MON_CLASS + 0x100,
	MON_CLASS_OBJECT = MON_CLASS + 0x200,
	MON_CLASS_SYNC = MON_CLASS + 0x300,
	MON_CLASS_LOCK = MON_CLASS + 0x400,
	MON_POOL = MON + 0x1000,
	MON_SYMBOLS = MON + 0x1400,

	/* Objects: a header of 16 bytes. */
	MON_OBJECTS = MON + 0x2000, /* 0x40 bytes for each thread's */
	MON_NAME = 16,
	MON_EETOP = 24,
	MON_BLOCKER = 32,
	MON_STATUS = 40,
	MON_LOCKED = MON + 0x2400,
	MON_LOCK = MON + 0x2440,
	MON_EXCLUSIVE = 16,

	MON_ENTERS = 3, /* states of an OSThread */
	MON_PARKS = 4,
	MON_NOTICES = 5,
};

static struct hotspot_name_state mon_names;
static uint64_t mon_symbol, mon_constant;
static uint16_t mon_entries;

static inline uint64_t mon_thread(unsigned i)
{
	return MON_THREAD + i * (uint64_t)MON_THREAD_BYTES;
}

static inline uint64_t mon_object(unsigned i)
{
	return MON_OBJECTS + i * 0x40ul;
}

static inline uint64_t mon_make_symbol(const char *text)
{
	uint64_t at = mon_symbol;

	vm_put(at + 4, strlen(text), 2);
	vm_code(at + 6, text, strlen(text));
	mon_symbol += (6 + strlen(text) + 7) & ~7ul;
	return at;
}

static inline uint16_t mon_entry(const char *text)
{
	vm_put(MON_POOL + 64 + ++mon_entries * 8ul, mon_make_symbol(text), 8);
	return mon_entries;
}

static inline void mon_class(uint64_t klass, const char *name, uint64_t super)
{
	vm_put(klass + 24, mon_make_symbol(name), 8);
	vm_put(klass + 40, klass + 0x60, 8);
	vm_put(klass + 56, MON_POOL, 8);
	vm_put(klass + 64, super, 8);
}

static inline void mon_class_field(uint64_t klass, const char *name, const char *type, unsigned at)
{
	uint64_t records = klass + 0x60, fields = vm_memory[klass + 48 - VM];

	vm_put(records, 6 * (fields + 1), 4);
	vm_put(records + 4 + 12 * fields + 2, mon_entry(name), 2);
	vm_put(records + 4 + 12 * fields + 4, mon_entry(type), 2);
	vm_put(records + 4 + 12 * fields + 8, at << 2 | 1, 2);
	vm_put(klass + 48, fields + 1, 2);
}

static inline void mon_number(const char *name, uint32_t value)
{
	vm_put(mon_constant, vm_string(name), 8);
	vm_put(mon_constant + 8, value, 4);
	mon_constant += 16;
}

static inline void mon_tables(void)
{
	static const struct {
		const char *type, *name;
		uint32_t offset;
	} f[] = {
		{ "InstanceKlass", "_fields", 40 },
		{ "InstanceKlass", "_java_fields_count", 48 },
		{ "InstanceKlass", "_constants", 56 },
		{ "Klass", "_super", 64 },
		{ "JVMFlag", "_name", 0 },
		{ "JVMFlag", "_addr", 8 },
		{ "ThreadsList", "_length", 0 },
		{ "ThreadsList", "_threads", 8 },
		{ "JavaThread", "_current_pending_monitor", MON_PENDING },
		{ "JavaThread", "_current_waiting_monitor", MON_WAITING },
		{ "JavaThread", "_osthread", MON_OSTHREAD },
		{ "JavaThread", "_stack_base", MON_STACK_BASE },
		{ "JavaThread", "_stack_size", MON_STACK_SIZE },
		{ "JavaThread", "_monitor_owner_id", MON_OWNER_ID },
		{ "JavaThread", "_lock_stack", MON_LOCK_STACK },
		{ "LockStack", "_top", 0 },
		{ "LockStack", "_base[0]", 8 },
		{ "OSThread", "_thread_id", 0 },
		{ "OSThread", "_state", 8 },
		{ "CollectedHeap", "_is_gc_active", 0 },
		{ "CollectedHeap", "_total_collections", 4 },
		{ "ObjectMonitor", "_object", 8 },
		{ "ObjectMonitor", "_stack_locker", 24 },
	};

	for (size_t i = 0; i < sizeof(f) / sizeof(*f); i++)
		vm_field(f[i].type, f[i].name, "int", f[i].offset, false);
	vm_field("JavaThread", "_threadObj", "OopHandle", MON_OBJECT, false);
	vm_size("JVMFlag", 16);
	vm_size("LockStack", 40);
	mon_number("MONITOR_WAIT", MON_ENTERS);
	mon_number("CONDVAR_WAIT", MON_PARKS);
	mon_number("OBJECT_WAIT", MON_NOTICES);
	vm_variable("Universe", "_collectedHeap", MON_HEAP);
	vm_variable("ThreadsSMRSupport", "_java_thread_list", MON_LIST);
	vm_variable("JVMFlag", "flags", MON_FLAGS);
	vm_variable("JVMFlag", "numFlags", 1);
	vm_variable("vmClasses", "_klasses[static_cast<int>(vmClassID::Thread_klass_knum)]",
		    MON_CLASS_THREAD);
	vm_variable("vmClasses", "_klasses[static_cast<int>(vmClassID::String_klass_knum)]",
		    MON_CLASS_STRING);
}

static inline void mon_classes(void)
{
	mon_class(MON_CLASS_THREAD, "java/lang/Thread", MON_CLASS_OBJECT);
	mon_class_field(MON_CLASS_THREAD, "name", "Ljava/lang/String;", MON_NAME);
	mon_class_field(MON_CLASS_THREAD, "eetop", "J", MON_EETOP);
	mon_class_field(MON_CLASS_THREAD, "parkBlocker", "Ljava/lang/Object;", MON_BLOCKER);
	mon_class_field(MON_CLASS_THREAD, "threadStatus", "I", MON_STATUS);
	mon_class(MON_CLASS_STRING, "java/lang/String", MON_CLASS_OBJECT);
	mon_class_field(MON_CLASS_STRING, "value", "[B", 16);
	mon_class_field(MON_CLASS_STRING, "coder", "B", 24);
	mon_class(MON_CLASS_OBJECT, "com/example/Store", 0);
	mon_class(MON_CLASS_SYNC, "java/util/concurrent/locks/AbstractOwnableSynchronizer",
		  MON_CLASS_OBJECT);
	mon_class_field(MON_CLASS_SYNC, "exclusiveOwnerThread", "Ljava/lang/Thread;",
			MON_EXCLUSIVE);
	mon_class(MON_CLASS_LOCK, "com/example/Lock", MON_CLASS_SYNC);
}

static inline void mon_make_thread(unsigned i)
{
	uint64_t thread = mon_thread(i), os = MON_OSTHREADS + 16ul * i,
		 handle = MON_HANDLES + 8ul * i;

	vm_put(MON_ARRAY + 8ul * i, thread, 8);
	vm_put(thread, 0xf00d, 8);
	vm_put(thread + MON_OSTHREAD, os, 8);
	vm_put(thread + MON_OBJECT, handle, 8);
	vm_put(thread + MON_STACK_BASE, MON_STACKS + 0x1000ul * (i + 1), 8);
	vm_put(thread + MON_STACK_SIZE, 0x1000, 8);
	vm_put(thread + MON_OWNER_ID, 30 + i, 8);
	vm_put(thread + MON_LOCK_STACK, MON_LOCK_STACK + 8, 4);
	vm_put(os, MON_FIRST_TID + i, 4);
	vm_put(handle, mon_object(i), 8);
	vm_put(mon_object(i) + 8, MON_CLASS_THREAD, 8);
	vm_put(mon_object(i) + MON_EETOP, thread, 8);
}

/* Thread 0 waits; the monitor and the lock belong to no thread. `owner_type`: of ObjectMonitor::_owner. */
static inline void mon_make(const char *owner_type)
{
	vm_make();
	mon_symbol = MON_SYMBOLS;
	mon_constant = VM_INTS;
	mon_entries = 0;
	mon_tables();
	vm_field("ObjectMonitor", "_owner", owner_type, 16, false);
	mon_classes();
	vm_put(MON_FLAGS, vm_string("UseZGC"), 8);
	vm_put(MON_FLAGS + 8, MON_FLAGS + 16, 8);
	vm_put(MON_LIST, MON_THREADS, 4);
	vm_put(MON_LIST + 8, MON_ARRAY, 8);
	for (unsigned i = 0; i < MON_THREADS; i++)
		mon_make_thread(i);
	vm_put(MON_MONITOR + 8, MON_HANDLES + 0x38, 8);
	vm_put(MON_HANDLES + 0x38, MON_LOCKED, 8);
	vm_put(MON_LOCKED, MON_MONITOR | 2, 8);
	vm_put(MON_LOCKED + 8, MON_CLASS_OBJECT, 8);
	vm_put(MON_LOCK, 1, 8);
	vm_put(MON_LOCK + 8, MON_CLASS_LOCK, 8);
}

/* Thread 0's state, and the monitor in a field of its. */
static inline void mon_waits(uint32_t state, unsigned field)
{
	vm_put(MON_OSTHREADS + 8, state, 4);
	if (field)
		vm_put(mon_thread(0) + field, MON_MONITOR, 8);
}

static inline int mon_start(struct hotspot *hs, int release)
{
	struct vmstructs *tables;
	int rc = vmstructs_read(&vm_symbols, &vm_bytes.memory, &tables, NULL);

	memset(&mon_names, 0, sizeof(mon_names));
	vm_methods = (struct hotspot_methods){ .l = method_layout_17 };
	*hs = (struct hotspot){ .memory = &vm_bytes.memory,
				.seen = &vm_bytes.memory,
				.release = release,
				.methods = &vm_methods,
				.names = &mon_names };
	if (rc)
		return rc;
	hs->tables = tables;
	rc = hotspot_threads_init(hs);
	if (!rc)
		rc = hotspot_monitors_init(hs);
	vmstructs_free(tables);
	hs->tables = NULL;
	return rc;
}

static inline void mon_stop(void)
{
	hotspot_threads_free(mon_names.threads);
	free(mon_names.monitors);
	hotspot_methods_release(&vm_methods);
}

#endif
