/* Counting, ranking, and the limits of the number of rows. */
#include "goparse/summary/census.h"

#include "base/error.h"
#include "tests/unit/goparse/goroutines.h"

#define MINUTE 60000000000

static void add(struct census *c, uint64_t id, const char *state, uint64_t minutes,
		const char *frames, const char *creator)
{
	struct made_stack m;
	struct goparse_goroutine g = { .stack = make_stack(&m, frames, creator),
				       .state = text_of(state),
				       .wait_ns = minutes * MINUTE };
	struct error err;

	g.stack.id = id;
	cr_assert_eq(census_add(c, &g, &err), 0);
	memset(&m, 'x', sizeof(m)); /* the census must not point into it */
}

static struct census *new_census(void)
{
	struct census *c;

	cr_assert_eq(census_new(&c, NULL), 0);
	return c;
}

static struct census_list rank(const struct census *c, enum census_kind kind,
			       enum census_order order)
{
	struct census_list l;

	cr_assert_eq(census_rank(c, kind, order, &l, NULL), 0);
	return l;
}

static void assert_text(struct goparse_text t, const char *expected)
{
	cr_assert(t.len == strlen(expected) && !memcmp(t.at, expected, t.len), "%.*s, not %s",
		  (int)t.len, t.at, expected);
}

Test(census, states_by_count_then_by_wait_then_as_they_came)
{
	struct census *c = new_census();
	struct census_list l;

	add(c, 1, "select", 0, "main.f", NULL);
	add(c, 2, "IO wait", 0, "main.f", NULL);
	add(c, 3, "sleep", 2, "main.f", NULL);
	add(c, 4, "chan receive", 0, "main.f", NULL);
	add(c, 5, "chan receive", 1, "main.g", NULL);
	l = rank(c, CENSUS_STATES, CENSUS_BY_COUNT);
	cr_assert_eq(l.count, 4);
	cr_assert_eq(l.beyond, 0);
	assert_text(l.rows[0]->state, "chan receive");
	cr_assert_eq(l.rows[0]->count, 2);
	assert_text(l.rows[1]->state, "sleep");
	assert_text(l.rows[2]->state, "select");
	assert_text(l.rows[3]->state, "IO wait");
	cr_assert_eq(census_total(c)->count, 5);
	free(l.rows);
	census_free(c);
}

Test(census, spans_and_the_longest)
{
	static const uint64_t minutes[] = { 0, 1, 9, 10, 59, 60, 600, 600 };
	struct census *c = new_census();
	const struct census_row *all = census_total(c);

	for (size_t i = 0; i < sizeof(minutes) / sizeof(*minutes); i++)
		add(c, 100 + i, "select", minutes[i], "main.f", NULL);
	cr_assert_eq(all->spans[CENSUS_LESS], 1);
	cr_assert_eq(all->spans[CENSUS_MINUTES], 2);
	cr_assert_eq(all->spans[CENSUS_TENS], 2);
	cr_assert_eq(all->spans[CENSUS_HOURS], 3);
	cr_assert_eq(all->longest_ns, 600 * MINUTE);
	cr_assert_eq(all->stack.id, 106, "the first of the longest");
	cr_assert_eq(all->as_long, 2);
	census_free(c);
}

/* One row if and only if state, frames, creator and elision are the same. */
Test(census, what_makes_a_stack)
{
	static const struct {
		const char *state, *frames, *creator;
		size_t rows;
	} steps[] = {
		{ "select", "main.f main.g", "main.main", 1 },
		{ "select", "main.f main.g", "main.main", 1 },
		{ "sleep", "main.f main.g", "main.main", 2 },
		{ "select", "main.f main.g:2", "main.main", 3 },
		{ "select", "main.f main.g", "main.main:9", 4 },
		{ "select", "main.f main.g", NULL, 5 },
		{ "select", "main.f", "main.main", 6 },
		{ "select", "main.f ... main.g", "main.main", 7 },
		{ "select", "main.f main.g ...", "main.main", 8 },
		{ "select", "", NULL, 9 },
		{ "select", "main.f ... main.g", "main.main", 9 },
	};
	struct census *c = new_census();
	struct census_list l;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		add(c, i, steps[i].state, 0, steps[i].frames, steps[i].creator);
		l = rank(c, CENSUS_STACKS, CENSUS_BY_COUNT);
		cr_assert_eq(l.count, steps[i].rows, "step %zu", i);
		free(l.rows);
	}
	census_free(c);
}

Test(census, a_stack_comes_back_as_it_was)
{
	struct census *c = new_census();
	struct census_list l;
	const struct goparse_stack *s;

	add(c, 7, "select", 3, "main.f:12 ... main.g", "main.start:5");
	l = rank(c, CENSUS_STACKS, CENSUS_BY_WAIT);
	s = &l.rows[0]->stack;
	cr_assert(s->id == 7 && s->count == 2 && s->elided && s->elided_at == 1 && !s->unavailable);
	assert_text(s->frames[0].function, "main.f");
	assert_text(s->frames[0].file, "/main.f.go");
	cr_assert_eq(s->frames[0].line, 12);
	assert_text(s->frames[1].function, "main.g");
	assert_text(s->created_by.function, "main.start");
	cr_assert_eq(s->created_by.line, 5);
	free(l.rows);
	census_free(c);
}

