// links: goparse/profile pprof/wire
/* Samples are read back as text: "innermost outer | value value | key=text key=number unit". */
#include "goparse/profile/waitprofile.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <inttypes.h>

#include "base/buffer.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/validate.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/encode.h"
#include "tests/unit/goparse/goroutines.h"

static const uint64_t MINUTE = 60000000000;
static struct waitprofile *w;
static struct profile *p;
static struct buffer story;

static void begin(void)
{
	static const struct waitprofile_options options = { .time_nanos = 1234 };

	cr_assert(!waitprofile_new(&w, &options, NULL));
}

static void begin_with(bool aggregate, bool ancestors)
{
	const struct waitprofile_options options = { .aggregate = aggregate,
						     .ancestors = ancestors };

	waitprofile_free(w);
	cr_assert(!waitprofile_new(&w, &options, NULL));
}

static void end(void)
{
	waitprofile_free(w);
	buffer_release(&story);
}

TestSuite(waitprofile, .init = begin, .fini = end);

static void add(const struct goparse_goroutine *g, const char *dump)
{
	cr_assert(!waitprofile_add(w, g, dump, NULL));
}

static void finish(void)
{
	struct error err = { 0 };

	p = waitprofile_profile(w);
	cr_assert(!profile_validate(p, &err), "%s", err.text);
}

static void add_label(const struct profile_label *l)
{
	const struct strset *s = &p->strings;

	if (l->str)
		buffer_addf(&story, " %s=%s", strset_get(s, l->key), strset_get(s, l->str));
	else
		buffer_addf(&story, " %s=%" PRId64 "%s%s", strset_get(s, l->key), l->num,
			    l->num_unit ? " " : "", strset_get(s, l->num_unit));
}

static const char *sample(size_t i)
{
	const struct profile_sample *s = &p->samples[i];

	cr_assert(i < p->sample_count);
	story.len = 0;
	for (size_t j = 0; j < s->locations; j++) {
		uint32_t id = p->stack[s->first_location + j];
		uint32_t f = p->lines[p->locations[id - 1].first_line].function;

		buffer_addf(&story, "%s ", strset_get(&p->strings, p->functions[f - 1].name));
	}
	buffer_addf(&story, "|");
	for (size_t j = 0; j < p->type_count; j++)
		buffer_addf(&story, " %" PRId64, p->values[s->first_value + j]);
	buffer_addf(&story, " |");
	for (size_t j = 0; j < s->labels; j++)
		add_label(&p->labels[s->first_label + j]);
	cr_assert(!buffer_add(&story, "", 1));
	return (const char *)story.data;
}

static bool stack_is(size_t i, const char *stack)
{
	size_t len = strlen(stack);

	return !strncmp(sample(i), stack, len) && !strncmp(sample(i) + len, " |", 2);
}

Test(waitprofile, one_goroutine)
{
	struct made_stack m;
	struct goparse_goroutine g = { .state = text_of("chan receive"),
				       .wait_ns = 2 * MINUTE,
				       .locked = true };
	const struct profile_function *f;
	const struct profile_mapping *map;

	g.stack = make_stack(&m, "runtime.gopark:381 main.f:7", "main.main:5");
	g.stack.id = 18;
	add(&g, NULL);
	finish();
	cr_assert_eq(p->sample_count, 1);
	cr_assert_str_eq(sample(0), "runtime.gopark main.f main.main | 120000000000 | "
				    "lockedm=true state=chan receive goid=18 id");
	cr_assert_eq(p->location_count, 3);
	cr_assert_eq(p->locations[1].address, 0);
	cr_assert_eq(p->locations[1].mapping, 1);
	cr_assert_eq(p->lines[1].line, 7);
	f = &p->functions[p->lines[1].function - 1];
	cr_assert_str_eq(strset_get(&p->strings, f->filename), "/main.f.go");
	cr_assert_eq(f->system_name, 0);
	cr_assert_eq(p->mapping_count, 1);
	map = &p->mappings[0];
	cr_assert(map->has_functions && map->has_filenames && map->has_line_numbers);
	cr_assert(!map->has_inline_frames && !map->start && !map->limit && !map->filename);
}

