/*
 * Differences from the reference, dd-trace-go's goroutineDebug2ToPprof:
 *
 * - Elided frames are marked where they are missing. The reference puts the mark behind the
 *   creating frame, as if an elided frame had called that frame.
 * - A goroutine without a known frame gets a frame that says so. A sample without locations is
 *   valid, but pprof's graph and flame graph do not show it.
 * - All goroutines share locations; the reference makes new ones for each frame.
 * - The mapping says that not only functions but also file names and line numbers are there: pprof
 *   tries to symbolize a mapping that lacks one of them (internal/symbolizer, doLocalSymbolize).
 *
 * As in the reference, functions have no system name (there is none) and no period is set: a dump
 * is taken once, so there is no rate.
 *
 * Labels are in the order in which google/pprof writes them (pprof/labels.h), so that no sample
 * changes when google/pprof reads and writes the profile.
 */
#include "goparse/profile/waitprofile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/room.h"
#include "goparse/profile/framemap.h"
#include "goparse/text.h"
#include "pprof/labels.h"
#include "pprof/profile.h"

enum word {
	BUBBLE,
	DUMP,
	DURABLE,
	FALSE,
	GOID,
	GROUP,
	ID,
	LEAKED,
	LOCKEDM,
	PARENT,
	STATE,
	SYNCTEST,
	TRUE,
	WAIT_FROM,
	WORDS
};

static const char *const words[WORDS] = {
	[BUBBLE] = "bubble", [DUMP] = "dump",		[DURABLE] = "durable",
	[FALSE] = "false",   [GOID] = "goid",		[GROUP] = "group",
	[ID] = "id",	     [LEAKED] = "leaked",	[LOCKEDM] = "lockedm",
	[PARENT] = "parent", [STATE] = "state",		[SYNCTEST] = "synctest",
	[TRUE] = "true",     [WAIT_FROM] = "wait_from",
};

struct waitprofile {
	struct waitprofile_options options;
	struct profile profile;
	struct framemap frames;
	uint32_t words[WORDS]; /* by enum word: string in the profile; 0: not added yet */
	uint32_t *stack;       /* of the current goroutine: locations, innermost first */
	size_t depth, stack_room;
	struct profile_label *labels; /* of the current goroutine */
	size_t label_count, label_room;
	struct hashindex samples; /* by stack and labels; used if they are aggregated */
};

/* Frames that stand for missing frames. */
#define VIRTUAL(name) \
	{ \
		.function = { LITERAL(name) } \
	}
static const struct goparse_frame elided = VIRTUAL("...additional frames elided...");
static const struct goparse_frame unavailable = VIRTUAL("[stack unavailable]");
static const struct goparse_frame no_stack = VIRTUAL("[no stack]");

static int init_profile(struct waitprofile *w)
{
	struct profile_mapping mapping = { .has_functions = true,
					   .has_filenames = true,
					   .has_line_numbers = true };
	struct profile *p = &w->profile;
	uint32_t id;

	if (profile_init(p) || profile_add_type(p, "waitduration", "nanoseconds") ||
	    (w->options.aggregate && profile_add_type(p, "goroutines", "count")) ||
	    profile_add_mapping(p, &mapping, &id) ||
	    (!w->options.exact &&
	     (profile_add_comment(p, "sampler " SAMPLER_VERSION) ||
	      profile_add_comment(p, "waits are whole minutes, Go prints no less: "
				     "one below a minute is 0"))))
		return ERR_NOMEM;
	p->default_type = p->types[0].type;
	p->time_nanos = w->options.time_nanos;
	framemap_init(&w->frames, p, id);
	return 0;
}

int waitprofile_new(struct waitprofile **out, const struct waitprofile_options *options,
		    struct error *err)
{
	struct waitprofile *w = calloc(1, sizeof(*w));

	if (w) {
		w->options = *options;
		if (!init_profile(w)) {
			*out = w;
			return 0;
		}
	}
	waitprofile_free(w);
	return error_nomem(err);
}

void waitprofile_free(struct waitprofile *w)
{
	if (!w)
		return;
	framemap_release(&w->frames);
	hashindex_release(&w->samples);
	profile_release(&w->profile);
	free(w->stack);
	free(w->labels);
	free(w);
}

static int waitprofile_push_frame(struct waitprofile *w, const struct goparse_frame *f)
{
	if (room_for((void **)&w->stack, &w->stack_room, w->depth + 1, sizeof(*w->stack)))
		return ERR_NOMEM;
	return framemap_find(&w->frames, f, &w->stack[w->depth++]);
}

static int waitprofile_push_frames(struct waitprofile *w, const struct goparse_stack *s,
				   size_t first)
{
	int rc = 0;

	for (size_t i = first; i <= s->count && !rc; i++) {
		if (s->elided && i == s->elided_at)
			rc = waitprofile_push_frame(w, &elided);
		if (!rc && i < s->count)
			rc = waitprofile_push_frame(w, &s->frames[i]);
	}
	return rc;
}

