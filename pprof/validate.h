/* Checks whether a profile is valid by the rules of google/pprof's CheckValid
 * (profile/profile.go), whether it was decoded, read from legacy text, built by a
 * caller, or changed. */
#ifndef PPROF_VALIDATE_H
#define PPROF_VALIDATE_H

struct error;
struct profile;

/* 0, or ERR_FORMAT with the first error: the sample, location, function or mapping,
 * counted from 1 in the order of the profile, and the rule that it breaks. Takes time
 * proportional to the profile's size and no memory. */
int profile_validate(const struct profile *p, struct error *err);

/* The same for a rule that CheckValid does not check: strings of profile.proto are UTF-8
 * (protobuf.dev/programming-guides/proto3, "Scalar Value Types"). Readers accept other strings,
 * because names in ELF files and file names need not be UTF-8, but a check of a file should report
 * them. */
int profile_validate_text(const struct profile *p, struct error *err);

#endif
