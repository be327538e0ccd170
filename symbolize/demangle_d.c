/*
 * Uses libiberty's dlang_demangle(), which has no callback to stop it. A crafted name makes it work
 * without bound, so an upper bound of its work is computed beforehand:
 *
 *   - A back reference ("Q" and a distance in base 26) to a type reads that type again, with the
 *     references in it. Within that type libiberty follows only references that are further in
 *     front, so the cost of a reference is a sum over those before it. (In Phobos 1 % of the names
 *     come out above the bound and stay mangled.)
 *   - The length of a template's argument that is a symbol ("S" and digits) can be read in several
 *     ways, and all are tried, nested in each other. So are the two ways in which a name within a
 *     name ("_D") can go on.
 */
#include "symbolize/demangle.h"

#include <libiberty/demangle.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { IN_MAX = 4 << 10, COST_MAX = 32 << 10, WORK_MAX = 1 << 20 };

/* The distance after a "Q": upper-case digits, the last one lower-case. 0: there is none. */
static size_t distance(const char *digits)
{
	size_t n = 0;

	for (; *digits >= 'A' && *digits <= 'Z' && n < IN_MAX; digits++)
		n = n * 26 + (size_t)(*digits - 'A');
	return *digits >= 'a' && *digits <= 'z' ? n * 26 + (size_t)(*digits - 'a') : 0;
}

/* The greatest number of letters that are read, apart from tries. */
static uint64_t cost(const char *name, size_t len)
{
	uint64_t upto[IN_MAX + 1]; /* costs of all references before a letter */

	upto[0] = 0;
	for (size_t i = 0; i < len; i++) {
		size_t back = name[i] == 'Q' ? distance(name + i + 1) : 0;
		uint64_t own = 0;

		if (back && back <= i)
			own = len - (i - back) + (upto[i] - upto[i - back]);
		upto[i + 1] = upto[i] + own;
		if (upto[i + 1] > COST_MAX)
			return UINT64_MAX;
	}
	return len + upto[len];
}

/* In how many ways the argument behind the "S" can be read. */
static uint64_t readings(const char *digits)
{
	size_t n = strspn(digits, "0123456789");

	if (n == 1)
		return digits[1] == '_' || digits[1] == 'Q' ? 2 : 1;
	return n + 1;
}

static uint64_t tries(const char *name)
{
	uint64_t n = 1;

	for (const char *c = name + 2; *c && n <= WORK_MAX; c++) {
		if (*c == 'S' && c[1] >= '0' && c[1] <= '9')
			n *= readings(c + 1);
		else if (*c == '_' && c[1] == 'D')
			n *= 2;
	}
	return n;
}

/* "Box.get() const" -> "Box.get()" */
static void drop_modifiers(char *text)
{
	static const char *const words[] = { " const", " immutable", " inout", " shared" };
	size_t len = strlen(text);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t of_word = strlen(words[i]);

		if (len > of_word && !strcmp(text + len - of_word, words[i])) {
			text[len -= of_word] = '\0';
			i = (size_t)-1; /* from the first one again */
		}
	}
}

/* "std.sort!(int)(int[])" -> "std.sort!(int)" */
static void drop_parameters(char *text)
{
	size_t at = strlen(text);
	int depth = 0;

	if (!at || text[at - 1] != ')')
		return;
	do {
		at--;
		depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
	} while (at && depth);
	if (at && text[at - 1] != '!')
		text[at] = '\0';
}

char *demangle_d(const char *name)
{
	size_t len = strlen(name);
	uint64_t reads;
	char *text;

	if (strncmp(name, "_D", 2) || len > IN_MAX)
		return NULL;
	reads = cost(name, len);
	if (reads > COST_MAX || reads * tries(name) > WORK_MAX)
		return NULL;
	text = dlang_demangle(name, DMGL_ANSI);
	if (text) {
		drop_modifiers(text);
		drop_parameters(text);
	}
	return text;
}
