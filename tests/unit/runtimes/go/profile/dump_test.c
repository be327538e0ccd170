/* Goroutines of a made-up program as the runtime of each release would print them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/process.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/find/runtime.h"
#include "runtimes/go/live.h"
#include "runtimes/go/nanotime.h"
#include "runtimes/go/profile/make.h"
#include "runtimes/go/session/inside.h"
#include "runtimes/go/stacks/args.h"
#include "runtimes/go/stacks/callers.h"

enum {
	PARK = 0x1000,
	RECEIVE = 0x1100,
	MAIN_WAIT = 0x2000,
	MAIN_MAIN = 0x2100,
	GOEXIT = 0x3000,
	PANIC = 0x4000,
	SIGPANIC = 0x4100,
	GENERIC = 0x5000,
	EVIL = 0x6000,
	EXPORTED = 0x7000,
	METHOD = 0x7100,
	HIDDEN_METHOD = 0x7200,
	CLEANUPS = 0x7300,
	INLINED = 0x80, /* from this offset on, main.small is inlined */
};

static const struct {
	uint64_t entry;
	const char *name;
} functions[] = {
	{ PARK, "runtime.gopark" },
	{ RECEIVE, "runtime.chanrecv1" },
	{ MAIN_WAIT, "main.wait" },
	{ MAIN_MAIN, "main.main" },
	{ GOEXIT, "runtime.goexit" },
	{ PANIC, "runtime.gopanic" },
	{ SIGPANIC, "runtime.sigpanic" },
	{ GENERIC, "main.F[go.shape.int]" },
	{ EVIL, "main.evil\nx" },
	{ EXPORTED, "runtime.GC" },
	{ METHOD, "runtime.(*Func).Name" },
	{ HIDDEN_METHOD, "runtime.(*itab).Init" },
	{ CLEANUPS, "runtime.runCleanups" },
};

static const char *function(void *ctx, uint64_t entry)
{
	(void)ctx;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (entry == functions[i].entry)
			return functions[i].name;
	return NULL;
}

/* Each function has 0x100 bytes. A frame's line is its offset there modulo 0x80. */
static bool frame(void *ctx, uint64_t pc, struct gocallers_frame *f)
{
	uint64_t entry = (pc - 1) & 0xff00;

	*f = (struct gocallers_frame){ .function = function(ctx, entry),
				       .file = "/src/f.go",
				       .line = (uint32_t)((pc - 1) & 0x7f),
				       .entry = entry };
	if (!f->function)
		return false;
	if ((pc - 1) & INLINED) {
		f->function = "main.small";
		f->inlined = true;
	}
	return true;
}

static const struct go_goroutine *goroutines;
static size_t goroutine_count;

int gogoroutines_read(const struct golive *live, struct gocallers *callers,
		      const struct gogoroutines_options *options, gogoroutines_callback *each,
		      void *ctx, struct gogoroutines_stats *stats, struct error *err)
{
	int rc = 0;

	(void)live, (void)callers;
	cr_assert(options->stacks && !options->system);
	for (size_t i = 0; i < goroutine_count && !rc; i++)
		rc = each(ctx, &goroutines[i], err);
	stats->goroutines = goroutine_count;
	return rc;
}

/* Arguments print as the pc that they were loaded for, and the first byte after their function's
 * frame. */
void goargs_load(struct gosites *s, uint64_t pc, struct goargs *args)
{
	(void)s;
	memcpy(args->ops, &pc, sizeof(pc));
}

int goargs_print(const struct goargs *args, const uint8_t *bytes, size_t len, struct buffer *out)
{
	uint64_t pc;

	memcpy(&pc, args->ops, sizeof(pc));
	return pc == MAIN_MAIN + 1 ? 0 : buffer_addf(out, "0x%lx, 0x%x", pc, len ? *bytes : 0);
}

static struct process self;
static _Alignas(64) char no_callers[4096];
static struct golive live;
static struct golayout layout;
static struct goprofile g;
static char text[1 << 16];

