/*
 * One request after another to be answered by libcurl, the bytes of the answer as they came.
 *
 * Its multi interface, so that we can pull: it is driven when bytes are wanted, and made to
 * pause when there are more than wanted. HTTP/1.1 only, since of HTTP/2 it would keep what
 * comes meanwhile, up to 10 MB. Included only where <curl/curl.h> is.
 */
#ifndef NET_TRANSFER_H
#define NET_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/libcurl.h"
#include "net/response.h"

struct address;
struct error;
struct http_body;
struct http_request;
struct transfer;

/* Of the request the headers, files and times, which run from here; they may be forgotten
 * afterwards. ERR_NOTFOUND (libcurl was built without what is needed), ERR_NOMEM. */
int transfer_new(struct transfer **t, const struct libcurl *curl, const struct http_request *q,
		 struct error *err);
void transfer_free(struct transfer *t);

/* Asks for what is at the address, with its user and password, and with the request's headers
 * if `trusted`; gives up what was asked for before. ERR_NOMEM. */
int transfer_start(struct transfer *t, const struct address *a, bool trusted, struct error *err);

/* Before transfer_start: what is asked next is a POST of this, which stays the caller's until
 * the end. ERR_NOTFOUND, ERR_NOMEM. */
int transfer_post(struct transfer *t, const struct http_body *body, struct error *err);

/* Waits for the answer's head. ERR_IO, ERR_LIMIT, ERR_FORMAT, ERR_NOMEM. */
int transfer_head(struct transfer *t, const struct response **head, struct error *err);

/* What has come and was not taken yet. */
const unsigned char *transfer_data(const struct transfer *t, size_t *len);
void transfer_took(struct transfer *t, size_t len);

/* When all is taken: waits for more; *end when that was all. Errors as transfer_head's. */
int transfer_more(struct transfer *t, bool *end, struct error *err);

/* Bytes of the answer so far. */
uint64_t transfer_received(const struct transfer *t);

/* The connection's descriptor, -1 for none. */
int transfer_socket(const struct transfer *t);

/* Makes the end of all time come no later than in so many nanoseconds. */
void transfer_hurry(struct transfer *t, uint64_t ns);

#endif
