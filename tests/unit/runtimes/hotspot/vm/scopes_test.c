/* Chains of scopes as the compilers write them, and those that lie. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/hotspot/vm/scopes.h"

enum { ADDR = 0x1000, SCOPES = 4 };

static struct scope scopes[SCOPES];
static size_t count;

static int read_at(const char *bytes, size_t len, int offset)
{
	struct scopes_range data = { ADDR, ADDR + len };
	struct memory_bytes m;

	memory_bytes_init(&m, bytes, ADDR, len);
	return scopes_read(&m.memory, &data, UNSIGNED5_WITH_ZERO, offset, scopes, SCOPES, &count);
}

/* At 1: the outermost scope, method 1 at bytecode 5; at 5: method 2 at 0, inlined into it; at 9: method 1
 * before its first bytecode. */
static const char chain[] = "\xff\x00\x01\x06\x09\x01\x02\x01\x09\x05\x01\x00\x09";

Test(scopes, innermost_first)
{
	cr_assert_eq(read_at(chain, sizeof(chain) - 1, 9), 0);
	cr_assert_eq(count, 3);
	cr_expect(scopes[0].method == 1 && scopes[0].bci == -1);
	cr_expect(scopes[1].method == 2 && scopes[1].bci == 0);
	cr_expect(scopes[2].method == 1 && scopes[2].bci == 5);
}

Test(scopes, offset_0_is_none)
{
	cr_assert_eq(read_at(chain, sizeof(chain) - 1, 0), 0);
	cr_expect_eq(count, 0);
}

Test(scopes, outside_of_the_data_is_refused)
{
	cr_expect_eq(read_at(chain, sizeof(chain) - 1, 13), ERR_FORMAT);
	cr_expect_eq(read_at(chain, sizeof(chain) - 1, -1), ERR_FORMAT);
	cr_expect_eq(read_at(chain, 3, 1), ERR_FORMAT);
}

Test(scopes, a_circle_is_refused)
{
	cr_expect_eq(read_at("\x00\x01\x01\x01", 4, 1), ERR_FORMAT);
	cr_expect_eq(read_at("\x00\x05\x01\x01\x00\x01\x01\x01", 8, 1), ERR_FORMAT);
}

Test(scopes, a_method_must_have_a_number)
{
	cr_expect_eq(read_at("\x00\x00\x00\x01", 4, 1), ERR_FORMAT);
}

Test(scopes, more_than_there_is_room_for_is_refused)
{
	char bytes[1 + 3 * (SCOPES + 1)] = { 0 };

	for (int i = 0; i <= SCOPES; i++) {
		bytes[1 + 3 * i] = (char)(i ? 1 + 3 * (i - 1) : 0);
		bytes[2 + 3 * i] = 1;
	}
	cr_expect_eq(read_at(bytes, sizeof(bytes), 1 + 3 * (SCOPES - 1)), 0);
	cr_expect_eq(read_at(bytes, sizeof(bytes), 1 + 3 * SCOPES), ERR_FORMAT);
}
