/* The figures of a recording in words: for the terminal's last lines and, the
 * same, for the profile's comments. */
#ifndef SAMPLER_PROFILE_SUMMARY_H
#define SAMPLER_PROFILE_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

struct recording_options;
struct recording_stats;

enum { SUMMARY_LINES = 5, SUMMARY_WIDTH = 800 };

/* One line each, without newline: samples and stacks; the rate kept; the unwind
 * ledger; the time that threads were held; CPU times. */
void summary_lines(const struct recording_stats *stats, const struct recording_options *options,
		   char lines[SUMMARY_LINES][SUMMARY_WIDTH]);

/* A duration for people: "2.5us", "380ms", "1m02s". `text` needs 24 bytes. */
const char *summary_duration(uint64_t ns, char *text, size_t room);

#endif