static int push_creator(struct waitprofile *w, const struct goparse_stack *s)
{
	return s->created_by.function.len ? waitprofile_push_frame(w, &s->created_by) : 0;
}

/* True if `a`, an ancestor's innermost frame, is the go statement `b` once more. Their lines can
 * differ, because printAncestorTracebackFuncInfo (runtime/traceback.go) uses the line of the return
 * address; the offsets are printed correctly. */
static bool same_call(const struct goparse_frame *a, const struct goparse_frame *b)
{
	return framemap_same_function(a, b) && a->pc_offset == b->pc_offset &&
	       (a->pc_offset || a->line == b->line);
}

/* True if a goroutine was cut within its own stack, and not only within its ancestors. */
static bool is_cut_itself(const struct goparse_goroutine *g)
{
	return g->cut && (g->stack.count == GOPARSE_FRAMES_MAX ||
			  (!g->stack.created_by.function.len && !g->ancestor_count));
}

static int push_ancestors(struct waitprofile *w, const struct goparse_goroutine *g)
{
	const struct goparse_frame *creator = &g->stack.created_by;
	int rc = 0;

	for (size_t i = 0; i < g->ancestor_count && !rc; i++) {
		const struct goparse_stack *s = &g->ancestors[i];
		bool again = s->count && same_call(&s->frames[0], creator);

		rc = waitprofile_push_frames(w, s, again);
		if (!rc)
			rc = push_creator(w, s);
		creator = &s->created_by;
	}
	return rc || !g->cut || is_cut_itself(g) ? rc : waitprofile_push_frame(w, &elided);
}

static int waitprofile_make_stack(struct waitprofile *w, const struct goparse_goroutine *g)
{
	const struct goparse_stack *s = &g->stack;
	int rc = 0;

	w->depth = 0;
	if (s->unavailable)
		rc = waitprofile_push_frame(w, &unavailable);
	if (!rc)
		rc = waitprofile_push_frames(w, s, 0);
	if (!rc && is_cut_itself(g))
		rc = waitprofile_push_frame(w, &elided);
	if (!rc && !w->depth)
		rc = waitprofile_push_frame(w, &no_stack);
	if (!rc)
		rc = push_creator(w, s);
	return rc || !w->options.ancestors ? rc : push_ancestors(w, g);
}

static int waitprofile_word(struct waitprofile *w, enum word which, uint32_t *string)
{
	int rc = w->words[which] ? 0 : profile_string(&w->profile, words[which], &w->words[which]);

	*string = w->words[which];
	return rc;
}

static int push_label(struct waitprofile *w, struct profile_label label)
{
	if (room_for((void **)&w->labels, &w->label_room, w->label_count + 1, sizeof(label)))
		return ERR_NOMEM;
	w->labels[w->label_count++] = label;
	return 0;
}

/* A label with the value "" cannot be written in profile.proto; it is left out. */
static int push_string(struct waitprofile *w, enum word key, const char *text, size_t len)
{
	struct profile_label label = { 0 };

	if (!len)
		return 0;
	if (waitprofile_word(w, key, &label.key) ||
	    profile_text(&w->profile, text, len, &label.str))
		return ERR_NOMEM;
	return push_label(w, label);
}

static int push_bool(struct waitprofile *w, enum word key, bool value)
{
	struct profile_label label = { 0 };

	if (waitprofile_word(w, key, &label.key) ||
	    waitprofile_word(w, value ? TRUE : FALSE, &label.str))
		return ERR_NOMEM;
	return push_label(w, label);
}

static int push_flag(struct waitprofile *w, enum word key, bool set)
{
	return set ? push_bool(w, key, true) : 0;
}

static int push_number(struct waitprofile *w, enum word key, uint64_t value)
{
	struct profile_label label = { .num = (int64_t)value };

	if (!value)
		return 0;
	return waitprofile_word(w, key, &label.key) ? ERR_NOMEM : push_label(w, label);
}

static int push_id(struct waitprofile *w, enum word key, uint64_t id)
{
	struct profile_label label = { .num = (int64_t)id };

	if (w->options.aggregate)
		return 0;
	if (waitprofile_word(w, key, &label.key) || waitprofile_word(w, ID, &label.num_unit))
		return ERR_NOMEM;
	return push_label(w, label);
}

