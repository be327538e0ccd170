/*
 * The process context that a process may publish for readers outside of it: the resource
 * attributes of its OpenTelemetry SDK, as it has resolved them.
 *
 * A small mapping named OTEL_CTX holds a signature, a version, when it was published, and where the
 * payload is and how long. The time is 0 while the process writes; the same time before and after
 * a reading shows that nothing has changed meanwhile. The payload is Protobuf.
 *
 * Only memory is read; the process is not stopped. The maps are searched for the mapping until it
 * is found; then a reading takes 32 bytes, unless the context was published again.
 *
 * Source: opentelemetry-specification, oteps/profiles/4719-process-ctx.md; the messages
 * ProcessContext, Resource, KeyValue and AnyValue of opentelemetry-proto.
 */
#ifndef ROUNDS_RESOURCE_CONTEXT_H
#define ROUNDS_RESOURCE_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "rounds/resource/attributes.h"

struct memory;

/* State from reading to reading; {0} at first. */
struct context {
	uint64_t at;	       /* address of the mapping; 0: not found */
	uint64_t published_ns; /* when `attributes` were published, on the boot clock */
	struct attributes attributes;
};

void context_release(struct context *c);

/* Finds the mapping's address in the text of /proc/PID/maps; 0: there is none. */
uint64_t context_find(const void *maps, size_t len);

/* Reads the context at c->at again, unless it is the one that is known. While the process writes,
 * the known one stays. ERR_NOTFOUND: there is none (any more); ERR_FORMAT: it cannot be read, and
 * has no attributes; ERR_NOMEM. */
int context_read(struct context *c, const struct memory *memory);

/* Adds the attributes of a ProcessContext's resource that are texts, numbers or booleans.
 * ERR_FORMAT: nothing is to be taken from it; ERR_NOMEM. */
int context_decode(const void *payload, size_t len, struct attributes *attributes);

#endif
