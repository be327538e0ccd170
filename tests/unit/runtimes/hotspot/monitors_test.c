/* What Java's threads wait for, in a VM that is made up. */
#include <criterion/criterion.h>

#include "tests/unit/runtimes/hotspot/made_up_monitors.h"

TestSuite(monitors);

static struct managed_wait monitors_test_look(int release)
{
	struct managed_wait wait;
	struct hotspot hs;

	cr_assert_eq(mon_start(&hs, release), 0);
	hotspot_wait(&hs, MON_FIRST_TID, &wait);
	mon_stop();
	return wait;
}

static void monitors_test_make(const char *owner_type, uint64_t owner)
{
	mon_make(owner_type);
	mon_waits(MON_ENTERS, MON_PENDING);
	vm_put(MON_MONITOR + 16, owner, 8);
}

static void monitors_test_expect(const struct managed_wait *w, enum managed_wait_kind kind,
				 pid_t owner)
{
	cr_expect_eq(w->kind, kind, "%d", w->kind);
	cr_expect_str_eq(w->class, "com.example.Store");
	cr_expect_eq(w->address, MON_LOCKED);
	cr_expect_eq(w->owned, owner != 0);
	cr_expect_eq(w->owner, owner, "%d", w->owner);
}

Test(monitors, an_owner_is_a_thread)
{
	monitors_test_make("", mon_thread(2));
	struct managed_wait w = monitors_test_look(17);

	monitors_test_expect(&w, MANAGED_WAIT_MONITOR, MON_FIRST_TID + 2);
}

Test(monitors, an_owner_is_a_place_in_a_thread_s_stack)
{
	monitors_test_make("", MON_STACKS + 0x1800);
	struct managed_wait w = monitors_test_look(17);

	monitors_test_expect(&w, MANAGED_WAIT_MONITOR, MON_FIRST_TID + 1);
}

Test(monitors, an_anonymous_owner_has_the_object_in_its_lock_stack)
{
	monitors_test_make("", 1);
	vm_put(mon_thread(1) + MON_LOCK_STACK + 8, MON_LOCKED, 8); /* beyond the top */
	vm_put(mon_thread(2) + MON_LOCK_STACK + 8, 0x1234, 8);
	vm_put(mon_thread(2) + MON_LOCK_STACK + 16, MON_LOCKED, 8);
	vm_put(mon_thread(2) + MON_LOCK_STACK, MON_LOCK_STACK + 24, 4);
	struct managed_wait w = monitors_test_look(21);

	monitors_test_expect(&w, MANAGED_WAIT_MONITOR, MON_FIRST_TID + 2);
}

Test(monitors, an_anonymous_owner_has_locked_it_on_its_stack)
{
	monitors_test_make("int64_t", 1);
	vm_put(MON_MONITOR + 24, MON_STACKS + 0x2800, 8);
	struct managed_wait w = monitors_test_look(25);

	monitors_test_expect(&w, MANAGED_WAIT_MONITOR, MON_FIRST_TID + 2);
}

Test(monitors, an_owner_is_a_number)
{
	monitors_test_make("int64_t", 31);
	struct managed_wait w = monitors_test_look(25);

	monitors_test_expect(&w, MANAGED_WAIT_MONITOR, MON_FIRST_TID + 1);
}

Test(monitors, a_number_of_a_virtual_thread_is_on_no_thread)
{
	monitors_test_make("int64_t", 77);
	struct managed_wait w = monitors_test_look(25);

	cr_expect(w.kind == MANAGED_WAIT_MONITOR && w.owned && !w.owner);
}

Test(monitors, owners_that_are_none)
{
	static const uint64_t none[] = { 0, 1, 2 };

	for (unsigned i = 0; i < 3; i++) {
		monitors_test_make("int64_t", none[i]);
		struct managed_wait w = monitors_test_look(25);

		monitors_test_expect(&w, MANAGED_WAIT_MONITOR, 0);
	}
}

Test(monitors, a_thread_does_not_own_what_it_waits_for)
{
	monitors_test_make("", mon_thread(0));
	struct managed_wait w = monitors_test_look(17);

	monitors_test_expect(&w, MANAGED_WAIT_MONITOR, 0);
}

Test(monitors, an_owner_that_is_not_known_is_not_told)
{
	monitors_test_make("", 0x1234);
	struct managed_wait w = monitors_test_look(17);

	monitors_test_expect(&w, MANAGED_WAIT_MONITOR, 0);
}

Test(monitors, an_object_whose_header_is_not_the_monitor_s_is_not_told)
{
	monitors_test_make("", mon_thread(1));
	vm_put(MON_LOCKED, (MON_MONITOR + 64) | 2, 8);
	struct managed_wait w = monitors_test_look(17);

	cr_expect(w.kind == MANAGED_WAIT_MONITOR && !*w.class && !w.address);
	cr_expect_eq(w.owner, MON_FIRST_TID + 1);
}

