/* The 110,880 permutations of gostackparse's property test, made from its lists of lines: valid and
 * broken headers, calls, places and creators, with one or two frames. gostackparse drops each
 * goroutine that has a broken line. Here the expected result follows from the pieces alone;
 * tests/oracle/goparse.test compares with gostackparse itself. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "goparse/goparse.h"

enum { DEPTH = 2, LEN = 512 };

static const struct header {
	const char *text, *state;
	uint64_t id, minutes;
	bool locked, empty_behind;
} headers[] = {
	{ "goroutine 1 [chan receive]:", "chan receive", 1, 0, false, false },
	{ "goroutine 2 [IO Wait, locked to thread]:", "IO Wait", 2, 0, true, false },
	{ "goroutine 23 [select, 5 minutes]:", "select", 23, 5, false, false },
	{ "goroutine 42 [select, 5 minutes, locked to thread]:", "select", 42, 5, true, false },
	{ "goroutine 23 []:", NULL, 0, 0, false, false },
	{ "goroutine ", NULL, 0, 0, false, false },
	{ "goroutine 1 [chan receive]:\n", "chan receive", 1, 0, false, true },
};

static const struct call {
	const char *text, *function; /* NULL: broken */
} calls[] = {
	{ "main.main()", "main.main" },
	{ "runtime.goparkunlock(...)", "runtime.goparkunlock" },
	{ "net/http.(*persistConn).writeLoop(0xc0001a5c20)", "net/http.(*persistConn).writeLoop" },
	{ "foo.bar", NULL },
	{ "foo.bar(", NULL },
	{ "net/http.(*persistConn).writeLoop(0xc0", NULL },
	{ "net/http.(*persist", NULL },
	{ "net/http.*persist)(", NULL },
	{ "net/http.(*persist))", NULL },
	{ "net/http.((*persist)", NULL },
	{ "()", NULL },
};

static const struct place {
	const char *text, *file; /* NULL: broken */
	uint64_t line, offset;
} places[] = {
	{ "\t/go/src/example.org/example/main.go:231 +0x1187",
	  "/go/src/example.org/example/main.go", 231, 0x1187 },
	{ "\t/root/go1.15.6.linux.amd64/src/runtime/proc.go:312",
	  "/root/go1.15.6.linux.amd64/src/runtime/proc.go", 312, 0 },
	{ "/root/go1.15.6.linux.amd64/src/runtime/proc.go:312", /* as logs drop the tab */
	  "/root/go1.15.6.linux.amd64/src/runtime/proc.go", 312, 0 },
	{ "", NULL, 0, 0 },
};

