/*
 * Frames and statuses as gRPC and gRPC-Web have them (grpc/doc/PROTOCOL-HTTP2.md, PROTOCOL-WEB.md).
 *
 * A message has five bytes before it. The status comes after the answer's messages: by gRPC as
 * trailers of HTTP, by gRPC-Web as a frame of its own; an answer without a message has it among
 * its headers. Internal to rounds/push/.
 */
#ifndef ROUNDS_PUSH_GRPC_H
#define ROUNDS_PUSH_GRPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct buffer;
struct error;
struct http_answer;

/* grpc/doc/statuscodes.md */
enum {
	GRPC_OK = 0,
	GRPC_CANCELLED = 1,
	GRPC_INVALID_ARGUMENT = 3,
	GRPC_DEADLINE_EXCEEDED = 4,
	GRPC_NOT_FOUND = 5,
	GRPC_PERMISSION_DENIED = 7,
	GRPC_RESOURCE_EXHAUSTED = 8,
	GRPC_ABORTED = 10,
	GRPC_OUT_OF_RANGE = 11,
	GRPC_UNIMPLEMENTED = 12,
	GRPC_UNAVAILABLE = 14,
	GRPC_DATA_LOSS = 15,
	GRPC_UNAUTHENTICATED = 16,
};

/* An answer. Its cursors borrow of the http_answer; each is empty if there is nothing. */
struct pushgrpc {
	int status;	       /* -1: the answer has none, so it is not one of gRPC */
	struct cursor why;     /* grpc-message */
	struct cursor details; /* grpc-status-details-bin, in base64 */
	struct cursor message; /* the first one, as far as it is there */
	bool packed;	       /* it is compressed */
};

/* Begins a frame; what is appended to `body` next is its message. `packed`: it is compressed as the
 * header grpc-encoding says. ERR_NOMEM. */
int pushgrpc_begin(struct buffer *body, bool packed);

/* Ends the frame, which is the only one in `body`. */
void pushgrpc_end(struct buffer *body);

/* Reads the headers that begin with "grpc-" (http_body.keep), and the content. */
void pushgrpc_read(struct pushgrpc *g, const struct http_answer *a);

/* Sets the error of an answer with a status other than GRPC_OK. */
void pushgrpc_explain(const struct pushgrpc *g, struct error *err);

/* Do the details say when to try again (google.rpc.RetryInfo)? *ns, from now on; it may be 0. */
bool pushgrpc_retry(const struct pushgrpc *g, uint64_t *ns);

#endif
