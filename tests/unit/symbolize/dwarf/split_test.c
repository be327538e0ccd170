// links: symbolize
/* Split DWARF: where its files are looked for, which are refused, and packages of many units.
 * lookup_test compares what units contain. */
#include <sys/stat.h>

#include "base/process/process.h"
#include "symbolize/dwarf/dwpindex.h"
#include "symbolize/files/elfsyms.h"
#include "symbolize/symbolizer.h"
#include "tests/unit/symbolize/workshop.h"

static struct process target; /* with the workshop as its root directory */

static void enter(void)
{
	workshop_enter();
	cr_assert_eq(process_open(&target, getpid(), NULL), 0);
	close(target.root_fd);
	target.root_fd = open(workshop_dir, O_PATH | O_DIRECTORY);
}

static void leave(void)
{
	process_close(&target);
	workshop_leave();
}

TestSuite(split, .init = enter, .fini = leave, .timeout = 60);

/* Builds "p" of p.c. Its DWARF says that it was compiled in /build. */
static void build(const char *flags)
{
	static const char source[] = "static inline __attribute__((always_inline)) int in(int x)\n"
				     "{ for (int i = 7; i < x; i++) x ^= i; return x; }\n"
				     "int work(int x) { return in(x) + 1; }\n"
				     "int main(int c, char **v) { return work(c) + !v; }\n";

	need("cc");
	write_file("p.c", source, strlen(source));
	cr_assert(run("cc -O1 -g -gsplit-dwarf -fdebug-prefix-map=%s=/build %s -c p.c -o p.o && "
		      "cc p.o -o p && rm p.o",
		      workshop_dir, flags));
}

/* in() must be found, inlined into work(), unless `why` is given, which the note must contain. */
static void expect(const char *why)
{
	struct image *image = open_image("p");
	struct symbolizer *s;
	struct symbol symbol;
	struct elfsyms syms;
	bool found = false;

	elfsyms_init(&syms);
	cr_assert_gt(elfsyms_add(&syms, image_elf(image), SHT_SYMTAB, true), 0);
	cr_assert_eq(symbolizer_new(&s, &target, 0), 0);
	for (size_t i = 0; i < syms.count; i++) {
		if (strcmp(syms.all[i].name, "work"))
			continue;
		for (uint64_t a = syms.all[i].start; a < syms.all[i].end; a++) {
			cr_assert_eq(symbolizer_lookup(s, image, a, &symbol), 0);
			cr_assert_str_eq(symbol.frames[symbol.count - 1].name, "work");
			cr_assert_str_eq(symbol.frames[0].file, "/build/p.c");
			found |= symbol.count == 2 && !strcmp(symbol.frames[0].name, "in");
		}
	}
	cr_assert_eq(found, !why, "%s", symbolizer_note(s, image));
	if (why)
		cr_assert(strstr(symbolizer_note(s, image), why), "%s", symbolizer_note(s, image));
	symbolizer_free(s);
	elfsyms_release(&syms);
	image_free(image);
}

Test(split, in_the_target_s_root)
{
	build("");
	expect(NULL); /* beside the program */
	cr_assert(run("mkdir build && mv p.dwo build"));
	expect(NULL);
	cr_assert(run("rm build/p.dwo"));
	expect("split DWARF is missing, for one in 'p.dwo'");
}

Test(split, a_link_does_not_lead_out_of_the_target_s_root)
{
	build("");
	cr_assert(run("mkdir build out && mv p.dwo out && ln -s /out/p.dwo build/p.dwo"));
	expect(NULL); /* the target's /out */
	cr_assert(run("ln -sf %s/out/p.dwo build/p.dwo", workshop_dir));
	expect("split DWARF is missing");
}

Test(split, of_another_build_is_refused)
{
	build("");
	cr_assert(run("mv p kept && mv p.dwo kept.dwo"));
	build("-O0");
	cr_assert(run("mv kept p"));
	expect("split DWARF is missing");
	cr_assert(run("mkdir build && mv p.dwo build && mv kept.dwo p.dwo"));
	expect(NULL);
}

Test(split, is_never_a_fifo)
{
	for (int version = 4; version <= 5; version++) {
		char flags[32];

		snprintf(flags, sizeof(flags), "-gdwarf-%d", version);
		build(flags);
		cr_assert(run("rm p.dwo && mkfifo p.dwo p.dwp"));
		expect("split DWARF is missing");
		cr_assert(run("rm p.dwo p.dwp"));
	}
}

