#include <criterion/criterion.h>
#include <string.h>

#include "rounds/source/gcwait.h"

static uint64_t cycles;

static bool find(const char *text)
{
	return gcwait_cycles(text, strlen(text), &cycles);
}

Test(gcwait, the_number_in_the_text)
{
	cr_assert(find("# PauseNs = [1 2 3]\n# NumGC = 123\n# NumForcedGC = 4\n") && cycles == 123);
	cr_assert(find("\n# NumGC = 0\n") && cycles == 0);
}

Test(gcwait, no_number)
{
	static const char *const texts[] = { "",
					     "# NumGC = 1\n",
					     "\n# NumForcedGC = 1\n",
					     "\n# NumGC = \n",
					     "\n# NumGC = 1",
					     "\n# NumGC = x\n",
					     "\n# NumGC = 99999999999999999999\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		cr_assert_not(find(texts[i]), "%s", texts[i]);
}
