/*
 * Real dumps that are cut at each of their bytes, or each few bytes: goroutines before the one that
 * is cut are unchanged, and the cut one begins as it did when it was whole.
 */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "goparse/goparse.h"
#include "tests/unit/amount.h"
#include "tests/unit/goparse/show.h"

/* bytes; cuts are tried in pieces of this size, so that each text to parse is short */
enum { PIECE = 500 };

#ifdef __SANITIZE_ADDRESS__
enum { FEW = 23, ALL = 7 }; /* a sanitizer takes five times as long */
#else
enum { FEW = 13, ALL = 1 };
#endif

struct seen {
	struct buffer shown;
	size_t count, last; /* where the last goroutine's text begins */
};

static int each(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	struct seen *seen = ctx;

	(void)err;
	seen->count++;
	seen->last = seen->shown.len;
	return show_goroutine(&seen->shown, g);
}

static void parse(struct goparse *p, const char *text, size_t len, struct seen *seen)
{
	/* In a copy of exactly that size a sanitizer detects a read past the end. */
	char *copy = malloc(len + 1);

	cr_assert(copy);
	memcpy(copy, text, len);
	copy = realloc(copy, len ? len : 1);
	*seen = (struct seen){ .count = 0 };
	cr_assert(goparse_memory(p, copy, len, each, seen, NULL) == 0);
	free(copy);
}

/* True if the header of the cut goroutine is as it was in the whole text. */
static bool is_beginning(const char *cut, size_t cut_len, const char *whole, size_t whole_len)
{
	const char *bar = memchr(cut, '|', cut_len);
	size_t header = bar ? (size_t)(bar - cut) : cut_len - 1;

	return header <= whole_len && !memcmp(cut, whole, header);
}

static void check_cut(struct goparse *p, const char *text, size_t len, const struct seen *whole)
{
	struct seen cut;

	parse(p, text, len, &cut);
	cr_assert(cut.count <= whole->count && cut.last <= whole->shown.len);
	cr_assert(!cut.last || !memcmp(cut.shown.data, whole->shown.data, cut.last),
		  "the goroutines before the last one of:\n%.*s", (int)len, text);
	if (cut.count)
		cr_assert(is_beginning((char *)cut.shown.data + cut.last, cut.shown.len - cut.last,
				       (char *)whole->shown.data + cut.last,
				       whole->shown.len - cut.last),
			  "the last one of:\n%.*s\ngave:\n%.*s", (int)len, text,
			  (int)(cut.shown.len - cut.last), (char *)cut.shown.data + cut.last);
	cr_assert(goparse_stats(p)->error_count <= 2 + whole->count);
	buffer_release(&cut.shown);
}

/* The offset of the last header at or before `at`, so that a cut there is within a goroutine; 0 if
 * there is none. */
static size_t beginning(const char *text, size_t at)
{
	static const char header[] = "\ngoroutine ";

	while (at && (text[at] != '\n' || strncmp(text + at, header, sizeof(header) - 1)))
		at--;
	return at;
}

static void check_file(struct goparse *p, const char *text, size_t len)
{
	size_t step = amount(FEW, ALL);
	struct seen whole;

	for (size_t at = 0; at < len; at += PIECE) {
		size_t start = beginning(text, at), end = at + PIECE < len ? at + PIECE : len;

		parse(p, text + start, end - start, &whole);
		for (size_t cut = at; cut < end; cut += step)
			check_cut(p, text + start, cut - start, &whole);
		buffer_release(&whole.shown);
	}
}

static void check_path(struct goparse *p, const char *path)
{
	FILE *f = fopen(path, "rb");
	static char text[1 << 20];
	size_t len;

	cr_assert(f, "%s", path);
	len = fread(text, 1, sizeof(text), f);
	fclose(f);
	cr_assert(len < sizeof(text), "%s", path);
	check_file(p, text, len);
}

Test(truncation, every_byte_of_every_dump)
{
	struct goparse *p;
	glob_t found;

	cr_assert(goparse_new(&p, NULL) == 0);
	cr_assert(glob("tests/goparse/dumps/*.txt", 0, NULL, &found) == 0);
	cr_assert(glob("tests/goparse/gostackparse/*.txt", GLOB_APPEND, NULL, &found) == 0);
	cr_assert(found.gl_pathc > 20);
	for (size_t i = 0; i < found.gl_pathc; i++)
		check_path(p, found.gl_pathv[i]);
	globfree(&found);
	goparse_free(p);
}
