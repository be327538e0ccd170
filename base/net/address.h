/*
 * The address of a request: a URL, and apart from it the user and password that stood in it.
 *
 * Both are taken out first, so that no message can hold them and no redirect passes them on.
 * Included only where <curl/curl.h> exists.
 */
#ifndef BASE_NET_ADDRESS_H
#define BASE_NET_ADDRESS_H

#include <stdbool.h>

#include "base/net/libcurl.h"

struct error;

struct address {
	const struct libcurl *curl;
	CURLU *url;
	char *text;	       /* for libcurl; allocated by it, like user and password */
	char *user, *password; /* NULL: none */
	char shown[256];       /* for people: without query, shortened, printable */
};

/* Parses a URL. ERR_USAGE with a message that holds no secret; ERR_NOMEM. The caller calls
 * address_release in any case. */
int address_parse(struct address *a, const struct libcurl *curl, const char *url,
		  struct error *err);
void address_release(struct address *a);

/* Goes where a Location header points, a whole URL or part of one (RFC 9110, section 10.2.2). *same
 * tells whether scheme, host and port are the same as before; if not, user and password are erased.
 * ERR_IO: no URL, or not one of http or https; ERR_NOMEM. */
int address_follow(struct address *a, const char *location, bool *same, struct error *err);

#endif