Test(waitprofile, head)
{
	finish();
	cr_assert_eq(p->type_count, 1);
	cr_assert_str_eq(strset_get(&p->strings, p->types[0].type), "waitduration");
	cr_assert_str_eq(strset_get(&p->strings, p->types[0].unit), "nanoseconds");
	cr_assert_eq(p->default_type, p->types[0].type);
	cr_assert_eq(p->time_nanos, 1234);
	cr_assert(!p->period && !p->period_type.type && !p->duration_nanos && !p->drop_frames);
	cr_assert_str_eq(strset_get(&p->strings, p->comments[0]), "sampler " SAMPLER_VERSION);
}

Test(waitprofile, everything_once)
{
	struct goparse_goroutine g = { .state = text_of("select") };
	struct made_stack m, n;

	for (int i = 0; i < 3; i++) {
		g.stack = make_stack(&m, "a b:1 b:2", "c");
		add(&g, NULL);
		g.stack = make_stack(&n, "b:2 a b:1 b:1", "c:9");
		add(&g, NULL);
	}
	finish();
	cr_assert_eq(p->sample_count, 6);
	cr_assert_eq(p->function_count, 3);
	cr_assert_eq(p->location_count, 5);
	cr_assert_str_eq(sample(1), "b a b b c | 0 | lockedm=false state=select goid=0 id");
	cr_assert(
		!memcmp(p->stack, p->stack + p->samples[4].first_location, 4 * sizeof(*p->stack)));
}

/* One name in two files, two functions in one file. */
Test(waitprofile, functions_are_name_and_file)
{
	struct goparse_frame frames[] = {
		{ .function = text_of("f"), .file = text_of("/a") },
		{ .function = text_of("f"), .file = text_of("/b") },
		{ .function = text_of("g"), .file = text_of("/b") },
		{ .function = text_of("g") },
	};
	struct goparse_goroutine g = { .stack = { .frames = frames, .count = 4 } };

	static const uint32_t stack[] = { 1, 2, 3, 4, 1, 2, 3, 4 };

	add(&g, NULL);
	add(&g, NULL);
	finish();
	cr_assert_eq(p->function_count, 4);
	cr_assert(p->stack_count == 8 && !memcmp(p->stack, stack, sizeof(stack)));
}

Test(waitprofile, elided_frames_show_where_they_are_missing)
{
	struct goparse_goroutine g = { .state = text_of("select") };
	struct made_stack m;

	g.stack = make_stack(&m, "a ... b", "c");
	add(&g, NULL);
	g.stack = make_stack(&m, "a b ...", "c");
	add(&g, NULL);
	g.stack = make_stack(&m, "...", NULL);
	add(&g, NULL);
	finish();
	cr_assert(stack_is(0, "a ...additional frames elided... b c"));
	cr_assert(stack_is(1, "a b ...additional frames elided... c"));
	cr_assert(stack_is(2, "...additional frames elided..."));
}

/* A goroutine that was too large is cut within its own stack or after it. */
Test(waitprofile, cut_goroutines_say_so_where_they_are)
{
	static struct goparse_frame frames[GOPARSE_FRAMES_MAX];
	struct goparse_goroutine g = { .state = text_of("select"), .cut = true };
	struct made_stack m, of_parent;
	struct goparse_stack ancestor = make_stack(&of_parent, "x", NULL);

	begin_with(false, true);
	g.stack = make_stack(&m, "a", NULL);
	add(&g, NULL);
	g.stack = make_stack(&m, "a", "c");
	add(&g, NULL);
	g.ancestors = &ancestor;
	g.ancestor_count = 1;
	add(&g, NULL);
	g.stack = make_stack(&m, "a", NULL);
	add(&g, NULL);
	for (size_t i = 0; i < GOPARSE_FRAMES_MAX; i++)
		frames[i].function = text_of("f");
	g.stack.frames = frames;
	g.stack.count = GOPARSE_FRAMES_MAX;
	g.stack.created_by.function = text_of("c");
	ancestor.count = 0;
	add(&g, NULL);
	finish();
	cr_assert(stack_is(0, "a ...additional frames elided..."));
	cr_assert(stack_is(1, "a c ...additional frames elided..."));
	cr_assert(stack_is(2, "a c x ...additional frames elided..."));
	cr_assert(stack_is(3, "a x ...additional frames elided..."));
	cr_assert(strstr(sample(4), " f ...additional frames elided... c |"));
}

