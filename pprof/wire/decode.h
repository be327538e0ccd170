/* Decodes the bytes of profile.proto into a profile. The bytes may be hostile. */
#ifndef PPROF_WIRE_DECODE_H
#define PPROF_WIRE_DECODE_H

#include <stddef.h>

struct error;
struct profile;

/* Decodes an uncompressed message into an initialised, empty profile. Ids become numbers
 * without gaps. Unknown fields are skipped. Every profile that google/pprof reads and finds
 * valid is accepted (decode.c lists what else is). ERR_FORMAT with the field and the offset
 * that broke a rule; ERR_NOMEM. The caller releases the profile in any case. */
int profile_decode(struct profile *p, const void *data, size_t len, struct error *err);

/* The same, but ERR_LIMIT as soon as the profile's tables take more than `max_memory`
 * bytes. The tables of a usual file take twice its size; those of a crafted file can take
 * 12 times its size. */
int profile_decode_within(struct profile *p, const void *data, size_t len, size_t max_memory,
			  struct error *err);

#endif