static const char *dump(unsigned minor, const struct go_goroutine *all, size_t count)
{
	struct pcframes_source source = { .frame = frame, .function = function, .minor = minor };
	struct buffer out = { 0 };
	struct error err = { 0 };

	cr_assert_eq(process_open(&self, getpid(), &err), 0);
	layout.minor = minor;
	live.vars.layout = &layout;
	memory_live_init(&live.live, getpid());
	live.memory = &live.live.memory;
	live.fields.bubble.id = GO_NO_FIELD;
	g = (struct goprofile){ .process = &self,
				.live = &live,
				.minor = minor,
				.callers = (struct gocallers *)(void *)no_callers };
	pcframes_init(&g.frames, &source);
	goroutines = all;
	goroutine_count = count;
	cr_assert_eq(goprofile_dump(&g, &out, &err), 0, "%s", err.text);
	cr_assert_lt(out.len, sizeof(text));
	memcpy(text, out.data, out.len);
	text[out.len] = '\0';
	buffer_release(&out);
	buffer_release(&g.remarks);
	pcframes_release(&g.frames);
	process_close(&self);
	return text;
}

static const char *dump_stack(unsigned minor, const uint64_t *pcs, size_t count)
{
	struct go_goroutine r = { .goid = 5,
				  .status = GO_WAITING,
				  .wait_reason = "select",
				  .has_stack = true,
				  .end = GO_WALK_WHOLE,
				  .pcs = pcs,
				  .pc_count = count };

	return dump(minor, &r, 1);
}

Test(dump, a_goroutine_that_waits)
{
	static const uint64_t pcs[] = { PARK + 9, RECEIVE + 9, MAIN_WAIT + 0x10, GOEXIT + 1 };
	struct go_goroutine r[] = {
		{ .goid = 1,
		  .go_pc = 0,
		  .status = GO_WAITING,
		  .wait_reason = "chan receive",
		  .has_stack = true,
		  .end = GO_WALK_WHOLE,
		  .pcs = pcs,
		  .pc_count = 4 },
		{ .goid = 8,
		  .parent = 1,
		  .go_pc = MAIN_MAIN + 0x20,
		  .status = GO_RUNNING,
		  .wait_reason = "" },
	};

	cr_assert_str_eq(dump(22, r, 2),
			 "goroutine 1 [chan receive]:\n"
			 "main.wait(...)\n\t/src/f.go:15 +0x10\n"
			 "\n"
			 "goroutine 8 [running]:\n"
			 "\tgoroutine running on other thread; stack unavailable\n"
			 "created by main.main in goroutine 1\n\t/src/f.go:31 +0x20\n");
	r[1].parent = 0;
	cr_assert(strstr(dump(20, r, 2), "created by main.main\n\t/src/f.go:31 +0x20\n"));
}

Test(dump, inlined_frames_have_no_offset_and_their_caller_that_of_the_call)
{
	static const uint64_t pcs[] = { INLINED + MAIN_WAIT + 0x10, MAIN_WAIT + 0x30,
					INLINED + MAIN_WAIT + 0x40, MAIN_MAIN + 0x50 };

	/* The second main.small is inlined into a wrapper, which is not shown; main.main is not of
	 * the same physical frame, so its offset is its own. */
	cr_assert_str_eq(dump_stack(25, pcs, 4), "goroutine 5 [select]:\n"
						 "main.small(...)\n\t/src/f.go:15\n"
						 "main.wait(...)\n\t/src/f.go:47 +0x90\n"
						 "main.small(...)\n\t/src/f.go:63\n"
						 "main.main(...)\n\t/src/f.go:79 +0x50\n");
}

/* Up to Go 1.20 they are loaded for the pc of the logical frame that is not inlined, then for the
 * physical frame's pc. */