Test(waitprofile, unknown_stacks_have_a_frame)
{
	struct goparse_goroutine g = { .state = text_of("running") };
	struct made_stack m;

	g.stack = make_stack(&m, "", "main.main");
	add(&g, NULL);
	g.stack.unavailable = true;
	add(&g, NULL);
	g.stack = make_stack(&m, "", NULL);
	add(&g, NULL);
	finish();
	cr_assert(stack_is(0, "[no stack] main.main"));
	cr_assert(stack_is(1, "[stack unavailable] main.main"));
	cr_assert(stack_is(2, "[no stack]"));
}

Test(waitprofile, flags_and_groups)
{
	struct goparse_goroutine g = { .state = text_of("select"), .bubble = 3 };
	struct made_stack m;

	g.stack = make_stack(&m, "a", NULL);
	g.flags = GOPARSE_SCAN | GOPARSE_LEAKED | GOPARSE_DURABLE | GOPARSE_SYNCTEST;
	add(&g, NULL);
	g.flags = GOPARSE_SCAN;
	g.bubble = 0;
	g.group = 4;
	add(&g, "one.txt");
	finish();
	cr_assert_str_eq(sample(0), "a | 0 | durable=true leaked=true lockedm=false state=select "
				    "synctest=true bubble=3 goid=0 id");
	cr_assert_str_eq(sample(1), "a | 0 | dump=one.txt lockedm=false state=select goid=0 id "
				    "group=4");
}

Test(waitprofile, own_labels)
{
	const struct goparse_label labels[] = {
		{ text_of("z"), text_of("1") },
		{ text_of("empty"), text_of("") },
		{ text_of("state"), text_of("mine") },
		{ text_of("a"), { "x\0y", 3 } },
	};
	struct goparse_goroutine g = { .state = text_of("select"),
				       .labels = labels,
				       .label_count = 4 };
	struct made_stack m;
	struct strset_entry *value;

	g.stack = make_stack(&m, "a", NULL);
	add(&g, NULL);
	finish();
	cr_assert_str_eq(sample(0), "a | 0 | a=x lockedm=false state=select state=mine z=1 "
				    "goid=0 id");
	value = &p->strings.entries[p->labels[0].str];
	cr_assert(value->len == 3 && !memcmp(value->text, "x\0y", 3));
}

Test(waitprofile, values_without_bounds)
{
	struct goparse_goroutine g = { .state = text_of("select"), .wait_ns = UINT64_MAX };
	struct made_stack m;

	g.stack = make_stack(&m, "a", NULL);
	m.frames[0].line = UINT64_MAX;
	add(&g, NULL);
	finish();
	cr_assert_eq(p->values[0], INT64_MAX);
	cr_assert_eq(p->lines[0].line, INT64_MAX);
}

static struct goparse_goroutine waiting(struct made_stack *m, uint64_t minutes)
{
	struct goparse_goroutine g = { .state = text_of("select"), .wait_ns = minutes * MINUTE };

	g.stack = make_stack(m, "a b", "c");
	g.stack.id = minutes;
	return g;
}

Test(waitprofile, aggregated)
{
	const struct goparse_label label = { text_of("k"), text_of("v") };
	struct goparse_goroutine g;
	struct made_stack m;

	begin_with(true, false);
	for (uint64_t i = 1; i < 4; i++) {
		g = waiting(&m, i);
		add(&g, NULL);
	}
	g.locked = true;
	add(&g, NULL);
	g = waiting(&m, 5);
	g.state = text_of("IO wait");
	add(&g, NULL);
	g = waiting(&m, 5);
	g.labels = &label;
	g.label_count = 1;
	add(&g, NULL);
	add(&g, "dump");
	g = waiting(&m, 5);
	g.stack = make_stack(&m, "a b:2", "c");
	add(&g, NULL);
	finish();
	cr_assert_eq(p->type_count, 2);
	cr_assert_str_eq(strset_get(&p->strings, p->types[1].type), "goroutines");
	cr_assert_str_eq(strset_get(&p->strings, p->types[1].unit), "count");
	cr_assert_eq(p->default_type, p->types[0].type);
	cr_assert_eq(p->sample_count, 6);
	cr_assert_str_eq(sample(0), "a b c | 360000000000 3 | lockedm=false state=select");
	cr_assert_str_eq(sample(1), "a b c | 180000000000 1 | lockedm=true state=select");
	cr_assert_str_eq(sample(2), "a b c | 300000000000 1 | lockedm=false state=IO wait");
	cr_assert_str_eq(sample(3), "a b c | 300000000000 1 | k=v lockedm=false state=select");
	cr_assert_str_eq(sample(4),
			 "a b c | 300000000000 1 | dump=dump k=v lockedm=false state=select");
}

