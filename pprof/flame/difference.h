/*
 * Splits profiles that are the difference of two: values minus those of a base.
 *
 * google/pprof's -diff_base negates the samples of the base and labels them "pprof::base". -base
 * negates them without a label and leaves what does not cancel. In both cases the negative values
 * are the base's, and the two sides are told apart by the sign.
 */
#ifndef PPROF_FLAME_DIFFERENCE_H
#define PPROF_FLAME_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

enum difference_side { SIDE_NEW, SIDE_BASE, SIDES };

/* True for a difference: a value of the sample type is negative, or a sample has the label
 * "pprof::base" with the value "true". */
bool difference_detect(const struct profile *p, size_t type);

/* Splits a sample's value into the two sides, neither of them negative. */
void difference_split(int64_t value, int64_t sides[SIDES]);

#endif
