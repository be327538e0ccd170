/* On aarch64, Go is not unwound by pclntab (KNOWS_GO) but by CFI, where it has not been
 * stripped. */
#include "unwind/step.h"

int step_by_pclntab(struct walk *w, enum frame_kind *kind)
{
	(void)w, (void)kind;
	return STACK_NO_UNWIND_INFO;
}