Test(census, leaked_is_another_state)
{
	struct goparse_goroutine g = { .state = text_of("chan send"), .flags = GOPARSE_LEAKED };
	struct census *c = new_census();
	struct census_list l;

	cr_assert_eq(census_add(c, &g, NULL), 0);
	g.flags = GOPARSE_SCAN;
	cr_assert_eq(census_add(c, &g, NULL), 0);
	l = rank(c, CENSUS_STATES, CENSUS_BY_COUNT);
	cr_assert_eq(l.count, 2);
	assert_text(l.rows[0]->state, "chan send (leaked)");
	assert_text(l.rows[1]->state, "chan send");
	free(l.rows);
	census_free(c);
}

Test(census, creators_without_those_that_have_none)
{
	struct census *c = new_census();
	struct census_list l;

	add(c, 1, "select", 0, "main.main", NULL);
	add(c, 2, "select", 0, "main.f", "main.start");
	add(c, 3, "sleep", 0, "main.g", "main.start");
	l = rank(c, CENSUS_CREATORS, CENSUS_BY_COUNT);
	cr_assert(l.count == 1 && l.rows[0]->count == 2 && !l.beyond);
	assert_text(l.rows[0]->stack.created_by.function, "main.start");
	free(l.rows);
	census_free(c);
}

/* Counts are those of the last of three dumps, `first` those of the first dump. */
Test(census, several_dumps)
{
	struct census *c = new_census();
	struct census_list l;

	add(c, 1, "select", 0, "main.f", NULL);
	add(c, 2, "select", 5, "main.f", NULL);
	add(c, 3, "sleep", 0, "main.gone", NULL);
	census_next_dump(c);
	for (uint64_t i = 0; i < 9; i++)
		add(c, i, "select", 99, "main.f", NULL);
	census_next_dump(c);
	add(c, 8, "select", 1, "main.f", NULL);
	add(c, 9, "sleep", 0, "main.new", NULL);
	l = rank(c, CENSUS_STACKS, CENSUS_BY_COUNT);
	cr_assert_eq(l.count, 2, "main.gone is not there");
	cr_assert(l.rows[0]->count == 1 && l.rows[0]->first == 2);
	cr_assert_eq(l.rows[0]->longest_ns, MINUTE);
	cr_assert_eq(l.rows[0]->stack.id, 8);
	cr_assert(l.rows[1]->count == 1 && l.rows[1]->first == 0);
	cr_assert(census_total(c)->count == 2 && census_total(c)->first == 3);
	free(l.rows);
	census_free(c);
}

Test(census, what_there_is_no_room_for_is_counted)
{
	struct goparse_goroutine g = { .state = text_of("select") };
	struct goparse_frame f = { .function = text_of("main.f") };
	struct census *c = new_census();
	struct census_list l;

	g.stack.frames = &f;
	g.stack.count = 1;
	for (f.line = 0; f.line < CENSUS_ROWS_MAX + 10; f.line++)
		cr_assert_eq(census_add(c, &g, NULL), 0);
	f.line = 5;
	cr_assert_eq(census_add(c, &g, NULL), 0);
	l = rank(c, CENSUS_STACKS, CENSUS_BY_COUNT);
	cr_assert(l.count == CENSUS_ROWS_MAX && l.beyond == 10 && l.rows[0]->count == 2);
	free(l.rows);
	l = rank(c, CENSUS_STATES, CENSUS_BY_COUNT);
	cr_assert(l.count == 1 && l.rows[0]->count == CENSUS_ROWS_MAX + 11 && !l.beyond);
	free(l.rows);
	census_free(c);
}

/* A dump of long stacks that are all different must not use all memory. */
Test(census, memory_is_bounded)
{
	enum { LONG = 1 << 20 };
	struct goparse_goroutine g = { .state = text_of("select") };
	struct goparse_frame f = { .function = { .at = calloc(1, LONG), .len = LONG } };
	struct census *c = new_census();
	struct census_list l;

	g.stack.frames = &f;
	g.stack.count = 1;
	for (f.line = 0; f.line < 200; f.line++)
		cr_assert_eq(census_add(c, &g, NULL), 0);
	l = rank(c, CENSUS_STACKS, CENSUS_BY_COUNT);
	cr_assert(l.count <= CENSUS_BYTES_MAX / LONG + 1 && l.count + l.beyond == 200);
	free(l.rows);
	free((void *)(uintptr_t)f.function.at);
	census_free(c);
}

Test(census, of_a_deep_stack_the_innermost_frames_are_kept)
{
	enum { DEEP = CENSUS_FRAMES_MAX + 5 };
	struct goparse_goroutine g = { .state = text_of("running") };
	struct goparse_frame frames[DEEP];
	struct census *c = new_census();
	struct census_list l;

	for (size_t i = 0; i < DEEP; i++)
		frames[i] = (struct goparse_frame){ .function = text_of("main.f"), .line = i };
	g.stack.frames = frames;
	g.stack.count = DEEP;
	cr_assert_eq(census_add(c, &g, NULL), 0);
	frames[DEEP - 1].line = 1; /* a different stack nevertheless */
	cr_assert_eq(census_add(c, &g, NULL), 0);
	l = rank(c, CENSUS_STACKS, CENSUS_BY_COUNT);
	cr_assert(l.count == 2 && l.rows[0]->stack.count == CENSUS_FRAMES_MAX);
	cr_assert_eq(l.rows[1]->stack.frames[CENSUS_FRAMES_MAX - 1].line, CENSUS_FRAMES_MAX - 1);
	free(l.rows);
	census_free(c);
}
