/* Frames and trailers are read with cursors from the head and the body that were kept, which may be
 * cut. google.rpc.RetryInfo is decoded by hand, out of base64 and nested messages. */
#include "rounds/push/grpc.h"

#include <ctype.h>
#include <endian.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "pprof/wire/wire.h"
#include "base/net/http.h"

enum { FRAME_HEAD = 5, FRAME_PACKED = 1, FRAME_TRAILERS = 0x80 };

/* google/rpc/status.proto, error_details.proto; google/protobuf/any.proto, duration.proto */
enum { STATUS_DETAILS = 3 };
enum { ANY_TYPE = 1, ANY_VALUE = 2 };
enum { RETRY_INFO_DELAY = 1 };
enum { DURATION_SECONDS = 1, DURATION_NANOS = 2 };

int pushgrpc_begin(struct buffer *body, bool packed)
{
	const uint8_t head[FRAME_HEAD] = { packed ? FRAME_PACKED : 0 };

	return buffer_add(body, head, sizeof(head));
}

void pushgrpc_end(struct buffer *body)
{
	uint32_t len = htobe32((uint32_t)(body->len - FRAME_HEAD));

	memcpy(body->data + 1, &len, sizeof(len));
}

/* Is the line "NAME: VALUE"? Then it becomes the value. */
static bool grpc_take(struct cursor *line, const char *name)
{
	size_t len = strlen(name);

	if (cursor_left(line) <= len || strncasecmp((const char *)line->pos, name, len) ||
	    line->pos[len] != ':')
		return false;
	cursor_bytes(line, len + 1);
	cursor_blanks(line);
	return true;
}

/* Reads "grpc-status: 3" and the like. By the protocol a message is percent-encoded, but blanks are
 * not: it is not decoded. */
static void read_trailers(struct pushgrpc *g, struct cursor *c)
{
	struct cursor line;

	while (cursor_line(c, &line)) {
		if (grpc_take(&line, "grpc-status")) {
			uint64_t status = cursor_number(&line, 10);

			g->status = line.failed || status > INT32_MAX ? -1 : (int)status;
		} else if (grpc_take(&line, "grpc-message")) {
			g->why = line;
		} else if (grpc_take(&line, "grpc-status-details-bin")) {
			g->details = line;
		}
	}
}

static void grpc_read_frames(struct pushgrpc *g, struct cursor *c)
{
	while (cursor_left(c)) {
		unsigned kind = cursor_byte(c);
		uint32_t len = be32toh((uint32_t)cursor_uint(c, 4));
		size_t there = len < cursor_left(c) ? len : cursor_left(c); /* may be cut */
		const uint8_t *data = cursor_bytes(c, there);
		struct cursor inside;

		if (!data)
			return;
		cursor_init(&inside, data, there, "frame");
		if (kind & FRAME_TRAILERS) {
			read_trailers(g, &inside);
		} else if (!g->message.start) {
			g->message = inside;
			g->packed = kind & FRAME_PACKED;
		}
	}
}

void pushgrpc_read(struct pushgrpc *g, const struct http_answer *a)
{
	struct cursor c;

	*g = (struct pushgrpc){ .status = -1 };
	cursor_init(&c, a->headers, strlen(a->headers), "headers");
	read_trailers(g, &c);
	cursor_init(&c, a->content, a->content_len, "answer");
	grpc_read_frames(g, &c);
}

void pushgrpc_explain(const struct pushgrpc *g, struct error *err)
{
	struct cursor why = g->why;
	char text[200];
	size_t len = 0;

	if (g->status < 0) {
		error_set(err, ERR_FORMAT, "the answer is not one of gRPC");
		return;
	}
	while (cursor_left(&why) && len < sizeof(text) - 1) {
		char c = (char)cursor_byte(&why);

		text[len++] = isascii(c) && isprint(c) ? c : '?';
	}
	text[len] = '\0';
	error_set(err, ERR_IO, "gRPC status %d%s%s", g->status, len ? ": " : "", text);
}

/* Decodes base64 up to its padding, which may be missing. False: a character of another kind. */
static bool grpc_decode(struct cursor coded, uint8_t *to, size_t *len)
{
	uint32_t bits = 0;
	unsigned count = 0;

	*len = 0;
	while (cursor_left(&coded)) {
		char c = (char)cursor_byte(&coded);
		int value = c >= 'A' && c <= 'Z' ? c - 'A' :
			    c >= 'a' && c <= 'z' ? c - 'a' + 26 :
			    c >= '0' && c <= '9' ? c - '0' + 52 :
			    c == '+'		 ? 62 :
			    c == '/'		 ? 63 :
						   -1;

		if (value < 0)
			return c == '=';
		bits = bits << 6 | (uint32_t)value;
		count += 6;
		if (count >= 8)
			to[(*len)++] = (uint8_t)(bits >> (count -= 8));
	}
	return true;
}

static uint64_t read_duration(struct cursor c)
{
	uint64_t seconds = 0, nanos = 0;
	struct wire_field f;

	while (wire_next(&c, &f))
		if (f.type == WIRE_VARINT && f.number == DURATION_SECONDS)
			seconds = f.value < INT32_MAX ? f.value : INT32_MAX;
		else if (f.type == WIRE_VARINT && f.number == DURATION_NANOS)
			nanos = f.value < NS_PER_S ? f.value : 0;
	return seconds * NS_PER_S + nanos;
}

static bool read_detail(struct cursor any, uint64_t *ns)
{
	static const char type[] = "type.googleapis.com/google.rpc.RetryInfo";
	struct cursor info = { 0 };
	struct wire_field f;
	bool found = false;

	while (wire_next(&any, &f))
		if (f.number == ANY_TYPE)
			found = f.type == WIRE_BYTES && f.value == strlen(type) &&
				!memcmp(f.data, type, strlen(type));
		else if (f.number == ANY_VALUE)
			info = wire_inside(&any, &f);
	*ns = 0;
	while (found && wire_next(&info, &f))
		if (f.number == RETRY_INFO_DELAY)
			*ns = read_duration(wire_inside(&info, &f));
	return found;
}

bool pushgrpc_retry(const struct pushgrpc *g, uint64_t *ns)
{
	uint8_t status[sizeof(((struct http_answer *)0)->headers)];
	struct wire_field f;
	struct cursor c;
	size_t len;

	if (cursor_left(&g->details) > sizeof(status) || !grpc_decode(g->details, status, &len))
		return false;
	cursor_init(&c, status, len, "details");
	while (wire_next(&c, &f))
		if (f.number == STATUS_DETAILS && read_detail(wire_inside(&c, &f), ns))
			return true;
	return false;
}
