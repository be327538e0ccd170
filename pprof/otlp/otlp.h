/*
 * Encodes a profile as OTLP: the message ProfilesData of opentelemetry-proto 1.11,
 * profiles/v1development. The same bytes are the request of the collector's service,
 * ExportProfilesServiceRequest.
 *
 * OTLP has one sample type a profile, so a CPU profile with two becomes two. README.md has the
 * choices that the format leaves, and why each was made.
 */
#ifndef PPROF_OTLP_OTLP_H
#define PPROF_OTLP_OTLP_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct profile;

struct otlp_attribute {
	const char *key;  /* not empty, and no other of the same list */
	const char *text; /* NULL: the value is `number` */
	int64_t number;
};

struct otlp_attributes {
	const struct otlp_attribute *list;
	size_t count;
};

/* Whose profile it is; {0}: not known. Borrowed. */
struct otlp_origin {
	struct otlp_attributes resource; /* the process */
	struct otlp_attributes scope;	 /* what tells this profile from the process's others */
};

/* Appends the message to `out`. ERR_NOMEM; ERR_LIMIT: more than 2 GiB, protobuf's limit. */
int otlp_encode(const struct profile *p, const struct otlp_origin *origin, struct buffer *out,
		struct error *err);

#endif
