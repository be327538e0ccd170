/* A name is cut in passes, each in one buffer of SHORTNAME_MAX: the clone's suffix, the brackets,
 * the folders, the scope. Forms that do not differ are left out. */
#include "pprof/shortname.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/affix.h"

/* What GCC (clone_function_name) and LLVM (ThinLTO, splitting) put behind a name, with numbers. */
static const char *const clones[] = { "constprop", "isra",	 "part",     "cold",
				      "lto_priv",  "localalias", "llvm",     "__uniq",
				      "_omp_fn",   "omp_fn",	 "resolver", "warm" };

static const char anonymous[] = "(anonymous namespace)";

static bool shortname_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool all_digits(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isdigit((unsigned char)s[i]))
			return false;
	return len > 0;
}

static bool is_clone(const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof(clones) / sizeof(*clones); i++)
		if (strlen(clones[i]) == len && !memcmp(clones[i], s, len))
			return true;
	return false;
}

/* "::h" and 16 hexadecimal digits: Rust's hash of a symbol. */
static bool is_hash(const char *s)
{
	return strlen(s) == 19 && !strncmp(s, "::h", 3) && strspn(s + 3, "0123456789abcdef") == 16;
}

/* "@@GLIBC_2.34": a symbol's version. */
static bool shortname_is_version(const char *s)
{
	size_t at = s[1] == '@' ? 2 : 1, name = strspn(s + at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");

	return name > 1 && s[at + name - 1] == '_' && s[at + name] &&
	       strspn(s + at + name, "0123456789.") == strlen(s + at + name);
}

/* Where a name ends before ".isra.0.cold", or its own end. */
static size_t end_of_name(const char *name)
{
	size_t len = strlen(name), end = len, at = len;

	while (at > 0) {
		size_t dot = at;

		while (dot > 0 && name[dot - 1] != '.')
			dot--;
		if (dot < 2 || dot == at)
			break;
		if (is_clone(name + dot, at - dot))
			end = dot - 1;
		else if (!all_digits(name + dot, at - dot))
			break;
		at = dot - 1;
	}
	return end;
}

static void cut_clone(char *name)
{
	for (size_t before = 0; before != strlen(name);) {
		char *mark = strrchr(name, '['), *at;

		before = strlen(name);
		name[end_of_name(name)] = '\0';
		if (mark && !strncmp(mark, "[clone ", 7) && strchr(mark, ']') == name + before - 1)
			name[mark - name - (mark > name && isspace((unsigned char)mark[-1]))] =
				'\0';
		if (strlen(name) > 19 && is_hash(name + strlen(name) - 19))
			name[strlen(name) - 19] = '\0';
		at = strchr(name, '@');
		if (at && shortname_is_version(at))
			*at = '\0';
	}
}

/* The length of an operator's name that begins here, 0: none. As OPERATOR in words.js. */
static size_t operator_at(const char *name, size_t i)
{
	static const char *const symbols[] = { "()",  "[]", "->*", "->", "<=>", "<<=", "<<",
					       ">>=", ">>", "&&",  "||", "++",	"--" };
	const char *s = name + i + 8;

	if (strncmp(name + i, "operator", 8) || (i && shortname_is_word(name[i - 1])) || !*s)
		return 0;
	for (size_t k = 0; k < sizeof(symbols) / sizeof(*symbols); k++)
		if (!strncmp(s, symbols[k], strlen(symbols[k])))
			return 8 + strlen(symbols[k]);
	return strchr("-+*/%^&|~!=<>,", *s) ? 9 + (s[1] == '=') : 0;
}

/* Copies a name without what stands in <> and (); a space in a scope's name becomes \1. */
static void copy_bare(const char *name, char *out)
{
	size_t depth = 0, n = 0, len = strlen(name);

	for (size_t i = 0; i < len; i++) {
		size_t symbol = depth ? 0 : operator_at(name, i);

		if (symbol) {
			memcpy(out + n, name + i, symbol);
			n += symbol;
			i += symbol - 1;
		} else if (!depth && !strncmp(name + i, anonymous, sizeof(anonymous) - 1)) {
			n += (size_t)(mempcpy(out + n, "(anonymous\1namespace)", 21) -
				      (void *)(out + n));
			i += 20;
		} else if (name[i] == '<' || name[i] == '(') {
			depth++;
		} else if ((name[i] == '>' && (!i || name[i - 1] != '-')) || name[i] == ')') {
			depth -= depth > 0;
		} else if (!depth) {
			out[n++] = name[i];
		}
	}
	out[n] = '\0';
}

static void cut_qualifiers(char *name)
{
	for (size_t before = 0; before != strlen(name);) {
		before = strlen(name);
		cut_end(name, " const");
		cut_end(name, " volatile");
		cut_end(name, " &");
		cut_end(name, " &&");
	}
	for (char *tag; (tag = strstr(name, "[abi:")) && strchr(tag, ']');)
		memmove(tag, strchr(tag, ']') + 1, strlen(strchr(tag, ']')));
}

/* Without arguments, template arguments and the type that is returned. */
static void bare_name(const char *name, char *out)
{
	size_t from = 0;

	copy_bare(name, out);
	cut_qualifiers(out);
	for (size_t i = 0;
	     out[i] && !(!strncmp(out + i, "operator", 8) &&
			 (!i || !shortname_is_word(out[i - 1])) && !shortname_is_word(out[i + 8]));
	     i++)
		if (out[i] == ' ')
			from = i + 1;
	from += strspn(out + from, ":") & ~(size_t)1;
	memmove(out, out + from, strlen(out + from) + 1);
	for (char *s = out; (s = strchr(s, '\1'));)
		*s = ' ';
}

/* A part that says little by itself: a lambda, a closure, a call of an object. As NAMELESS in
 * words.js. */
static bool is_nameless(const char *s, size_t len)
{
	return len > 1 &&
	       ((s[0] == '{' && s[len - 1] == '}') || (s[0] == '\'' && s[len - 1] == '\'') ||
		(s[0] == '$' && s[1] == '_' && all_digits(s + 2, len - 2)) ||
		(len == 4 && !memcmp(s, "_FUN", 4)) || (len == 10 && !memcmp(s, "operator()", 10)));
}

/* As NAMELESS_GO in words.js: func1, gowrap2, 1, and nothing (glob..func1). */
static bool is_nameless_go(const char *s, size_t len)
{
	static const char *const heads[] = { "func", "gowrap", "deferwrap", "" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		size_t n = strlen(heads[i]);

		if (len > n && !strncmp(s, heads[i], n) && all_digits(s + n, len - n))
			return true;
	}
	return len == 0;
}

/* The last part that has a name of its own, and what follows it. */
static const char *last_named(const char *name, const char *separator,
			      bool (*nameless)(const char *s, size_t len))
{
	size_t width = strlen(separator);
	const char *end = name + strlen(name), *from = end;
	int open = 0;

	while (from > name) {
		if (from[-1] == ')' || from[-1] == '(')
			open += from[-1] == ')' ? 1 : -1;
		if (open || (size_t)(from - name) < width ||
		    memcmp(from - width, separator, width)) {
			from--;
			continue;
		}
		if (!nameless(from, (size_t)(end - from)))
			return from;
		from -= width;
		end = from;
	}
	return name;
}

static void cut_brackets(char *name)
{
	for (char *open = name; (open = strchr(open, '[')) && strchr(open, ']');)
		memmove(open, strchr(open, ']') + 1, strlen(strchr(open, ']')));
}

/* Without the folders of a path, that of the name or of what stands behind it. */
static void cut_folders(const char *name, char *out)
{
	const char *slash = name + strcspn(name, " \t(<["), *last;

	while (slash > name && (slash[-1] != '/' || !*slash || *slash == ' ' || *slash == '/'))
		slash--;
	name = slash;
	last = strrchr(name, ' ');
	strcpy(out, name);
	if (last && strchr(last, '/') && strrchr(last, '/')[1])
		strcpy(out + (last + 1 - name), strrchr(last, '/') + 1);
}

static bool shortname_is_scoped(const char *name)
{
	const char *symbol = strstr(name, "operator");

	for (const char *s = name; *s; s++)
		if ((s[1] == '<' && shortname_is_word(*s) && name[strlen(name) - 1] == '>') ||
		    (s[1] == '(' && (shortname_is_word(*s) || *s == '>' || *s == ']')))
			return true;
	return strstr(name, "::") ||
	       (symbol && (symbol == name || !shortname_is_word(symbol[-1])) &&
		!shortname_is_word(symbol[8]));
}

static bool has_dots(const char *name)
{
	size_t n = strcspn(name, ". []");

	return n && name[n] == '.' && !strpbrk(name, " \t");
}

/* Fills forms[1] (without arguments) and forms[2] (the last part) from a name without folders. */
static void cut_scope(const char *name, char forms[SHORTNAME_FORMS][SHORTNAME_MAX])
{
	char bare[SHORTNAME_MAX];

	strcpy(bare, name);
	cut_clone(bare);
	if (shortname_is_scoped(bare)) {
		bare_name(bare, forms[1]);
		strcpy(bare, forms[1]);
		if (strstr(bare, "}::operator()") || strstr(bare, "'::operator()"))
			cut_end(bare, "::operator()");
		strcpy(forms[2], last_named(bare, "::", is_nameless));
		return;
	}
	strcpy(forms[1], bare);
	if (has_dots(bare)) {
		cut_brackets(bare);
		strcpy(forms[2], last_named(bare, ".", is_nameless_go));
	} else {
		size_t n = strspn(bare, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					"0123456789_.+-");

		strcpy(forms[2], n && bare[n] == '!' && bare[n + 1] ? bare + n + 1 : bare);
	}
}

/* Keeps the forms that differ from the name and from each other. */
static size_t keep_forms(const char *name, char forms[SHORTNAME_FORMS][SHORTNAME_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < SHORTNAME_FORMS; i++)
		if (*forms[i] && strcmp(forms[i], count ? forms[count - 1] : name)) {
			if (i != count)
				strcpy(forms[count], forms[i]);
			count++;
		}
	return count;
}

size_t shortname(const char *name, size_t len, char forms[SHORTNAME_FORMS][SHORTNAME_MAX])
{
	char whole[SHORTNAME_MAX];

	if (len >= SHORTNAME_MAX || memchr(name, '\0', len))
		return 0;
	memcpy(whole, name, len);
	whole[len] = '\0';
	*forms[1] = *forms[2] = '\0';
	if (!strncmp(whole, "py::", 4) && whole[4] != ':' && strchr(whole + 4, ':')) {
		size_t n = strcspn(whole + 4, ":"); /* CPython's perf map */

		memcpy(forms[0], whole + 4, n);
		forms[0][n] = '\0';
		return 1;
	}
	cut_folders(whole, forms[0]);
	cut_scope(forms[0], forms);
	return keep_forms(whole, forms);
}
