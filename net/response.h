/*
 * The head of an HTTP response, line by line (RFC 9112, section 2.1).
 *
 * libcurl has checked their form already, as far as it cares. What is needed of them is
 * copied within bounds; all else is passed over.
 */
#ifndef NET_RESPONSE_H
#define NET_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum response_encoding { ENCODING_NONE, ENCODING_GZIP, ENCODING_OTHER };

enum { RESPONSE_HEAD_BYTES = 256 << 10 }; /* of all lines, interim responses' included */

struct response {
	unsigned status; /* 0: no status line yet */
	bool complete;	 /* the blank line behind the head has come */
	size_t bytes;
	int64_t date;	 /* unix time, 0 when there is none or it is no date */
	/* Retry-After (RFC 9110, section 10.2.3): in so many seconds, or at that time; 0: not said. */
	uint32_t retry_in;
	int64_t retry_at;
	enum response_encoding encoding;
	char reason[64], type[128], coded[64]; /* printable; coded is Content-Encoding */
	char location[8192]; /* as sent; "" for none, or one that does not fit */
	const char *keep;    /* set before: lines that begin with that, in any case, are kept, */
	char kept[512];	     /* as sent, each with '\n' behind it, as long as they fit */
};

/* {0}, or with `keep`, is a response of which nothing has come. False once there are too many bytes.
 * `line` may have its end of line. An interim response (1xx) is followed by another head. */
bool response_line(struct response *r, const char *line, size_t len);

/* Is there a Location to go to (RFC 9110, section 15.4; 300 leaves the choice to people)? */
bool response_redirects(const struct response *r);

/* Copies what a terminal may see, with "…" at its end when it was too long. '?' stands for
 * control characters, C1's among them, and for what is no UTF-8. */
void response_text(char *to, size_t room, const char *from, size_t len);

#endif
