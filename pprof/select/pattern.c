/* gosyntax.c translates the pattern once for each of PCRE2's two matchers. Texts that are not UTF-8
 * are made valid first, and CPU time is looked at between matches. */
#include "pprof/select/pattern.h"

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
#include "pprof/select/gosyntax.h"

/* pcre2_match counts steps anew for each place of the text at which a match could begin, so texts
 * of SHORT_TEXT bytes cost at most a few milliseconds. pcre2_dfa_match keeps possibilities in
 * two lists, in a workspace of WORKSPACE ints; each possibility takes three ints. */
enum { SHORT_TEXT = 2048, STEPS = 1000, HEAP_KIB = 4096, WORKSPACE = 4096 };

/* What matching writes to. */
struct scratch {
	struct buffer valid;	/* a text that was not UTF-8, made valid */
	struct timespec looked; /* coarse time when CPU time was last read */
	double seconds;		/* CPU time at the first match; < 0: none yet */
	int workspace[WORKSPACE];
};

struct pattern {
	char name[64]; /* for messages */
	pcre2_code *code;
	pcre2_code *whole; /* for pcre2_dfa_match: also matches the text before a match */
	pcre2_match_context *context;
	pcre2_match_data *data;
	struct scratch *scratch;
};

static int pattern_fail(const struct pattern *p, int code, struct error *err, const char *why)
{
	return error_set(err, code, "pattern '%s': %s", p->name, why);
}

static int cannot_compile(const struct pattern *p, int number, struct error *err)
{
	PCRE2_UCHAR why[200] = "";

	if (number == PCRE2_ERROR_HEAP_FAILED)
		return error_nomem(err);
	pcre2_get_error_message(number, why, sizeof(why));
	return pattern_fail(p, number == PCRE2_ERROR_PATTERN_TOO_LARGE ? ERR_LIMIT : ERR_USAGE, err,
			    (char *)why);
}

static int pattern_compile(const struct pattern *p, const struct buffer *text, uint32_t options,
			   pcre2_code **code, struct error *err)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	PCRE2_SIZE where;
	int number;

	if (!context)
		return error_nomem(err);
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
	/* gosyntax.c bounds the nesting of the user's groups and puts some into another group. */
	pcre2_set_parens_nest_limit(context, 2 * GOSYNTAX_NESTING + 50);
	*code = pcre2_compile(text->len ? text->data : (const uint8_t *)"", text->len,
			      PCRE2_UTF | PCRE2_DOTALL | PCRE2_ALT_CIRCUMFLEX |
				      PCRE2_NEVER_BACKSLASH_C | options,
			      &number, &where, context);
	pcre2_compile_context_free(context);
	return *code ? 0 : cannot_compile(p, number, err);
}

static int read_pattern(struct pattern *p, const char *text, size_t len, enum gosyntax_for matcher,
			struct error *err)
{
	bool all = matcher == GOSYNTAX_ALL_AT_ONCE;
	struct buffer out = { 0 };
	int rc = 0;

	if (all && buffer_addf(&out, ".*?(?:"))
		rc = error_nomem(err);
	if (!rc && (rc = gosyntax_translate(text, len, matcher, &out, err)))
		error_prefix(err, "pattern '%s'", p->name);
	if (!rc && all && buffer_add(&out, ")", 1))
		rc = error_nomem(err);
	if (!rc)
		rc = pattern_compile(p, &out, all ? PCRE2_ANCHORED | PCRE2_NO_AUTO_POSSESS : 0,
				     all ? &p->whole : &p->code, err);
	buffer_release(&out);
	return rc;
}

/* Where the kernel or the library allows no machine code, matching is the same but slower. */
static int pattern_prepare(struct pattern *p, struct error *err)
{
	pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
	p->context = pcre2_match_context_create(NULL);
	p->data = pcre2_match_data_create(1, NULL);
	p->scratch = calloc(1, sizeof(*p->scratch));
	if (!p->context || !p->data || !p->scratch)
		return error_nomem(err);
	p->scratch->seconds = -1;
	pcre2_set_match_limit(p->context, STEPS);
	pcre2_set_heap_limit(p->context, HEAP_KIB);
	return 0;
}

static void pattern_set_name(struct pattern *p, const char *text, size_t len)
{
	len = len < sizeof(p->name) ? len : sizeof(p->name) - 1;
	for (size_t i = 0; i < len; i++)
		p->name[i] = text[i] ? text[i] : '?';
	printable(p->name, sizeof(p->name));
}

int pattern_new(struct pattern **pattern, const char *text, size_t len, struct error *err)
{
	struct pattern *p = calloc(1, sizeof(*p));
	int rc;

	*pattern = NULL;
	if (!p)
		return error_nomem(err);
	pattern_set_name(p, text, len);
	rc = read_pattern(p, text, len, GOSYNTAX_ONE_BY_ONE, err);
	if (!rc)
		rc = read_pattern(p, text, len, GOSYNTAX_ALL_AT_ONCE, err);
	if (!rc)
		rc = pattern_prepare(p, err);
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
	if (p->scratch)
		buffer_release(&p->scratch->valid);
	free(p->scratch);
	free(p);
}

static double seconds_of_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Reading the coarse clock is cheap; by this clock, CPU time is read at most ten times a second. */
static bool out_of_time(struct scratch *s)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (s->seconds >= 0 && now.tv_sec == s->looked.tv_sec &&
	    now.tv_nsec / 100000000 == s->looked.tv_nsec / 100000000)
		return false;
	s->looked = now;
	if (s->seconds < 0)
		s->seconds = seconds_of_cpu();
	return seconds_of_cpu() - s->seconds > PATTERN_SECONDS;
}

/* Replaces each byte that is not UTF-8 by U+FFFD. *text and *len change only if there is one. */
static int make_valid(struct buffer *valid, const char **text, size_t *len)
{
	if (utf8_valid(*text, *len) == *len)
		return 0;
	valid->len = 0;
	if (buffer_add_utf8(valid, *text, *len))
		return ERR_NOMEM;
	*text = (const char *)valid->data;
	*len = valid->len;
	return 0;
}

static int match_slowly(const struct pattern *p, const char *text, size_t len)
{
	return pcre2_dfa_match(p->whole, (PCRE2_SPTR)text, len, 0,
			       PCRE2_NO_UTF_CHECK | PCRE2_DFA_SHORTEST, p->data, NULL,
			       p->scratch->workspace, WORKSPACE);
}

int pattern_match(const struct pattern *p, const char *text, size_t len, struct error *err)
{
	int rc = PCRE2_ERROR_MATCHLIMIT;

	if (len > PATTERN_TEXT_MAX)
		return pattern_fail(p, ERR_LIMIT, err, "a name of more than a mebibyte");
	if (out_of_time(p->scratch))
		return pattern_fail(p, ERR_LIMIT, err, "takes too long to match");
	if (make_valid(&p->scratch->valid, &text, &len))
		return error_nomem(err);
	if (len <= SHORT_TEXT)
		rc = pcre2_match(p->code, (PCRE2_SPTR)text, len, 0, PCRE2_NO_UTF_CHECK, p->data,
				 p->context);
	if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_HEAPLIMIT ||
	    rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = match_slowly(p, text, len);
	if (rc >= 0 || rc == PCRE2_ERROR_NOMATCH)
		return rc >= 0;
	if (rc == PCRE2_ERROR_NOMEMORY)
		return error_nomem(err);
	return pattern_fail(p, ERR_LIMIT, err, "too much to try at once");
}