Test(dump, arguments_are_those_of_the_physical_function)
{
	static const uint64_t pcs[] = { INLINED + MAIN_WAIT + 0x10, MAIN_WAIT + 0x30, MAIN_MAIN + 1,
					GENERIC + 1, MAIN_WAIT + 0x30 };
	static const size_t ends[] = { 1, 1, 2, 3, 4 };
	static const uint8_t stack[] = { 10, 11, 12, 13 };
	struct go_goroutine r = { .goid = 5,
				  .status = GO_WAITING,
				  .wait_reason = "select",
				  .has_stack = true,
				  .end = GO_WALK_WHOLE,
				  .pcs = pcs,
				  .pc_count = 5,
				  .stack = stack,
				  .stack_len = sizeof(stack),
				  .frame_ends = ends };

	cr_assert_str_eq(dump(21, &r, 1), "goroutine 5 [select]:\n"
					  "main.small(...)\n\t/src/f.go:15\n"
					  "main.wait(0x2090, 0xb)\n\t/src/f.go:47 +0x90\n"
					  "main.main()\n\t/src/f.go:0 +0x1\n"
					  "main.F[...](0x5001, 0xd)\n\t/src/f.go:0 +0x1\n"
					  "main.wait(0x2030, 0x0)\n\t/src/f.go:47 +0x30\n");
	cr_assert(strstr(dump(20, &r, 1), "main.wait(0x2030, 0xb)\n\t/src/f.go:47 +0x90\n"));
}

/* Laid out as by the runtime, in the memory of this process, which is read. */
static struct {
	uint64_t pcs, count, room, goid, go_pc;
} ancestors[2];
static uint64_t ancestor_slice[3], one_g[2];

static struct go_goroutine with_ancestors(const uint64_t *pcs, uint64_t pc_count, uint64_t goid)
{
	static const uint64_t own[] = { MAIN_WAIT + 1 };
	static const size_t ends[] = { 0 };

	ancestors[0].pcs = (uintptr_t)pcs;
	ancestors[0].count = pc_count;
	ancestors[0].goid = 7;
	ancestors[0].go_pc = MAIN_MAIN + 0x20;
	ancestors[1] = ancestors[0];
	ancestors[1].count = 1;
	ancestors[1].goid = 1;
	ancestor_slice[0] = (uintptr_t)ancestors;
	ancestor_slice[1] = 2;
	one_g[0] = goid;
	one_g[1] = (uintptr_t)ancestor_slice;
	live.fields.g.goid = 0;
	live.fields.g.ancestors = 8;
	return (struct go_goroutine){ .goid = 5,
				      .g = (uintptr_t)one_g,
				      .status = GO_WAITING,
				      .wait_reason = "select",
				      .has_stack = true,
				      .parent = 7,
				      .end = GO_WALK_WHOLE,
				      .pcs = own,
				      .pc_count = 1,
				      .stack = (const uint8_t *)"",
				      .stack_len = 1,
				      .frame_ends = ends,
				      .go_pc = MAIN_MAIN + 0x20,
				      .ancestors = (uintptr_t)ancestor_slice };
}

Test(dump, ancestors_are_behind_it)
{
	static const uint64_t pcs[50] = { MAIN_WAIT + 0x10, PANIC + 0x10, PARK + 0x10,
					  MAIN_MAIN + INLINED, [4 ... 49] = PARK + 1 };
	struct go_goroutine r = with_ancestors(pcs, 4, 5);

	/* An ancestor's lines are those of the instructions after the calls. */
	cr_assert_str_eq(dump(22, &r, 1),
			 "goroutine 5 [select]:\n"
			 "main.wait(0x2001, 0x0)\n\t/src/f.go:0 +0x1\n"
			 "created by main.main in goroutine 7\n\t/src/f.go:31 +0x20\n"
			 "[originating from goroutine 7]:\n"
			 "main.wait(...)\n\t/src/f.go:16 +0x10\n"
			 "panic(...)\n\t/src/f.go:16 +0x10\n"
			 "main.small(...)\n\t/src/f.go:0 +0x80\n"
			 "created by main.main\n\t/src/f.go:31 +0x20\n"
			 "[originating from goroutine 1]:\n"
			 "main.wait(...)\n\t/src/f.go:16 +0x10\n");
	r = with_ancestors(pcs, 50, 5);
	cr_assert(
		strstr(dump(22, &r, 1), "...additional frames elided...\ncreated by main.main\n"));
	cr_assert(!strstr(dump(20, &r, 1), "elided"));
}