Test(waitprofile, sums_saturate)
{
	struct goparse_goroutine g;
	struct made_stack m;

	begin_with(true, false);
	for (int i = 0; i < 3; i++) {
		g = waiting(&m, 1);
		g.wait_ns = INT64_MAX - 5;
		add(&g, NULL);
	}
	finish();
	cr_assert_eq(p->values[0], INT64_MAX);
	cr_assert_eq(p->values[1], 3);
}

/* As printed with GODEBUG=tracebackancestors: a creator's innermost frame is the go statement. */
Test(waitprofile, ancestors)
{
	struct made_stack m, of_parent, of_main;
	struct goparse_stack ancestors[2];
	struct goparse_goroutine g = { .state = text_of("select"),
				       .ancestors = ancestors,
				       .ancestor_count = 2 };

	g.stack = make_stack(&m, "leaf", "parent:10");
	ancestors[0] = make_stack(&of_parent, "parent:11 x ...", "main:20");
	ancestors[1] = make_stack(&of_main, "main:21 y", NULL);
	g.stack.created_by.pc_offset = of_parent.frames[0].pc_offset = 0x1a;
	ancestors[0].created_by.pc_offset = 0x1a;
	of_main.frames[0].pc_offset = 0x1b;
	add(&g, NULL);
	finish();
	cr_assert(stack_is(0, "leaf parent"), "only when asked for");
	begin_with(false, true);
	add(&g, NULL);
	finish();
	cr_assert(stack_is(0, "leaf parent x ...additional frames elided... main main y"));
	cr_assert_eq(p->lines[1].line, 10, "the go statement's own line");
}

/* Without printed offsets, the lines decide whether two frames are the same call. */
Test(waitprofile, ancestors_without_offsets)
{
	struct made_stack m, of_parent;
	struct goparse_stack ancestor = make_stack(&of_parent, "parent:10 x", NULL);
	struct goparse_goroutine g = { .state = text_of("select"),
				       .ancestors = &ancestor,
				       .ancestor_count = 1 };

	begin_with(false, true);
	g.stack = make_stack(&m, "leaf", "parent:10");
	add(&g, NULL);
	g.stack = make_stack(&m, "leaf", "parent:11");
	add(&g, NULL);
	finish();
	cr_assert(stack_is(0, "leaf parent x"));
	cr_assert(stack_is(1, "leaf parent parent x"));
}

static const char *comment(size_t i)
{
	cr_assert(i < p->comment_count);
	return strset_get(&p->strings, p->comments[i]);
}

Test(waitprofile, errors_are_comments)
{
	static struct goparse_stats stats = { .error_count = 2 };

	stats.errors[0] = (struct goparse_error){ 12, "a function call", "main.f" };
	stats.errors[1] = (struct goparse_error){ 40, "a state", "goroutine 1 []:" };
	cr_assert(!waitprofile_add_errors(w, &stats, NULL, NULL));
	stats.error_count = 1000;
	cr_assert(!waitprofile_add_errors(w, &stats, "two.txt", NULL));
	finish();
	cr_assert_eq(p->comment_count, 2 + 2 + GOPARSE_ERRORS_KEPT + 1);
	cr_assert_str_eq(comment(2), "error: line 12: expected a function call: \"main.f\"");
	cr_assert_str_eq(comment(3), "error: line 40: expected a state: \"goroutine 1 []:\"");
	cr_assert_str_eq(comment(4),
			 "error: two.txt: line 12: expected a function call: \"main.f\"");
	cr_assert_str_eq(comment(p->comment_count - 1), "error: two.txt: 900 more");
}

