/*
 * Requests made by libcurl one after another, and the bytes of their answers as they came.
 *
 * Its multi interface is used so that we can pull: libcurl runs when bytes are needed, and pauses
 * when there are more than needed. HTTP/1.1, because with HTTP/2 libcurl would keep what arrives
 * meanwhile, up to 32 MB. Only gRPC needs HTTP/2, and its answers are drained. Included only where
 * <curl/curl.h> exists.
 */
#ifndef BASE_NET_TRANSFER_H
#define BASE_NET_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/net/libcurl.h"
#include "base/net/response.h"

struct address;
struct error;
struct http_body;
struct http_request;
struct transfer;

/* Copies the request's headers, files and times; the total time runs from here. The caller frees
 * *t, also on error. ERR_NOTFOUND (libcurl was built without what is needed), ERR_NOMEM. */
int transfer_new(struct transfer **t, const struct libcurl *curl, const struct http_request *q,
		 struct error *err);
void transfer_free(struct transfer *t);

/* Requests the content at the address, with its user and password, and with the request's headers
 * if `trusted`. Gives up the previous request. ERR_NOMEM. */
int transfer_start(struct transfer *t, const struct address *a, bool trusted, struct error *err);

/* To be called before transfer_start: the next request is a POST of `body`, which the caller keeps
 * until the end. ERR_NOTFOUND, ERR_NOMEM. */
int transfer_post(struct transfer *t, const struct http_body *body, struct error *err);

/* Waits for the answer's head, which `t` owns. ERR_IO, ERR_LIMIT, ERR_FORMAT, ERR_NOMEM. */
int transfer_head(struct transfer *t, const struct response **head, struct error *err);

/* The bytes received and not taken yet. transfer_took takes the first `len` of them. */
const unsigned char *transfer_data(const struct transfer *t, size_t *len);
void transfer_took(struct transfer *t, size_t len);

/* To be called when all bytes are taken: waits for more. *end: none follow. Errors as
 * transfer_head's. */
int transfer_more(struct transfer *t, bool *end, struct error *err);

/* Bytes of the answer's content so far. */
uint64_t transfer_received(const struct transfer *t);

/* The connection's descriptor, -1 for none. */
int transfer_socket(const struct transfer *t);

/* Moves the end of the total time to at most `ns` nanoseconds from now. */
void transfer_hurry(struct transfer *t, uint64_t ns);

#endif