Test(dump, ancestors_that_are_not_there)
{
	static const uint64_t pcs[1] = { MAIN_WAIT + 0x10 };
	struct go_goroutine r = with_ancestors(pcs, 1, 6); /* the g is another goroutine's by now */

	cr_assert(!strstr(dump(22, &r, 1), "originating"));
	r = with_ancestors(pcs, 51, 5); /* more than the runtime ever stores */
	cr_assert(!strstr(dump(22, &r, 1), "originating"));
	r = with_ancestors(NULL, 1, 5);
	cr_assert(!strstr(dump(22, &r, 1), "originating"));
	r = with_ancestors(pcs, 1, 5);
	r.ancestors = 16;
	cr_assert(!strstr(dump(22, &r, 1), "originating"));
	r = with_ancestors(pcs, 1, 5);
	cr_assert(strstr(dump(22, &r, 1), "[originating from goroutine 1]:\n"));
	r.stack = NULL;
	cr_assert(!strstr(dump(22, &r, 1), "originating"));
}

Test(dump, which_of_the_runtimes_frames_are_shown)
{
	static const uint64_t pcs[] = { PARK + 9,     PANIC + 1,    MAIN_WAIT + 1,
					PANIC + 2,    SIGPANIC + 1, MAIN_MAIN + 0x11,
					EXPORTED + 1, METHOD + 1,   HIDDEN_METHOD + 1,
					CLEANUPS + 1, GENERIC + 1,  EVIL + 1,
					0x9999,	      GOEXIT + 1 };
	const char *expected = "goroutine 5 [select]:\n"
			       "main.wait(...)\n\t/src/f.go:0 +0x1\n"
			       "panic(...)\n\t/src/f.go:1 +0x2\n"
			       "main.main(...)\n\t/src/f.go:16 +0x10\n"
			       "runtime.GC(...)\n\t/src/f.go:0 +0x1\n";

	cr_assert_eq(strncmp(dump_stack(18, pcs, 14), expected, strlen(expected)), 0, "%s", text);
	cr_assert_str_eq(text + strlen(expected), "main.F[go.shape.int](...)\n\t/src/f.go:0 +0x1\n"
						  "main.evil?x(...)\n\t/src/f.go:0 +0x1\n");
	cr_assert_eq(strncmp(dump_stack(23, pcs, 14), expected, strlen(expected)), 0, "%s", text);
	cr_assert_str_eq(text + strlen(expected), "runtime.(*Func).Name(...)\n\t/src/f.go:0 +0x1\n"
						  "main.F[...](...)\n\t/src/f.go:0 +0x1\n"
						  "main.evil?x(...)\n\t/src/f.go:0 +0x1\n");
	cr_assert(strstr(dump_stack(25, pcs, 14), "runtime.runCleanups(...)\n"));
	/* If all frames are the runtime's, all are shown. */
	cr_assert_str_eq(dump_stack(25, pcs, 1),
			 "goroutine 5 [select]:\nruntime.gopark(...)\n\t/src/f.go:8 +0x9\n");
}

static size_t count_of(const char *what)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

Test(dump, what_is_between_a_deep_stacks_ends_is_left_out)
{
	uint64_t pcs[251];

	for (size_t i = 0; i < 250; i++)
		pcs[i] = i == 0 ? PARK + 1 : i < 51 ? MAIN_WAIT + 1 : MAIN_MAIN + 1;
	pcs[250] = GOEXIT + 1;
	dump_stack(22, pcs, 251);
	cr_assert_eq(count_of("main.wait("), 50);
	cr_assert_eq(count_of("main.main("), 50);
	cr_assert(strstr(
		text, "main.wait(...)\n\t/src/f.go:0 +0x1\n...149 frames elided...\nmain.main("));
	/* At most 100 frames are printed. */
	dump_stack(22, pcs, 101);
	cr_assert_eq(count_of("elided"), 0);
	cr_assert_eq(count_of("main."), 100);
	dump_stack(22, pcs, 102);
	cr_assert(strstr(text, "...1 frames elided...\n"));
	/* Up to Go 1.20 only the first 100 frames count, shown or not. That the rest is left out is
	 * printed only if all 100 were shown. */
	dump_stack(20, pcs, 251);
	cr_assert_eq(count_of("main."), 99);
	cr_assert_eq(count_of("elided"), 0);
	dump_stack(20, pcs + 1, 250);
	cr_assert_eq(count_of("main."), 100);
	cr_assert_eq(count_of("...additional frames elided...\n"), 1);
}

