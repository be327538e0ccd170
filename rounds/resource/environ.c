/* The list of pairs is read twice: once for its form, and if that is right, for its attributes. */
#include "rounds/resource/environ.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/process/process.h"
#include "rounds/resource/attributes.h"

enum { DECODED_MAX = ATTRIBUTE_VALUE_MAX + 1 }; /* one more than fits shows that it does not */

static int environ_hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A decoded key or value: the first DECODED_MAX bytes of it. */
struct decoded {
	char text[DECODED_MAX];
	size_t len;
};

static void add_byte(struct decoded *d, uint8_t c)
{
	if (d->len < sizeof(d->text))
		d->text[d->len++] = (char)c;
}

/* Decodes up to `end` or `end2`, which is left to be read, or to the text's end. Blanks around it
 * do not belong to it (W3C Baggage, 3.3.1, whose form this is). */
static void environ_decode(struct cursor *c, char end, char end2, struct decoded *d)
{
	size_t solid = 0; /* up to the last byte that is no blank of the text itself */

	d->len = 0;
	cursor_blanks(c);
	while (cursor_left(c) && *c->pos != (uint8_t)end && *c->pos != (uint8_t)end2) {
		uint8_t byte = cursor_byte(c);
		bool blank = byte == ' ' || byte == '\t';

		if (byte == '%') {
			int high = environ_hex_digit(cursor_byte(c)),
			    low = environ_hex_digit(cursor_byte(c));

			if (high < 0 || low < 0)
				cursor_fail(c, "'%' without two digits");
			byte = (uint8_t)((unsigned)high << 4 | (unsigned)low);
		}
		add_byte(d, byte);
		solid = blank ? solid : d->len;
	}
	d->len = solid;
}

/* Reads a pair and the comma behind it. */
static void environ_read_pair(struct cursor *c, struct decoded *key, struct decoded *value)
{
	environ_decode(c, '=', ',', key);
	cursor_expect(c, '=');
	environ_decode(c, ',', ',', value);
	if (!key->len)
		cursor_fail(c, "no key");
	if (cursor_left(c))
		cursor_expect(c, ',');
}

/* With NULL for `to` it only checks the form. */
static int read_pairs(const char *text, size_t len, struct attributes *to)
{
	struct decoded key, value;
	struct cursor c;
	int rc = 0;

	cursor_init(&c, text, len, "OTEL_RESOURCE_ATTRIBUTES");
	while (!rc && cursor_left(&c)) {
		environ_read_pair(&c, &key, &value);
		if (to && !c.failed)
			rc = attributes_add(to, key.text, key.len, value.text, value.len);
	}
	return c.failed ? ERR_FORMAT : rc;
}

int environ_pairs(const char *text, size_t len, struct attributes *to)
{
	return read_pairs(text, len, NULL) ? 0 : read_pairs(text, len, to);
}

int environ_read(const void *data, size_t len, struct attributes *to)
{
	size_t value_len;
	const char *value = process_variable(data, len, "OTEL_SERVICE_NAME", &value_len);
	int rc = 0;

	if (value)
		rc = attributes_add(to, "service.name", strlen("service.name"), value, value_len);
	value = process_variable(data, len, "OTEL_RESOURCE_ATTRIBUTES", &value_len);
	return rc || !value ? rc : environ_pairs(value, value_len, to);
}
