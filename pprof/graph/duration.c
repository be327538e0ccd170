/* The units are tried from the largest; the fraction has nine digits at most, and zeros at its end
 * are cut. */
#include "pprof/graph/duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Writes the value in units of 10^digits ns, without trailing zeros. Returns the length. */
static size_t add_decimal(char *text, size_t room, uint64_t value, int digits, const char *unit)
{
	uint64_t one = 1;
	size_t len;

	for (int i = 0; i < digits; i++)
		one *= 10;
	len = (size_t)snprintf(text, room, "%" PRIu64, value / one);
	if (value % one) {
		len += (size_t)snprintf(text + len, room - len, ".%0*" PRIu64, digits, value % one);
		while (text[len - 1] == '0')
			len--;
	}
	return len + (size_t)snprintf(text + len, room - len, "%s", unit);
}

const char *duration_text(int64_t nanos, char *text)
{
	uint64_t value = nanos < 0 ? -(uint64_t)nanos : (uint64_t)nanos, second = 1000000000;
	size_t len = 0;

	if (nanos < 0)
		text[len++] = '-';
	if (!value)
		return strcpy(text, "0s");
	if (value < second) {
		int digits = value < 1000 ? 0 : value < 1000000 ? 3 : 6;

		add_decimal(text + len, DURATION_MAX - len, value, digits,
			    digits == 0 ? "ns" :
			    digits == 3 ? "\u00b5s" :
					  "ms");
		return text;
	}
	if (value >= 3600 * second)
		len += (size_t)snprintf(text + len, DURATION_MAX - len, "%" PRIu64 "h",
					value / (3600 * second));
	if (value >= 60 * second)
		len += (size_t)snprintf(text + len, DURATION_MAX - len, "%" PRIu64 "m",
					value / (60 * second) % 60);
	add_decimal(text + len, DURATION_MAX - len, value % (60 * second), 9, "s");
	return text;
}
