/*
 * A process's heap, which its stack is the upper end of: heap, hend and heap_sz in struct process
 * (erts/emulator/beam/erl_process.h). Where they are differs by release; their values tell.
 */
#include "runtimes/beam/runtime.h"

enum { FIRST = 2, SIZE = 3 }; /* words: behind htop and stop; from the heap's start to its size */

static const uint64_t WORDS_MAX = 1ull << 40;

static bool is_heap(const uint64_t *head, uint32_t i)
{
	return head[i] && head[i + SIZE] && head[i + SIZE] < WORDS_MAX &&
	       head[i + 1] == head[i] + head[i + SIZE] * 8;
}

uint32_t beam_find_heap(const uint64_t *head)
{
	for (uint32_t i = FIRST; i + SIZE < BEAM_HEAD_WORDS; i++)
		if (is_heap(head, i) && head[i] <= head[0] && head[0] <= head[1] &&
		    head[1] <= head[i + 1])
			return i;
	return 0;
}

bool beam_heap_fits(const uint64_t *head)
{
	uint32_t i = FIRST;

	while (i + SIZE < BEAM_HEAD_WORDS && !is_heap(head, i))
		i++;
	return i + SIZE < BEAM_HEAD_WORDS;
}
