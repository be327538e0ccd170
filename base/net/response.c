/* Five fields are recognized by name: Date, Retry-After, Content-Type, Content-Encoding, Location.
 * A head with a status below 200 is interim, and the next one counts. */
#include "base/net/response.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/cursor.h"
#include "base/printable.h"

static const char ellipsis[] = "…";

void response_text(char *to, size_t room, const char *from, size_t len)
{
	size_t kept = 0, used = 0, size; /* `kept`: the length up to which an ellipsis still fits */

	for (size_t i = 0; i < len; i += size) {
		bool shown = printable_next(from + i, len - i, &size);
		size_t bytes = shown ? size : 1;

		if (used + bytes >= room) {
			memcpy(to + kept, ellipsis, sizeof(ellipsis));
			return;
		}
		memcpy(to + used, shown ? from + i : "?", bytes);
		used += bytes;
		if (used + sizeof(ellipsis) <= room)
			kept = used;
	}
	to[used] = '\0';
}

/* "Sun, 06 Nov 1994 08:49:37 GMT", the only form that may be sent (RFC 9110, section 5.6.7); the
 * two older forms are not read. Returns Unix time; 0: no date. */
static int64_t parse_date(struct cursor *c)
{
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	struct tm tm = { 0 };
	const uint8_t *month;
	uint64_t parts[5]; /* day, year, hour, minute, second */

	cursor_bytes(c, 3);
	cursor_expect(c, ',');
	cursor_blanks(c);
	parts[0] = cursor_number(c, 10);
	cursor_expect(c, ' ');
	month = cursor_bytes(c, 3);
	cursor_expect(c, ' ');
	parts[1] = cursor_number(c, 10);
	cursor_expect(c, ' ');
	for (int i = 2; i < 5; i++) {
		parts[i] = cursor_number(c, 10);
		cursor_expect(c, i < 4 ? ':' : ' ');
	}
	if (c->failed || parts[0] - 1 > 30 || parts[1] - 1970 > 9999 - 1970 || parts[2] > 23 ||
	    parts[3] > 59 || parts[4] > 60)
		return 0;
	tm.tm_mon = -1;
	for (int i = 0; i < 12; i++)
		if (!memcmp(months[i], month, 3))
			tm.tm_mon = i;
	tm.tm_mday = (int)parts[0];
	tm.tm_year = (int)parts[1] - 1900;
	tm.tm_hour = (int)parts[2];
	tm.tm_min = (int)parts[3];
	tm.tm_sec = (int)parts[4];
	return tm.tm_mon < 0 ? 0 : timegm(&tm);
}

/* Two encodings, in one header or in two, are ENCODING_OTHER: no request allows that. */
static void take_encoding(struct response *r, const char *value, size_t len)
{
	bool gzip = (len == 4 && !strncasecmp(value, "gzip", len)) ||
		    (len == 6 && !strncasecmp(value, "x-gzip", len));

	if (!len || (len == 8 && !strncasecmp(value, "identity", len)))
		return;
	r->encoding = gzip && r->encoding == ENCODING_NONE ? ENCODING_GZIP : ENCODING_OTHER;
	response_text(r->coded, sizeof(r->coded), value, len);
}

/* A number of seconds, at most UINT32_MAX, or a date. */
static void take_retry(struct response *r, const char *value, size_t len)
{
	struct cursor c;
	uint64_t seconds;

	r->retry_in = 0;
	r->retry_at = 0;
	cursor_init(&c, value, len, "Retry-After");
	if (len && *value >= '0' && *value <= '9') {
		seconds = cursor_number(&c, 10);
		if (c.failed || !cursor_left(&c))
			r->retry_in = c.failed || seconds > UINT32_MAX ? UINT32_MAX :
									 (uint32_t)seconds;
	} else {
		r->retry_at = parse_date(&c);
	}
}

static bool response_is(const char *name, size_t len, const char *wanted)
{
	return len == strlen(wanted) && !strncasecmp(name, wanted, len);
}

static void keep_line(struct response *r, const char *line, size_t len)
{
	size_t used = strlen(r->kept), name = r->keep ? strlen(r->keep) : 0;

	if (!name || len < name || strncasecmp(line, r->keep, name) || memchr(line, '\0', len) ||
	    used + len + 2 > sizeof(r->kept))
		return;
	memcpy(r->kept + used, line, len);
	memcpy(r->kept + used + len, "\n", 2);
}

static void response_take_header(struct response *r, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	size_t name = colon ? (size_t)(colon - line) : 0, at = name + 1;
	struct cursor c;

	if (!colon)
		return;
	keep_line(r, line, len);
	while (at < len && (line[at] == ' ' || line[at] == '\t'))
		at++;
	line += at;
	len -= at;
	if (response_is(colon - name, name, "date")) {
		cursor_init(&c, line, len, "Date");
		r->date = parse_date(&c);
	} else if (response_is(colon - name, name, "retry-after")) {
		take_retry(r, line, len);
	} else if (response_is(colon - name, name, "content-type")) {
		response_text(r->type, sizeof(r->type), line, len);
	} else if (response_is(colon - name, name, "content-encoding")) {
		take_encoding(r, line, len);
	} else if (response_is(colon - name, name, "location")) {
		bool fits = len < sizeof(r->location) && !memchr(line, '\0', len);

		memcpy(r->location, line, fits ? len : 0);
		r->location[fits ? len : 0] = '\0';
	}
}

static bool take_status(struct response *r, const char *line, size_t len)
{
	struct cursor c;
	size_t bytes = r->bytes;
	const char *keep = r->keep;

	if (len < 5 || memcmp(line, "HTTP/", 5))
		return false;
	memset(r, 0, sizeof(*r));
	r->bytes = bytes;
	r->keep = keep;
	cursor_init(&c, line, len, "status");
	while (cursor_left(&c) && *c.pos != ' ')
		cursor_byte(&c);
	cursor_blanks(&c);
	r->status = (unsigned)cursor_number(&c, 10);
	if (c.failed || r->status < 100 || r->status > 999)
		return r->status = 0, false;
	cursor_blanks(&c);
	response_text(r->reason, sizeof(r->reason), (const char *)c.pos, cursor_left(&c));
	return true;
}

bool response_line(struct response *r, const char *line, size_t len)
{
	if (len > RESPONSE_HEAD_BYTES - r->bytes)
		return false;
	r->bytes += len;
	while (len && strchr("\r\n \t", line[len - 1]) && line[len - 1])
		len--;
	if (r->complete)
		keep_line(r, line, len);
	else if (!r->status)
		take_status(r, line, len);
	else if (len)
		response_take_header(r, line, len);
	else if (r->status < 200)
		r->status = 0;
	else
		r->complete = true;
	return true;
}

bool response_redirects(const struct response *r)
{
	switch (r->status) {
	case 301:
	case 302:
	case 303:
	case 307:
	case 308:
		return true;
	default:
		return false;
	}
}
