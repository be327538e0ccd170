/*
 * Profiles that are the difference of two: values less those of a base.
 *
 * google/pprof's -diff_base negates the samples of the base and labels them "pprof::base";
 * -base negates them without a label and leaves what does not cancel. Either way the
 * negative values are the base's, which is how the two sides are told apart here.
 */
#ifndef REPORT_DIFFERENCE_H
#define REPORT_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

enum difference_side { SIDE_NEW, SIDE_BASE, SIDES };

/* Is it a difference: is a value of the sample type negative, or a sample labelled? */
bool difference_detect(const struct profile *p, size_t type);

/* A sample's value on both sides, neither of them negative. */
void difference_split(int64_t value, int64_t sides[SIDES]);

#endif
