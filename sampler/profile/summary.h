/* The figures of a recording in words: for the terminal's last lines and for the profile's
 * comments. */
#ifndef SAMPLER_PROFILE_SUMMARY_H
#define SAMPLER_PROFILE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

struct recording_options;
struct recording_stats;

enum { SUMMARY_LINES = 6, SUMMARY_WIDTH = 3000 };

/* One line each, without newline: samples and stacks; the rate kept; the unwind
 * ledger; interpreted frames; the time that threads were held; CPU times. A line is empty where
 * there is nothing to say. */
void summary_lines(const struct recording_stats *stats, const struct recording_options *options,
		   char lines[SUMMARY_LINES][SUMMARY_WIDTH]);

/* The part of the ticks that was left out to keep the CPU budget, 0 to 1. */
double summary_left_out(const struct recording_stats *s);

/* The part of the CPU samples whose moment is certain (sampler/capture/slots.h), 0 to 1. */
double summary_certain(const struct recording_stats *s);

/* Did ticks look at only a part of the threads? */
bool summary_fewer_threads(const struct recording_stats *s);

/* How many samples the CPU time at this rate would give, if there are far fewer and no budget left
 * something out; 0: samples are not few. */
uint64_t summary_expected(const struct recording_stats *s, unsigned rate);

#endif
