/* The code that linkers make for calls between files, where they describe it nowhere. */
#ifndef UNWIND_STUB_H
#define UNWIND_STUB_H

#include <stdint.h>

struct cfi_rule;
struct image;

/* The rule of the stub that holds this image address, or NULL where there is none. It
 * stands for ever. Only where LINKER_STUBS (unwind/arch.h). */
const struct cfi_rule *stub_rule(const struct image *image, uint64_t addr);

#endif
