/* Whether a program is one of 32 bits, by its auxiliary vector. */
#include <criterion/criterion.h>
#include <elf.h>
#include <unistd.h>

#include "base/process/process.h"

Test(width, is_that_of_the_words_in_which_a_page_has_its_size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t wide[] = { AT_SYSINFO_EHDR, 1ull << 40, AT_PAGESZ, page, AT_NULL, 0 };
	uint32_t narrow[] = { AT_SYSINFO_EHDR, 1u << 30, AT_PAGESZ, (uint32_t)page, AT_NULL, 0 };

	cr_assert_eq(width_of_auxv(wide, sizeof(wide)), 64);
	cr_assert_eq(width_of_auxv(narrow, sizeof(narrow)), 32);
	cr_assert_eq(width_of_auxv(narrow, 2 * sizeof(*narrow)), 0);
	cr_assert_eq(width_of_auxv(narrow, 3 * sizeof(*narrow)), 0);
	cr_assert_eq(width_of_auxv(NULL, 0), 0);
}

Test(width, of_ourselves_is_64)
{
	struct process p;

	cr_assert_eq(process_open(&p, getpid(), NULL), 0);
	cr_assert_eq(process_width(&p), 64);
	cr_assert_eq(process_check_width(&p, NULL), 0);
	process_close(&p);
}
