#include "pprof/pattern.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "pprof/gosyntax.h"

/* Steps are counted from each place of the text on at which a match could begin, so texts of
 * SHORT_TEXT bytes cost at most a few milliseconds. The possibilities are three ints each, in
 * two lists. */
enum { SHORT_TEXT = 2048, STEPS = 1000, HEAP_KIB = 4096, WORKSPACE = 4096 };

struct pattern {
	char name[64]; /* for messages */
	pcre2_code *code;
	pcre2_code *whole; /* for the other matcher: with all that may stand before a match */
	pcre2_match_context *context;
	pcre2_match_data *data;
	struct buffer valid; /* a text that was no UTF-8 */
	int *workspace;
	struct timespec looked; /* at the time, coarsely */
	double seconds;		/* of CPU time when first used; < 0: not yet */
};

static int fail(const struct pattern *p, int code, struct error *err, const char *why)
{
	return error_set(err, code, "pattern '%s': %s", p->name, why);
}

static int cannot_compile(const struct pattern *p, int number, struct error *err)
{
	PCRE2_UCHAR why[200] = "";

	if (number == PCRE2_ERROR_HEAP_FAILED)
		return error_set(err, ERR_NOMEM, "out of memory");
	pcre2_get_error_message(number, why, sizeof(why));
	return fail(p, number == PCRE2_ERROR_PATTERN_TOO_LARGE ? ERR_LIMIT : ERR_USAGE, err,
		    (char *)why);
}

static int compile(const struct pattern *p, const struct buffer *text, uint32_t options,
		   pcre2_code **code, struct error *err)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	PCRE2_SIZE where;
	int number;

	if (!context)
		return error_set(err, ERR_NOMEM, "out of memory");
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
	/* Translation has bounded what people nest and wraps some of it once more. */
	pcre2_set_parens_nest_limit(context, 2 * GOSYNTAX_NESTING + 50);
	*code = pcre2_compile(text->data, text->len,
			      PCRE2_UTF | PCRE2_DOTALL | PCRE2_ALT_CIRCUMFLEX |
				      PCRE2_NEVER_BACKSLASH_C | options,
			      &number, &where, context);
	pcre2_compile_context_free(context);
	return *code ? 0 : cannot_compile(p, number, err);
}

/* Not by machine code where the kernel or the library has none: the same, slower. */
static int prepare(struct pattern *p, const struct buffer *text, struct error *err)
{
	struct buffer whole = { 0 };
	int rc = compile(p, text, 0, &p->code, err);

	if (rc)
		return rc;
	if (buffer_addf(&whole, ".*?(?:%.*s)", (int)text->len, (const char *)text->data))
		rc = error_set(err, ERR_NOMEM, "out of memory");
	if (!rc)
		rc = compile(p, &whole, PCRE2_ANCHORED | PCRE2_NO_AUTO_POSSESS, &p->whole, err);
	buffer_release(&whole);
	if (rc)
		return rc;
	pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
	p->context = pcre2_match_context_create(NULL);
	p->data = pcre2_match_data_create(1, NULL);
	p->workspace = malloc(WORKSPACE * sizeof(*p->workspace));
	if (!p->context || !p->data || !p->workspace)
		return error_set(err, ERR_NOMEM, "out of memory");
	pcre2_set_match_limit(p->context, STEPS);
	pcre2_set_heap_limit(p->context, HEAP_KIB);
	return 0;
}

int pattern_new(struct pattern **pattern, const char *text, size_t len, struct error *err)
{
	struct pattern *p = calloc(1, sizeof(*p));
	struct buffer translated = { 0 };
	int rc;

	*pattern = NULL;
	if (!p)
		return error_set(err, ERR_NOMEM, "out of memory");
	p->seconds = -1;
	memcpy(p->name, text, len < sizeof(p->name) ? len : sizeof(p->name) - 1);
	for (size_t i = 0; i < sizeof(p->name) - 1 && i < len; i++)
		if (!p->name[i])
			p->name[i] = '?';
	printable(p->name, sizeof(p->name));
	rc = gosyntax_translate(text, len, &translated, err);
	if (rc)
		error_prefix(err, "pattern '%s'", p->name);
	else
		rc = prepare(p, &translated, err);
	buffer_release(&translated);
	if (rc) {
		pattern_free(p);
		return rc;
	}
	*pattern = p;
	return 0;
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	pcre2_code_free(p->code);
	pcre2_code_free(p->whole);
	pcre2_match_context_free(p->context);
	pcre2_match_data_free(p->data);
	buffer_release(&p->valid);
	free(p->workspace);
	free(p);
}

static double seconds_of_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The coarse clock costs nothing to look at; the other is looked at when that has moved. */
static bool out_of_time(struct pattern *p)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (p->seconds >= 0 && now.tv_sec == p->looked.tv_sec &&
	    now.tv_nsec / 100000000 == p->looked.tv_nsec / 100000000)
		return false;
	p->looked = now;
	if (p->seconds < 0)
		p->seconds = seconds_of_cpu();
	return seconds_of_cpu() - p->seconds > PATTERN_SECONDS;
}

/* U+FFFD for each byte that is no UTF-8. */
static int make_valid(struct pattern *p, const char **text, size_t *len)
{
	size_t size, i = 0;

	while (i < *len && utf8_next(*text + i, *len - i, &size) != UTF8_REPLACEMENT)
		i += size;
	if (i == *len)
		return 0;
	p->valid.len = 0;
	for (i = 0; i < *len; i += size) {
		bool wrong = utf8_next(*text + i, *len - i, &size) == UTF8_REPLACEMENT;

		if (buffer_add(&p->valid, wrong ? "\ufffd" : *text + i, wrong ? 3 : size))
			return ERR_NOMEM;
	}
	*text = (const char *)p->valid.data;
	*len = p->valid.len;
	return 0;
}

static int match_slowly(struct pattern *p, const char *text, size_t len)
{
	return pcre2_dfa_match(p->whole, (PCRE2_SPTR)text, len, 0,
			       PCRE2_NO_UTF_CHECK | PCRE2_DFA_SHORTEST, p->data, NULL,
			       p->workspace, WORKSPACE);
}

int pattern_match(struct pattern *p, const char *text, size_t len, struct error *err)
{
	int rc = PCRE2_ERROR_MATCHLIMIT;

	if (len > PATTERN_TEXT_MAX)
		return fail(p, ERR_LIMIT, err, "a name of more than a mebibyte");
	if (out_of_time(p))
		return fail(p, ERR_LIMIT, err, "takes too long to match");
	if (make_valid(p, &text, &len))
		return error_set(err, ERR_NOMEM, "out of memory");
	if (len <= SHORT_TEXT)
		rc = pcre2_match(p->code, (PCRE2_SPTR)text, len, 0, PCRE2_NO_UTF_CHECK, p->data,
				 p->context);
	if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_HEAPLIMIT ||
	    rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = match_slowly(p, text, len);
	if (rc >= 0 || rc == PCRE2_ERROR_NOMATCH)
		return rc >= 0;
	if (rc == PCRE2_ERROR_NOMEMORY)
		return error_set(err, ERR_NOMEM, "out of memory");
	return fail(p, ERR_LIMIT, err, "too much to try at once");
}
