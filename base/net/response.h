/*
 * The head of an HTTP response, line by line (RFC 9112, section 2.1).
 *
 * libcurl has checked the form of the lines, but not in full. The values needed are copied within
 * bounds, everything else is skipped.
 */
#ifndef BASE_NET_RESPONSE_H
#define BASE_NET_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum response_encoding { ENCODING_NONE, ENCODING_GZIP, ENCODING_OTHER };

enum { RESPONSE_HEAD_BYTES = 256 << 10 }; /* limit of all lines, with interim responses */

struct response {
	unsigned status; /* 0: no status line yet */
	bool complete;	 /* the blank line after the head has come */
	size_t bytes;
	int64_t date; /* Unix time; 0: none, or no date */
	/* Retry-After (RFC 9110, section 10.2.3): seconds from now, or Unix time; 0: not given. */
	uint32_t retry_in;
	int64_t retry_at;
	enum response_encoding encoding;
	char reason[64], type[128], coded[64]; /* printable; coded is Content-Encoding */
	char location[8192];		       /* as sent; "": none, or it does not fit */
	const char *keep; /* set by the caller: prefix of lines to keep, ignoring case */
	char kept[4096];  /* the kept lines as sent, trailers too, each with '\n' at its end, as
			   * far as they fit */
};

/* Takes a line of the head, with or without its end of line. A new response is {0}, or has only
 * `keep` set. False: the head has too many bytes. After an interim response (1xx) comes another
 * head. What comes after the head is a trailer: it may be kept, and changes nothing else. */
bool response_line(struct response *r, const char *line, size_t len);

/* Is this a redirect to be followed (RFC 9110, section 15.4; 300 leaves the choice to people)? */
bool response_redirects(const struct response *r);

/* Copies the text for a terminal; text that is too long is cut and ends with "…". Control
 * characters, including C1's, and bytes that are not UTF-8 become '?'. */
void response_text(char *to, size_t room, const char *from, size_t len);

#endif
