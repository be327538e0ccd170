/*
 * A method's line table, compressed (compressedStream.hpp, method.cpp): pairs of bytecode index and
 * line, each as the difference to the one before it. It ends with a 0.
 */
#ifndef RUNTIMES_HOTSPOT_VM_JAVALINES_H
#define RUNTIMES_HOTSPOT_VM_JAVALINES_H

#include <stdint.h>

#include "runtimes/hotspot/vm/unsigned5.h"

struct cursor;

/* The line of a bytecode as Method::line_number_from_bci tells it, and the line where the method's
 * code begins. 0: not known. ERR_FORMAT: the bytes are no line table, or it does not end in
 * them. */
int javalines_find(struct cursor *c, enum unsigned5_form form, int32_t bci, uint32_t *line,
		   uint32_t *first_line);

#endif
