/* ASCII classes become ranges of code points, written out, because PCRE2's own \s and \w differ
 * from Go's. Unicode's become \p{} with the names of PCRE2. */
#include "pprof/select/goclass.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/buffer.h"
#include "base/error.h"

/* Pairs of first and last character, from regexp/syntax/perl_groups.go. Go's \s has no \v. */
static const struct {
	const char *name, *pairs;
	size_t len;
} classes[] = {
#define CLASS(name, pairs) { name, pairs, sizeof(pairs) - 1 }
	CLASS("d", "09"),	    CLASS("s", "\t\n\f\r  "),
	CLASS("w", "09AZ__az"),	    CLASS("alnum", "09AZaz"),
	CLASS("alpha", "AZaz"),	    CLASS("ascii", "\0\x7f"),
	CLASS("blank", "\t\t  "),   CLASS("cntrl", "\0\x1f\x7f\x7f"),
	CLASS("digit", "09"),	    CLASS("graph", "!~"),
	CLASS("lower", "az"),	    CLASS("print", " ~"),
	CLASS("punct", "!/:@[`{~"), CLASS("space", "\t\r  "),
	CLASS("upper", "AZ"),	    CLASS("word", "09AZ__az"),
	CLASS("xdigit", "09AFaf"),
#undef CLASS
};

enum { ASCII = 128, LONG_S = 0x17f, KELVIN = 0x212a, RUNE_MAX = 0x10ffff };

static int goclass_add_range(struct buffer *out, uint32_t first, uint32_t last)
{
	return first > last ? 0 : buffer_addf(out, "\\x{%x}-\\x{%x}", first, last);
}

static int add_runs(const bool in[ASCII], struct buffer *out)
{
	int rc = 0;

	for (uint32_t i = 0; i < ASCII && !rc; i++) {
		uint32_t first = i;

		while (i < ASCII && in[i])
			i++;
		if (i > first)
			rc = goclass_add_range(out, first, i - 1);
	}
	return rc;
}

/* Adds the characters beyond ASCII, which belong to the opposite of an ASCII class. The long s
 * and the kelvin sign are exceptions: without regard to case they equal s and k. */
static int add_rest(bool without_s, bool without_k, struct buffer *out)
{
	uint32_t from = ASCII;
	int rc = 0;

	if (without_s) {
		rc = goclass_add_range(out, from, LONG_S - 1);
		from = LONG_S + 1;
	}
	if (!rc && without_k) {
		rc = goclass_add_range(out, from, KELVIN - 1);
		from = KELVIN + 1;
	}
	return rc ? rc : goclass_add_range(out, from, RUNE_MAX);
}

int goclass_ascii(const char *name, size_t len, bool opposite, bool fold, struct buffer *out)
{
	bool in[ASCII] = { false };
	size_t i = 0, count = sizeof(classes) / sizeof(*classes);
	int rc;

	while (i < count && (strlen(classes[i].name) != len || memcmp(classes[i].name, name, len)))
		i++;
	if (i == count)
		return ERR_NOTFOUND;
	for (size_t j = 0; j < classes[i].len; j += 2)
		for (int c = classes[i].pairs[j]; c <= classes[i].pairs[j + 1]; c++) {
			in[c] = true;
			if (fold && isalpha(c))
				in[c ^ 0x20] = true;
		}
	if (!opposite)
		return add_runs(in, out);
	for (i = 0; i < ASCII; i++)
		in[i] = !in[i];
	rc = add_runs(in, out);
	return rc ? rc : add_rest(fold && !in['s'], fold && !in['k'], out);
}

static bool goclass_is_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalpha((unsigned char)name[i]) && name[i] != '_' && name[i] != ' ' &&
		    name[i] != '-')
			return false;
	return len > 0;
}

/* Names are compared by their letters only, without regard to case. */
static void canonical(const char *name, size_t len, char plain[16])
{
	size_t n = 0;

	for (size_t i = 0; i < len && n < 15; i++)
		if (isalpha((unsigned char)name[i]))
			plain[n++] = (char)tolower((unsigned char)name[i]);
	plain[n] = '\0';
}

/* A general category has one letter or two. From PCRE2 10.40 on, the bare name of a script
 * matches more than the script, and names such as Lower and Alphabetic exist, too: hence "sc:". */
static int add_property(const char *name, size_t len, size_t letters, bool opposite,
			struct buffer *out)
{
	bool is_script = letters > 2 && (PCRE2_MAJOR > 10 || PCRE2_MINOR >= 40);

	return buffer_addf(out, "\\%c{%s%.*s}", opposite ? 'P' : 'p', is_script ? "sc:" : "",
			   (int)len, name);
}

int goclass_unicode(const char *name, size_t len, bool opposite, bool fold, struct buffer *out)
{
	char plain[16];

	if (!goclass_is_name(name, len))
		return ERR_NOTFOUND;
	canonical(name, len, plain);
	if (!strcmp(plain, "any"))
		return opposite ? buffer_addf(out, "\\P{Any}") : buffer_addf(out, "\\p{Any}");
	if (!strcmp(plain, "ascii"))
		return goclass_ascii("ascii", 5, opposite, fold, out);
	if (!strcmp(plain, "assigned"))
		return add_property("Cn", 2, 2, !opposite, out);
	if (!strcmp(plain, "lc") ||
	    (fold && (!strcmp(plain, "lu") || !strcmp(plain, "ll") || !strcmp(plain, "lt"))))
		return add_property("L&", 2, 2, opposite, out);
	if (strlen(plain) <= 2) {
		plain[0] = (char)toupper((unsigned char)plain[0]);
		return *plain ? add_property(plain, strlen(plain), 2, opposite, out) : ERR_NOTFOUND;
	}
	return add_property(name, len, strlen(plain), opposite, out);
}