Test(dump, a_stack_without_its_beginning_says_so)
{
	uint64_t pcs[60];
	struct go_goroutine r = { .goid = 5,
				  .status = GO_WAITING,
				  .wait_reason = "select",
				  .has_stack = true,
				  .end = GO_WALK_BROKEN,
				  .pcs = pcs,
				  .pc_count = 2 };

	for (size_t i = 0; i < 60; i++)
		pcs[i] = MAIN_WAIT + 1;
	dump(22, &r, 1);
	cr_assert_eq(count_of("main.wait("), 2);
	cr_assert_eq(count_of("...additional frames elided...\n"), 1);
}

Test(dump, headers)
{
	int64_t now = gonanotime(NULL);
	struct go_goroutine r = { .goid = 5,
				  .status = GO_WAITING,
				  .wait_reason = "sleep",
				  .has_stack = true,
				  .end = GO_WALK_WHOLE };

	r.wait_since = now - INT64_C(125000000000);
	r.locked = true;
	cr_assert_str_eq(dump(22, &r, 1), "goroutine 5 [sleep, 2 minutes, locked to thread]:\n");
	r.status = GO_RUNNABLE; /* it does not wait, even if its g still has a wait time */
	r.wait_reason = "";
	cr_assert_str_eq(dump(22, &r, 1), "goroutine 5 [runnable, locked to thread]:\n");
	r.locked = false;
	r.scan = true;
	r.status = GO_SYSCALL;
	cr_assert_str_eq(dump(22, &r, 1), "goroutine 5 [syscall (scan), 2 minutes]:\n");
	r.scan = false;
	r.status = GO_LEAKED;
	r.wait_reason = "chan send";
	cr_assert_str_eq(dump(26, &r, 1), "goroutine 5 [chan send (leaked)]:\n");
	r.status = GO_WAITING;
	r.wait_since = 0;
	r.wait_reason = "select (durable)";
	cr_assert_str_eq(dump(26, &r, 1), "goroutine 5 [select (durable)]:\n");
	r.wait_reason = "sleep";
	r.bubble = 0x1000;
	cr_assert_str_eq(dump(26, &r, 1), "goroutine 5 [sleep (durable)]:\n");
	r.wait_reason = "IO wait";
	cr_assert_str_eq(dump(26, &r, 1), "goroutine 5 [IO wait]:\n");
	r.status = (enum go_status)77;
	r.wait_reason = "";
	cr_assert_str_eq(dump(26, &r, 1), "goroutine 5 [???]:\n");
}

/* Lays out a set of labels as Go 1.24 and later do (internal/runtime/pprof/label). */
static void labelled(struct go_goroutine *r, const char **strings, size_t count)
{
	static struct {
		const char *key;
		uint64_t key_len;
		const char *value;
		uint64_t len;
	} list[4];
	static struct {
		void *list;
		uint64_t len, room;
	} set;
	static uint8_t memory[4096];

	for (size_t i = 0; i < count; i++) {
		list[i].key = strings[2 * i];
		list[i].key_len = strlen(strings[2 * i]);
		list[i].value = strings[2 * i + 1];
		list[i].len = strlen(strings[2 * i + 1]);
	}
	set.list = list;
	set.len = set.room = count;
	r->labels = (uint64_t)(uintptr_t)&set;
	r->g = (uint64_t)(uintptr_t)memory;
	live.fields.g.labels = 16;
	memcpy(memory + 16, &r->labels, sizeof(r->labels));
}

Test(dump, labels_as_they_are_printed)
{
	const char *strings[] = { "key", "value/1", "odd one", "a\"\n\xc3\xa9\x01" };
	struct go_goroutine r = { .goid = 5,
				  .status = GO_RUNNABLE,
				  .wait_reason = "",
				  .has_stack = true,
				  .end = GO_WALK_WHOLE };

	labelled(&r, strings, 2);
	cr_assert_str_eq(dump(27, &r, 1), "goroutine 5 [runnable] {key: value/1, \"odd one\": "
					  "\"a\\\"\\n\\u00e9\\x01\"}:\n");
	/* Up to Go 1.26 they are printed only if GODEBUG enables it, which a test cannot set. */
	cr_assert_str_eq(dump(26, &r, 1), "goroutine 5 [runnable]:\n");
}