/* GOPARSE_SCAN gets no label, because it is true only for a moment. */
static int push_known(struct waitprofile *w, const struct goparse_goroutine *g, const char *dump)
{
	if (push_string(w, DUMP, dump, dump ? strlen(dump) : 0) ||
	    push_flag(w, DURABLE, g->flags & GOPARSE_DURABLE) ||
	    push_flag(w, LEAKED, g->flags & GOPARSE_LEAKED) || push_bool(w, LOCKEDM, g->locked) ||
	    push_string(w, STATE, g->state.at, g->state.len) ||
	    push_flag(w, SYNCTEST, g->flags & GOPARSE_SYNCTEST) ||
	    push_string(w, WAIT_FROM, g->wait_from.at, g->wait_from.len) ||
	    push_number(w, BUBBLE, g->bubble) || push_id(w, GOID, g->stack.id) ||
	    push_number(w, GROUP, g->group) ||
	    (w->options.exact && g->stack.created_in && push_id(w, PARENT, g->stack.created_in)))
		return ERR_NOMEM;
	return 0;
}

/* Adds the program's own labels, as runtime/pprof writes them. */
static int push_own(struct waitprofile *w, const struct goparse_goroutine *g)
{
	struct strset *strings = &w->profile.strings;

	for (size_t i = 0; i < g->label_count; i++) {
		struct goparse_text key = g->labels[i].key, value = g->labels[i].value;
		struct profile_label label = { 0 };

		if (!value.len)
			continue;
		if (profile_text(&w->profile, key.at, key.len, &label.key) ||
		    profile_text(&w->profile, value.at, value.len, &label.str) ||
		    push_label(w, label))
			return ERR_NOMEM;
	}
	return g->label_count ? labels_sort(strings, w->labels, w->label_count) : 0;
}

static int waitprofile_add_sample(struct waitprofile *w, int64_t wait)
{
	const int64_t values[] = { wait, 1 };

	return profile_add_sample(&w->profile, w->stack, w->depth, values, w->labels,
				  w->label_count);
}

static int add_to_sample(struct waitprofile *w, int64_t wait)
{
	struct sample_key key = { w->stack, w->labels, w->depth, w->label_count };
	uint64_t hash = sample_key_hash(&key);
	uint32_t sample = hashindex_find(&w->samples, hash, sample_has_key, &w->profile, &key);
	int64_t *values;

	if (sample == HASHINDEX_NONE)
		return w->profile.sample_count >= HASHINDEX_NONE - 1 ||
				       waitprofile_add_sample(w, wait) ?
			       ERR_NOMEM :
			       hashindex_add(&w->samples, hash,
					     (uint32_t)w->profile.sample_count - 1);
	values = w->profile.values + w->profile.samples[sample].first_value;
	if (__builtin_add_overflow(values[0], wait, &values[0]))
		values[0] = INT64_MAX;
	values[1]++;
	return 0;
}

int waitprofile_add(struct waitprofile *w, const struct goparse_goroutine *g, const char *dump,
		    struct error *err)
{
	int64_t wait = g->wait_ns < INT64_MAX ? (int64_t)g->wait_ns : INT64_MAX;

	w->label_count = 0;
	if (waitprofile_make_stack(w, g) || push_known(w, g, dump) || push_own(w, g) ||
	    (w->options.aggregate ? add_to_sample(w, wait) : waitprofile_add_sample(w, wait)))
		return error_nomem(err);
	return 0;
}

static int waitprofile_add_comment(struct waitprofile *w, const struct buffer *text)
{
	uint32_t string;

	if (profile_text(&w->profile, (const char *)text->data, text->len, &string))
		return ERR_NOMEM;
	return profile_add_comment_id(&w->profile, string);
}

static int begin_comment(struct buffer *text, const char *dump)
{
	text->len = 0;
	return dump ? buffer_addf(text, "error: %s: ", dump) : buffer_addf(text, "error: ");
}

static int add_errors(struct waitprofile *w, const struct goparse_stats *stats, const char *dump,
		      struct buffer *text)
{
	uint64_t kept = stats->error_count < GOPARSE_ERRORS_KEPT ? stats->error_count :
								   GOPARSE_ERRORS_KEPT;

	for (uint64_t i = 0; i < kept; i++) {
		const struct goparse_error *e = &stats->errors[i];

		if (begin_comment(text, dump) ||
		    buffer_addf(text, "line %" PRIu64 ": expected %s: \"%s\"", e->line, e->expected,
				e->text) ||
		    waitprofile_add_comment(w, text))
			return ERR_NOMEM;
	}
	if (kept == stats->error_count)
		return 0;
	if (begin_comment(text, dump) ||
	    buffer_addf(text, "%" PRIu64 " more", stats->error_count - kept) ||
	    waitprofile_add_comment(w, text))
		return ERR_NOMEM;
	return 0;
}

int waitprofile_add_errors(struct waitprofile *w, const struct goparse_stats *stats,
			   const char *dump, struct error *err)
{
	struct buffer text = { 0 };
	int rc = add_errors(w, stats, dump, &text);

	buffer_release(&text);
	return rc ? error_nomem(err) : 0;
}

struct profile *waitprofile_profile(struct waitprofile *w)
{
	return &w->profile;
}