Test(monitors, the_object_is_in_the_monitor_up_to_15)
{
	monitors_test_make("", mon_thread(2));
	vm_put(MON_MONITOR + 8, MON_LOCKED, 8);
	struct managed_wait w = monitors_test_look(11);

	monitors_test_expect(&w, MANAGED_WAIT_MONITOR, MON_FIRST_TID + 2);
}

Test(monitors, a_thread_waits_to_be_notified)
{
	monitors_test_make("", mon_thread(2));
	mon_waits(MON_NOTICES, MON_WAITING);
	struct managed_wait w = monitors_test_look(17);

	monitors_test_expect(&w, MANAGED_WAIT_NOTICE, 0);
}

Test(monitors, a_thread_that_was_notified_enters)
{
	monitors_test_make("", mon_thread(2));
	mon_waits(MON_NOTICES, MON_WAITING);
	vm_put(mon_object(0) + MON_STATUS, 0x401, 4);
	struct managed_wait w = monitors_test_look(17);

	monitors_test_expect(&w, MANAGED_WAIT_MONITOR, MON_FIRST_TID + 2);
}

static void monitors_test_park(uint64_t owner)
{
	mon_make("");
	mon_waits(MON_PARKS, 0);
	vm_put(mon_object(0) + MON_BLOCKER, MON_LOCK, 8);
	vm_put(MON_LOCK + MON_EXCLUSIVE, owner, 8);
}

Test(monitors, a_lock_has_its_owner)
{
	monitors_test_park(mon_object(1));
	struct managed_wait w = monitors_test_look(17);

	cr_expect(w.kind == MANAGED_WAIT_PARKED && w.owned && w.owner == MON_FIRST_TID + 1);
	cr_expect_str_eq(w.class, "com.example.Lock");
	cr_expect_eq(w.address, MON_LOCK);
}

Test(monitors, a_virtual_thread_owns_a_lock)
{
	monitors_test_park(mon_object(1));
	vm_put(mon_object(1) + MON_EETOP, 0, 8);
	struct managed_wait w = monitors_test_look(21);

	cr_expect(w.kind == MANAGED_WAIT_PARKED && w.owned && !w.owner);
}

Test(monitors, what_is_no_lock_has_no_owner)
{
	monitors_test_park(mon_object(1));
	vm_put(MON_LOCK + 8, MON_CLASS_OBJECT, 8);
	struct managed_wait w = monitors_test_look(17);

	cr_expect(w.kind == MANAGED_WAIT_PARKED && !w.owned);
	cr_expect_str_eq(w.class, "com.example.Store");
}

Test(monitors, another_thread_s_object_is_not_this_one_s)
{
	monitors_test_park(mon_object(1));
	vm_put(mon_object(0) + MON_EETOP, mon_thread(1), 8);
	cr_expect_eq(monitors_test_look(17).kind, MANAGED_WAIT_NONE);
}

Test(monitors, a_thread_parked_for_nothing_is_not_told_of)
{
	mon_make("");
	mon_waits(MON_PARKS, 0);
	cr_expect_eq(monitors_test_look(17).kind, MANAGED_WAIT_NONE);
}

Test(monitors, classes_in_a_circle_end)
{
	monitors_test_park(mon_object(1));
	vm_put(MON_CLASS_LOCK + 64, MON_CLASS_LOCK, 8);
	struct managed_wait w = monitors_test_look(17);

	cr_expect(w.kind == MANAGED_WAIT_PARKED && !w.owned);
}

Test(monitors, while_objects_move_only_the_vm_s_own_is_told)
{
	monitors_test_make("", mon_thread(2));
	vm_put(MON_HEAP, 1, 1);
	struct managed_wait w = monitors_test_look(17);

	cr_expect(w.kind == MANAGED_WAIT_MONITOR && w.owner == MON_FIRST_TID + 2);
	cr_expect(!*w.class && !w.address);
	monitors_test_park(mon_object(1));
	vm_put(MON_HEAP, 1, 1);
	cr_expect_eq(monitors_test_look(17).kind, MANAGED_WAIT_NONE);
}

Test(monitors, a_thread_that_runs_or_is_not_listed_waits_for_nothing)
{
	struct managed_wait w;
	struct hotspot hs;

	monitors_test_make("", mon_thread(2));
	mon_waits(2, 0);
	cr_expect_eq(monitors_test_look(17).kind, MANAGED_WAIT_NONE);
	cr_assert_eq(mon_start(&hs, 17), 0);
	hotspot_wait(&hs, 99, &w);
	mon_stop();
	cr_expect_eq(w.kind, MANAGED_WAIT_NONE);
}
