/*
 * Where a request goes: a URL, apart from the user and password in it.
 *
 * They are taken out at the beginning, so that no message can hold them and no redirect
 * takes them along. Included only where <curl/curl.h> is.
 */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include <stdbool.h>

#include "net/libcurl.h"

struct error;

struct address {
	const struct libcurl *curl;
	CURLU *url;
	char *text;		/* for libcurl; its memory, as user and password are */
	char *user, *password;	/* NULL: none */
	char shown[256];	/* for people: shortened, printable */
};

/* ERR_USAGE with a message in which nothing is secret, ERR_NOMEM. To be released in any case. */
int address_parse(struct address *a, const struct libcurl *curl, const char *url,
		  struct error *err);
void address_release(struct address *a);

/* Goes where a Location header points, a whole URL or part of one (RFC 9110, section 10.2.2).
 * *same tells whether that is the same scheme, host and port; if not, user and password are
 * forgotten. ERR_IO: no URL, or not one of http or https. ERR_NOMEM. */
int address_follow(struct address *a, const char *location, bool *same, struct error *err);

#endif
