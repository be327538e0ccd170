/* The engine that batches are pushed to: "pyroscope=http://HOST:PORT". Internal to rounds/. */
#ifndef ROUNDS_PUSH_TARGET_H
#define ROUNDS_PUSH_TARGET_H

struct buffer;
struct error;
struct pushprotocol;

struct pushtarget {
	const struct pushprotocol *protocol;
	char *base;	 /* the URL up to its query, with the protocol's path; owned */
	char *query;	 /* the URL's own, "" for none; owned */
	char *socket;	 /* the path of a socket in the file system, or NULL; owned */
	char shown[160]; /* for messages: without query, printable */
};

/* Parses "ENGINE=URL": a URL of http or https, "unix:///PATH", or, for an engine that takes gRPC,
 * "grpc://HOST:PORT" or "grpcs://HOST:PORT". A URL with user or password is
 * rejected, because the machine's list of processes would show them. ERR_USAGE (the message has
 * nothing that may be secret), ERR_NOTFOUND (no libcurl), ERR_NOMEM. The caller calls
 * pushtarget_release, after an error too. */
int pushtarget_parse(struct pushtarget *t, const char *text, struct error *err);
void pushtarget_release(struct pushtarget *t);

/* Appends the URL with `query` and its own query, NUL-terminated. ERR_NOMEM. */
int pushtarget_url(const struct pushtarget *t, const struct buffer *query, struct buffer *url);

#endif