static const char *const creators[] = {
	"net/http.(*Server).Serve",
	"github.com/example.org/example/k8s.io/klog.init.0",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct permutation {
	const struct header *header;
	size_t depth;
	const struct call *calls[DEPTH];
	const struct place *places[DEPTH], *creator_place;
	const char *creator;
};

/* Makes the permutation n, whose digits choose a header, a creator with its place, and for each
 * frame a call and a place. False if n is too large. */
static bool make(size_t n, size_t depth, struct permutation *p)
{
	*p = (struct permutation){ .header = &headers[n % COUNT(headers)], .depth = depth };
	n /= COUNT(headers);
	p->creator = creators[n % COUNT(creators)];
	n /= COUNT(creators);
	p->creator_place = &places[n % COUNT(places)];
	n /= COUNT(places);
	for (size_t i = 0; i < depth; i++) {
		p->calls[i] = &calls[n % COUNT(calls)];
		n /= COUNT(calls);
		p->places[i] = &places[n % COUNT(places)];
		n /= COUNT(places);
	}
	return !n;
}

static size_t print(const struct permutation *p, char text[LEN])
{
	int len = snprintf(text, LEN, "%s\n", p->header->text);

	for (size_t i = 0; i < p->depth; i++)
		len += snprintf(text + len, LEN - (size_t)len, "%s\n%s\n", p->calls[i]->text,
				p->places[i]->text);
	len += snprintf(text + len, LEN - (size_t)len, "created by %s\n%s\n", p->creator,
			p->creator_place->text);
	cr_assert(len < LEN);
	return (size_t)len;
}

/* What the parser must make of a permutation. */
struct left {
	bool goroutine, created, errors;
	bool text_behind;	     /* lines after its end, which belong to no goroutine */
	size_t count, frames[DEPTH]; /* which of its frames */
};

static bool whole(const struct permutation *p, size_t i)
{
	if (i == p->depth)
		return p->creator_place->file;
	return p->calls[i]->function && p->places[i]->file;
}

/* True if the stack continues with piece i after an empty line: only if that piece is valid, and
 * not after main.main, which is an outermost frame. */
static bool goes_on(const struct permutation *p, size_t i, const struct left *left)
{
	size_t last = left->count ? left->frames[left->count - 1] : 0;

	return whole(p, i) && !(left->count && !strcmp(p->calls[last]->function, "main.main"));
}

static struct left expected(const struct permutation *p)
{
	struct left left = { .goroutine = p->header->state };
	bool empty = p->header->empty_behind;

	left.errors = !left.goroutine;
	if (!left.goroutine)
		return left;
	for (size_t i = 0; i < p->depth; i++) {
		if (empty && !goes_on(p, i, &left)) {
			left.text_behind = true;
			return left;
		}
		if (whole(p, i))
			left.frames[left.count++] = i;
		left.errors |= empty || !whole(p, i);
		empty = !*p->places[i]->text;
	}
	left.created = !empty || goes_on(p, p->depth, &left);
	left.errors |= empty || !whole(p, p->depth);
	return left;
}

/* What the parser gave, in a copy of its own. */
struct given {
	size_t goroutines;
	uint64_t errors;
	struct goparse_goroutine g;
	struct goparse_frame frames[DEPTH + 1];
};

static int keep(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	struct given *given = ctx;

	(void)err;
	given->goroutines++;
	given->g = *g;
	cr_assert_leq(g->stack.count, DEPTH);
	memcpy(given->frames, g->stack.frames, g->stack.count * sizeof(*given->frames));
	return 0;
}

static bool is(struct goparse_text text, const char *wanted)
{
	return text.len == strlen(wanted) && (!text.len || !memcmp(text.at, wanted, text.len));
}

static bool same_frame(const struct goparse_frame *frame, const char *function,
		       const struct place *place)
{
	return is(frame->function, function) && is(frame->file, place->file ? place->file : "") &&
	       frame->line == place->line && frame->pc_offset == place->offset && !frame->pc;
}

static bool same_header(const struct goparse_goroutine *g, const struct header *h)
{
	return g->stack.id == h->id && is(g->state, h->state) && g->locked == h->locked &&
	       g->wait_ns == h->minutes * 60000000000 && !g->flags && !g->has_gp && !g->has_m &&
	       !g->label_count && !g->ancestor_count && !g->bubble && !g->group && !g->cut &&
	       !g->stack.elided && !g->stack.unavailable;
}

static bool same(const struct permutation *p, const struct left *left, const struct given *given)
{
	const struct goparse_stack *stack = &given->g.stack;

	if (given->goroutines != left->goroutine || !given->errors == left->errors)
		return false;
	if (!left->goroutine)
		return true;
	if (!same_header(&given->g, p->header) || stack->count != left->count)
		return false;
	for (size_t i = 0; i < left->count; i++)
		if (!same_frame(&given->frames[i], p->calls[left->frames[i]]->function,
				p->places[left->frames[i]]))
			return false;
	if (left->created)
		return same_frame(&stack->created_by, p->creator, p->creator_place);
	return !stack->created_by.function.len;
}

Test(permutations, each_by_itself)
{
	size_t all = 0, whole_ones = 0;
	struct goparse *parser;
	struct permutation p;
	struct error err;
	char text[LEN];

	cr_assert(!goparse_new(&parser, &err));
	for (size_t depth = 1; depth <= DEPTH; depth++)
		for (size_t n = 0; make(n, depth, &p); n++) {
			struct given given = { 0 };
			struct left left = expected(&p);
			size_t len = print(&p, text);

			cr_assert(!goparse_memory(parser, text, len, keep, &given, &err));
			given.errors = goparse_stats(parser)->error_count;
			cr_expect(same(&p, &left, &given),
				  "%zu goroutines, %zu errors, %zu frames:\n%s", given.goroutines,
				  (size_t)given.errors, given.g.stack.count, text);
			whole_ones += left.goroutine && !left.errors && !left.text_behind;
			all++;
		}
	cr_assert_eq(all, 110880);
	cr_assert_eq(whole_ones, 4 * 2 * 3 * (9 + 81));
	goparse_free(parser);
}

/* All permutations in one text, with a line of other text before each. */
struct all {
	char *text; /* owned */
	size_t len, read, count;
	uint64_t lines, *at; /* owned; each permutation's first line */
	uint64_t errors;
	struct goparse *parser;
	size_t next, good;
};

static void nth(size_t i, struct permutation *p)
{
	size_t shallow = COUNT(headers) * COUNT(creators) * COUNT(places) * COUNT(calls) *
			 COUNT(places);

	cr_assert(i < shallow ? make(i, 1, p) : make(i - shallow, 2, p));
}

static void print_all(struct all *all, size_t count)
{
	struct permutation p;
	char text[LEN + 32];

	all->text = malloc(count * sizeof(text));
	all->at = malloc(count * sizeof(*all->at));
	cr_assert(all->text && all->at);
	for (; all->count < count; all->count++) {
		size_t len = (size_t)sprintf(text, "\n= %zu =\n", all->count);
		struct given given = { 0 };
		struct error err;

		nth(all->count, &p);
		all->at[all->count] = all->lines + 3;
		len += print(&p, text + len);
		for (size_t i = 0; i < len; i++)
			all->lines += text[i] == '\n';
		memcpy(all->text + all->len, text, len);
		all->len += len;
		cr_assert(!goparse_memory(all->parser, text, len, keep, &given, &err));
		all->errors += goparse_stats(all->parser)->error_count;
	}
}

/* Reads pieces of 1 to 65521 bytes. */
static int read_some(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	struct all *all = ctx;
	size_t some = 1 + all->read * 7919 % 65521;

	(void)err;
	if (some > len)
		some = len;
	if (some > all->len - all->read)
		some = all->len - all->read;
	memcpy(buf, all->text + all->read, some);
	all->read += some;
	*got = some;
	return 0;
}

static int next_one(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	struct all *all = ctx;
	struct given given = { 0 };
	struct permutation p;
	struct left left;

	do {
		cr_assert_lt(all->next, all->count);
		nth(all->next, &p);
		left = expected(&p);
	} while (all->next++, !left.goroutine);
	keep(&given, g, err);
	given.errors = left.errors;
	cr_assert(g->line == all->at[all->next - 1] && same(&p, &left, &given), "%zu, line %zu",
		  all->next - 1, (size_t)g->line);
	all->good++;
	return 0;
}

Test(permutations, all_in_one_input)
{
	struct all all = { 0 };
	struct error err;

	cr_assert(!goparse_new(&all.parser, &err));
	print_all(&all, 110880);
	cr_assert(!goparse_stream(all.parser, read_some, &all, next_one, &all, &err));
	cr_assert_eq(all.good, 110880 / COUNT(headers) * 5);
	cr_assert_eq(goparse_stats(all.parser)->goroutines, all.good);
	cr_assert_eq(goparse_stats(all.parser)->error_count, all.errors);
	cr_assert_eq(goparse_stats(all.parser)->lines, all.lines);
	goparse_free(all.parser);
	free(all.text);
	free(all.at);
}