Test(split, broken_files_are_missing_ones)
{
	build("");
	cr_assert(run("cp p.dwo whole"));
	for (int size = 0; size < 1500; size += 100) {
		cr_assert(run("head -c %d whole > p.dwo", size));
		expect("split DWARF is missing");
	}
	cr_assert(run("cp whole p.dwo && cp whole p.dwp"));
	expect(NULL); /* a .dwp without an index is not used */
}

/* So many units that the index has collisions and a unit's parts lie between those of others. */
enum { UNITS = 24 };

static void build_many(const char *compiler, int version)
{
	need(compiler);
	for (int i = 0; i < UNITS; i++) {
		char name[16], source[256];
		int len = snprintf(source, sizeof(source),
				   "static inline __attribute__((always_inline)) int in%d(int x)\n"
				   "{ for (int i = 0; i < x; i++) x ^= i * %d; return x; }\n"
				   "int f%d(int x) { return in%d(x) - %d; }\n%s",
				   i, i + 7, i, i, i, i ? "" : "int main(void) { return 0; }\n");

		snprintf(name, sizeof(name), "m%d.c", i);
		write_file(name, source, (size_t)len);
	}
	cr_assert(run("%s -O1 -g -gdwarf-%d -gsplit-dwarf -c m*.c && %s m*.o -o p", compiler,
		      version, compiler));
}

static void expect_many(void)
{
	struct image *image = open_image("p");
	struct symbolizer *s;
	struct symbol symbol;
	struct elfsyms syms;
	int found = 0;

	elfsyms_init(&syms);
	cr_assert_gt(elfsyms_add(&syms, image_elf(image), SHT_SYMTAB, true), 0);
	cr_assert_eq(symbolizer_new(&s, &target, 0), 0);
	for (size_t i = 0; i < syms.count; i++) {
		const char *name = syms.all[i].name;
		bool inlined = false;

		if (name[0] != 'f' || name[1] < '0' || name[1] > '9')
			continue;
		for (uint64_t a = syms.all[i].start; a < syms.all[i].end; a++) {
			cr_assert_eq(symbolizer_lookup(s, image, a, &symbol), 0);
			cr_assert_str_eq(symbol.frames[symbol.count - 1].name, name);
			if (symbol.count == 2)
				cr_assert_str_eq(symbol.frames[0].name + 2, name + 1);
			inlined |= symbol.count == 2;
		}
		cr_assert(inlined, "%s; %s", name, symbolizer_note(s, image));
		found++;
	}
	cr_assert_eq(found, UNITS);
	symbolizer_free(s);
	elfsyms_release(&syms);
	image_free(image);
}

static void expect_package(const char *compiler, int version, const char *packer)
{
	need(packer);
	build_many(compiler, version);
	cr_assert(run("%s -e p -o p.dwp && rm *.dwo", packer));
	expect_many();
}

Test(split, package_by_llvm_of_dwarf_4)
{
	expect_package("clang", 4, "llvm-dwp");
}
Test(split, package_by_llvm_of_dwarf_5)
{
	expect_package("clang", 5, "llvm-dwp");
}
Test(split, package_by_gnu_of_dwarf_4)
{
	expect_package("gcc", 4, "dwp");
} /* dwp cannot pack 5 */

/* A package takes precedence over .dwo files. */
Test(split, package_before_files)
{
	need("llvm-dwp");
	build_many("gcc", 5);
	cr_assert(run("llvm-dwp -e p -o p.dwp && for f in *.dwo; do echo broken > $f; done"));
	expect_many();
}

Test(split, index_of_nonsense)
{
	static const uint32_t wrong[][6] = {
		{ 3, 1, 1, 1, 1, 1 },  /* version */
		{ 5, 17, 1, 1, 1, 1 }, /* columns */
		{ 5, 1, 1, 3, 1, 1 },  /* slots, no power of two */
		{ 5, 1, 1, 0, 1, 1 },
		{ 5, 1, UINT32_MAX, 1, 1, 1 }, /* more than there is */
		{ 5, UINT32_MAX, UINT32_MAX, UINT32_MAX, 1, 1 },
		{ 5, 1, 1, 1u << 31, 1, 1 },
	};
	struct dwp_part parts[DWP_SECTIONS];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		for (size_t len = 0; len <= sizeof(*wrong); len++)
			cr_assert_not(dwpindex_find(wrong[i], len, 1, parts), "%zu", i);
}
