/* Perf maps, demangling, and whole lookups in this very program. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "symbolize/demangle.h"
#include "symbolize/elfsyms.h"
#include "symbolize/perfmap.h"
#include "symbolize/symbolizer.h"
#include "target/image.h"

static void parse(struct perfmap *m, const char *text)
{
	perfmap_init(m);
	cr_assert_eq(perfmap_parse(m, text, strlen(text)), 0);
}

static const char *at(const struct perfmap *m, uint64_t addr)
{
	const char *name = perfmap_find(m, addr);

	return name ? name : "";
}

Test(perfmap, covers_what_it_says)
{
	struct perfmap m;

	parse(&m, "7f0010 20 LazyCompile:~f x.js:1:2\n7f0000 10 a\n0x7f0040 0x8 hex\n");
	cr_assert_str_eq(at(&m, 0x7f0000), "a");
	cr_assert_str_eq(at(&m, 0x7f000f), "a");
	cr_assert_str_eq(at(&m, 0x7f0010), "LazyCompile:~f x.js:1:2");
	cr_assert_str_eq(at(&m, 0x7f002f), "LazyCompile:~f x.js:1:2");
	cr_assert_str_eq(at(&m, 0x7f0030), "");
	cr_assert_str_eq(at(&m, 0x7f0047), "hex");
	cr_assert_str_eq(at(&m, 0), "");
	perfmap_release(&m);
}

Test(perfmap, the_later_line_wins)
{
	struct perfmap m;

	parse(&m, "1000 100 old\n1040 20 new\n2000 10 first\n2000 10 second\n3010 20 z\n3000 20 y\n");
	cr_assert_str_eq(at(&m, 0x1000), "old");
	cr_assert_str_eq(at(&m, 0x1040), "new");
	cr_assert_str_eq(at(&m, 0x2005), "second");
	cr_assert_str_eq(at(&m, 0x3018), "y");
	cr_assert_str_eq(at(&m, 0x3028), "z");
	perfmap_release(&m);
}

Test(perfmap, broken_lines_are_left_out)
{
	struct perfmap m;

	parse(&m, "x\n1000\n1000 10\n1000 10 \n1000 0 nothing\nffffffffffffffff ff wrap\n"
		  "2000 10 good\x1b[31m\n99999999999999999 1 big");
	cr_assert_eq(m.count, 1);
	cr_assert_eq(m.bad_lines, 7);
	cr_assert_str_eq(at(&m, 0x2000), "good\x1b[31m", "as it stands: the symbolizer cleans it");
	perfmap_release(&m);
}

Test(perfmap, survives_truncation)
{
	static const char text[] = "7f0010 20 one name\n7f0000 10 a\n";

	for (size_t n = 0; n < sizeof(text); n++) {
		char *copy = strndup(text, n);
		struct perfmap m;

		parse(&m, copy);
		cr_assert(m.count <= 2);
		perfmap_release(&m);
		free(copy);
	}
}

Test(demangle, cplusplus_rust_and_neither)
{
	static const struct { const char *raw, *name; } all[] = {
		{ "main", "main" },
		{ "_ZN6shapes5totalERKSt6vectorINS_4DiscESaIS1_EE", "shapes::total" },
		{ "_Z3addIiET_S0_S0_", "add<int>" },
		{ "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
		  "core::fmt::Formatter::write_str" },
		{ "_RNvC6_123foo3bar", "123foo::bar" },
		{ "_Zgarbage", "_Zgarbage" },
		{ "_R", "_R" },
		{ "_ZN3fooC1Ev.cold", "foo::foo" },
	};
	struct arena a = { 0 };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		cr_assert_str_eq(demangle(&a, all[i].raw), all[i].name, "%s", demangle(&a, all[i].raw));
	arena_release(&a);
}

Test(demangle, a_bomb_stays_small)
{
	char bomb[20000] = "_Z1fI";
	struct arena a = { 0 };

	for (size_t i = 5; i < sizeof(bomb) - 1; i++)
		bomb[i] = "S_"[i % 2];
	cr_assert(strlen(demangle(&a, bomb)) <= 64 << 10);
	arena_release(&a);
}

static inline __attribute__((always_inline)) int inlined_here(int n)
{
	return n * 3 + (int)getpid();
}

__attribute__((noinline)) int looked_up(int n);
__attribute__((noinline)) int looked_up(int n)
{
	return inlined_here(n) + 1;
}

static uint64_t image_address(const struct image *image, const void *p)
{
	/* This program is position-independent: find the base from the maps. */
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start = 0;

	(void)image;
	cr_assert_not_null(f);
	cr_assert_eq(fscanf(f, "%lx-", &start), 1);
	fclose(f);
	return (uint64_t)(uintptr_t)p - start;
}

