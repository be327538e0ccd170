/* Each byte of a profile belongs to the entry that was written there. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "pprof/wire/place.h"

/* The comments are "offset: entry". The ids of locations need not be in order. */
static const char bytes[] = "\x0a\x02\x08\x01"		    /*  0: sample type */
			    "\x12\x04\x0a\x02\x07\x09"	    /*  4: sample */
			    "\x12\x02\x10\x05"		    /* 10: sample */
			    "\x60\x05"			    /* 14: period */
			    "\x22\x04\x08\x07\x18\x01"	    /* 16: location 7 */
			    "\x22\x02\x18\x02"		    /* 22: location without an id */
			    "\x32\x00"			    /* 26: string */
			    "\x2a\x05\x08\x01\x10\x04\x08"; /* 28: function, broken off */

static void assert_place(size_t at, const char *place)
{
	struct error err = { .text = "broken" };
	char want[64];

	place_add(&err, bytes, sizeof(bytes) - 1, at);
	snprintf(want, sizeof(want), "broken%s", place);
	cr_assert_str_eq(err.text, want, "at %zu: %s", at, err.text);
}

Test(place, names_the_entry_that_holds_the_offset)
{
	assert_place(0, ", in sample type 1");
	assert_place(3, ", in sample type 1");
	assert_place(4, ", in sample 1");
	assert_place(9, ", in sample 1");
	assert_place(10, ", in sample 2");
	assert_place(16, ", in location 1 (id 7)");
	assert_place(21, ", in location 1 (id 7)");
	assert_place(22, ", in location 2");
	assert_place(26, ", in string 1");
	assert_place(34, ", in function 1 (id 1)");
}

Test(place, names_nothing_where_there_is_no_entry)
{
	assert_place(14, "");
	assert_place(15, "");
	assert_place(35, "");
	assert_place(SIZE_MAX, "");
}

Test(place, cuts_a_message_that_is_full)
{
	struct error err;

	memset(err.text, 'x', sizeof(err.text) - 1);
	err.text[sizeof(err.text) - 1] = '\0';
	place_add(&err, bytes, sizeof(bytes) - 1, 0);
	cr_assert_eq(strlen(err.text), sizeof(err.text) - 1);
	place_add(NULL, bytes, sizeof(bytes) - 1, 0);
}