static struct buffer encoded(void)
{
	struct buffer out = { 0 };

	finish();
	cr_assert(!profile_encode(p, &out, NULL));
	return out;
}

static void fill(void)
{
	struct goparse_goroutine g;
	struct made_stack m;

	for (uint64_t i = 0; i < 100; i++) {
		char name[NAME_MAX_LEN];

		g = waiting(&m, i % 7);
		snprintf(name, sizeof(name), "f%u b:%u", (unsigned)(i % 11), (unsigned)(i % 3));
		g.stack = make_stack(&m, name, "c");
		add(&g, i % 2 ? "odd" : "even");
	}
}

Test(waitprofile, same_goroutines_same_bytes)
{
	for (int aggregate = 0; aggregate < 2; aggregate++) {
		struct buffer one, two;

		begin_with(aggregate, false);
		fill();
		one = encoded();
		begin_with(aggregate, false);
		fill();
		two = encoded();
		cr_assert(one.len == two.len && !memcmp(one.data, two.data, one.len));
		buffer_release(&one);
		buffer_release(&two);
	}
}

/* Labels are in google/pprof's order, and its reader would drop none of them. */
Test(waitprofile, labels_are_in_order)
{
	struct profile_label sorted[16];

	fill();
	finish();
	for (size_t i = 0; i < p->sample_count; i++) {
		const struct profile_sample *s = &p->samples[i];
		const struct profile_label *labels = p->labels + s->first_label;

		memcpy(sorted, labels, s->labels * sizeof(*sorted));
		cr_assert(!labels_sort(&p->strings, sorted, s->labels));
		cr_assert(!memcmp(sorted, labels, s->labels * sizeof(*sorted)));
		for (size_t j = 0; j < s->labels; j++)
			cr_assert_not(label_is_empty(&labels[j]));
	}
}

static int each(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	(void)ctx;
	return waitprofile_add(w, g, NULL, err);
}

static int read_file(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	(void)err;
	*got = fread(buf, 1, len, ctx);
	return 0;
}

/* Adds all goroutines of a dump and returns their number. */
static uint64_t add_dump(const char *path)
{
	FILE *f = fopen(path, "r");
	struct goparse *parser;
	uint64_t count;

	cr_assert(f && !goparse_new(&parser, NULL));
	cr_assert(!goparse_stream(parser, read_file, f, each, NULL, NULL));
	count = goparse_stats(parser)->goroutines;
	goparse_free(parser);
	fclose(f);
	finish();
	return count;
}

/* For goroutine 23, Go prints its go statement in main.second, then the stack of its creator 22,
 * which begins with main.second at the following line, and so on. */
Test(waitprofile, real_ancestors)
{
	begin_with(false, true);
	add_dump("tests/goparse/dumps/go1.26-ancestors-dump.txt");
	for (size_t i = 0; i < p->sample_count; i++)
		if (strstr(sample(i), " goid=23 id"))
			cr_assert(stack_is(i, "main.third main.second main.first main.main"), "%s",
				  sample(i));
	cr_assert(p->sample_count > 5);
}

static int64_t sum(size_t type)
{
	int64_t total = 0;

	for (size_t i = 0; i < p->sample_count; i++)
		total += p->values[p->samples[i].first_value + type];
	return total;
}

Test(waitprofile, real_dumps_lose_nothing_when_aggregated)
{
	glob_t dumps;

	cr_assert(!glob("tests/goparse/dumps/*.txt", 0, NULL, &dumps) && dumps.gl_pathc > 10);
	for (size_t i = 0; i < dumps.gl_pathc; i++) {
		uint64_t count;
		int64_t waited;

		begin_with(false, false);
		count = add_dump(dumps.gl_pathv[i]);
		cr_assert_eq(p->sample_count, count);
		waited = sum(0);
		begin_with(true, false);
		add_dump(dumps.gl_pathv[i]);
		cr_assert_eq(sum(0), waited);
		cr_assert_eq((uint64_t)sum(1), count);
	}
	globfree(&dumps);
}
