/* A process's heap among the words of struct process from htop on, amid changes, too. */
#include <criterion/criterion.h>

#include "runtimes/beam/runtime.h"

enum { START = 0x10000, WORDS = 0x100, END = START + WORDS * 8, AT = 6 };

/* With so many words on its stack. */
static void make(uint64_t head[BEAM_HEAD_WORDS], uint64_t depth)
{
	for (unsigned i = 0; i < BEAM_HEAD_WORDS; i++)
		head[i] = i;
	head[0] = START + 64;
	head[1] = END - depth * 8;
	head[AT] = START;
	head[AT + 1] = END;
	head[AT + 3] = WORDS;
}

Test(process, a_heap)
{
	uint64_t head[BEAM_HEAD_WORDS];

	make(head, 5);
	cr_assert_eq(beam_find_heap(head), AT);
	make(head, 0);
	cr_assert_eq(beam_find_heap(head), AT);
	cr_assert(beam_heap_fits(head));
}

/* do_minor() copies the stack, sets stop, frees the old heap, and sets the rest. */
Test(process, a_heap_that_is_collected)
{
	uint64_t head[BEAM_HEAD_WORDS];

	make(head, 5);
	head[1] = 0x80000;
	cr_assert_not(beam_find_heap(head));
	cr_assert(beam_heap_fits(head));
}

/* grow_new_heap(), when realloc has moved it: hend and stop are set first, then the stack is copied, then
 * the rest is set. */
Test(process, a_heap_that_grows)
{
	uint64_t head[BEAM_HEAD_WORDS], more = 0x80000;

	make(head, 5);
	head[AT + 1] = more + 2 * WORDS * 8;
	cr_assert_not(beam_heap_fits(head));
	head[1] = head[AT + 1] - 5 * 8;
	cr_assert_not(beam_heap_fits(head));
	head[0] = more + 64;
	head[AT] = more;
	cr_assert_not(beam_heap_fits(head));
	head[AT + 3] = 2 * WORDS;
	cr_assert(beam_heap_fits(head));
	cr_assert_eq(beam_find_heap(head), AT);
}