Test(symbolizer, finds_function_file_line_and_inlined_call)
{
	struct symbolizer *s;
	struct image *image;
	const struct symbol_frame *function;
	struct symbol symbol;
	bool inlined = false;
	uint64_t addr;

	cr_assert_eq(image_open(open("/proc/self/exe", O_RDONLY), "/proc/self/exe", &image, NULL), 0);
	cr_assert_eq(symbolizer_new(&s, NULL, 0), 0);
	addr = image_address(image, (const void *)looked_up);
	cr_assert_eq(symbolizer_lookup(s, image, addr, &symbol), 0);
	cr_assert(symbol.count >= 1);
	function = &symbol.frames[symbol.count - 1];
	cr_assert_str_eq(function->name, "looked_up");
	cr_assert(strstr(function->file, "names_test.c"));
	cr_assert(function->start_line > 100 && function->line >= function->start_line);
	for (int i = 0; i < 24 && !inlined; i++) {
		cr_assert_eq(symbolizer_lookup(s, image, addr + (uint64_t)i, &symbol), 0);
		inlined = symbol.count == 2 && !strcmp(symbol.frames[0].name, "inlined_here") &&
			  !strcmp(symbol.frames[1].name, "looked_up") &&
			  symbol.frames[1].line == symbol.frames[1].start_line + 2;
	}
	cr_assert(inlined);
	cr_assert(symbolizer_has_lines(s, image) && symbolizer_has_inlines(s, image));
	cr_assert_eq(symbolizer_lookup(s, image, 0x10, &symbol), 0);
	cr_assert_eq(symbol.count, 0, "the ELF header is no function");
	symbolizer_free(s);
	image_free(image);
}

Test(symbolizer, an_image_without_elf_has_no_names)
{
	struct image *image = image_open_none("/gone");
	struct symbolizer *s;
	struct symbol symbol;

	cr_assert_eq(symbolizer_new(&s, NULL, 0), 0);
	cr_assert_eq(symbolizer_lookup(s, image, 0x1000, &symbol), 0);
	cr_assert_eq(symbol.count, 0);
	cr_assert_str_eq(symbolizer_note(s, image), "none, there is no ELF file to read");
	symbolizer_free(s);
	image_free(image);
}

/* Symbols as they stand, without a file. */
static void add_symbol(struct elfsyms *s, uint64_t start, uint64_t end, uint8_t rank,
		       const char *name)
{
	s->all = realloc(s->all, (s->count + 1) * sizeof(*s->all));
	s->all[s->count++] = (struct elfsym){ start, end, name, rank, .sized = true };
}

Test(elfsyms, sizes_are_honoured_and_the_best_alias_is_shown)
{
	struct elfsyms s = { 0 };

	add_symbol(&s, 0x100, 0x180, 2, "__libc_f");
	add_symbol(&s, 0x100, 0x180, 0, "f");
	add_symbol(&s, 0x200, 0x201, 0, "assembly");
	add_symbol(&s, 0x300, 0x400, 0, "around");
	add_symbol(&s, 0x320, 0x330, 0, "within");
	cr_assert_eq(elfsyms_settle(&s), 0);
	cr_assert_str_eq(elfsyms_find(&s, 0x100)->name, "f");
	cr_assert_str_eq(elfsyms_find(&s, 0x17f)->name, "f");
	cr_assert_null(elfsyms_find(&s, 0x180), "never the nearest symbol");
	cr_assert_null(elfsyms_find(&s, 0x202));
	cr_assert_str_eq(elfsyms_find(&s, 0x325)->name, "within");
	cr_assert_str_eq(elfsyms_find(&s, 0x331)->name, "around");
	cr_assert_null(elfsyms_find(&s, 0xff));
	elfsyms_release(&s);
}
