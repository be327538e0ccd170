/* Is a profile one that others can work on? The rules of google/pprof's CheckValid
 * (profile/profile.go), for profiles however they came to be: decoded, read from
 * legacy text, built by a caller, or changed. */
#ifndef PPROF_VALIDATE_H
#define PPROF_VALIDATE_H

struct error;
struct profile;

/* 0, or ERR_FORMAT with the first offence: which sample, location, function or mapping,
 * counted from 1 in the order of the profile, and which rule it breaks. Takes time in
 * proportion to the profile, and no memory. */
int profile_validate(const struct profile *p, struct error *err);

/* The same of what CheckValid does not look at: strings of profile.proto are UTF-8
 * (protobuf.dev/programming-guides/proto3, "Scalar Value Types"). Readers take others, too,
 * since names of C++ and Rust need not be; who checks a file wants to know. */
int profile_validate_text(const struct profile *p, struct error *err);

#endif
