/* Whom batches are pushed to: "pyroscope=http://HOST:PORT". Internal to rounds/. */
#ifndef ROUNDS_PUSHTARGET_H
#define ROUNDS_PUSHTARGET_H

struct buffer;
struct error;
struct pushprotocol;

struct pushtarget {
	const struct pushprotocol *protocol;
	char *base;	/* the URL up to its query, with the protocol's path; owned */
	char *query;	/* the URL's own, "" for none; owned */
	char *socket;	/* the path of a socket in the file system, or NULL; owned */
	char shown[160]; /* for people: no query, printable */
};

/* A URL of http or https, or "unix:///PATH". User and password may not be in it: whoever looks
 * at the processes of the machine would see them. ERR_USAGE (no message has what may be
 * secret), ERR_NOTFOUND (no libcurl), ERR_NOMEM. To be released in any case. */
int pushtarget_parse(struct pushtarget *t, const char *text, struct error *err);
void pushtarget_release(struct pushtarget *t);

/* The URL with a query, NUL-terminated. ERR_NOMEM. */
int pushtarget_url(const struct pushtarget *t, const struct buffer *query, struct buffer *url);

#endif
