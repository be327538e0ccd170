/*
 * Whole lookups in programs that are compiled here in many ways, at up to ADDRESSES_MAX addresses
 * of their functions. The results are compared with llvm-symbolizer's: names as the linker has
 * them, files, lines, columns and the chain of inlined calls.
 *
 * Two things are not compared. Of several aliases the two may show different ones. Where no symbol
 * has a size, llvm-symbolizer shows the nearest symbol, which we never do; elfsyms_test has such
 * symbols.
 */
#include <elf.h>
#include <gelf.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "base/error.h"
#include "symbolize/symbolizer.h"
#include "tests/unit/symbolize/shop.h"
#include "tests/unit/symbolize/workshop.h"

/*
 * Compiling takes most of the time, and has the same result for this test and its sanitized twin.
 * So what was compiled, and llvm-symbolizer's answers, stay in $BUILD, as other fixtures do, with a
 * folder for each way of compiling. Without $BUILD they stay until the test has ended.
 */
static char kept_root[256], own_dir[256];

static void enter(void)
{
	const char *build = getenv("BUILD");
	char *path = build ? realpath(build, NULL) : NULL;

	workshop_enter();
	strcpy(own_dir, workshop_dir);
	strcpy(kept_root, workshop_dir);
	if (path && strlen(path) < 180)
		sprintf(kept_root, "%s/lookup", path);
	free(path);
}

static void leave(void)
{
	strcpy(workshop_dir, own_dir);
	workshop_leave();
}

TestSuite(lookup, .init = enter, .fini = leave, .timeout = 300);

enum { ADDRESSES_MAX = 6000 };

static uint64_t addresses[ADDRESSES_MAX];
static size_t address_count;

static struct {
	char *name;
	uint64_t value, size;
} symbols[1 << 14];
static size_t symbol_count;

/* Reads the functions of .symtab. */
static void read_symbols(Elf *elf)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		GElf_Shdr shdr;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 0; gelf_getsym(data, i, &sym) && symbol_count < 1 << 14; i++) {
			const char *name = elf_strptr(elf, shdr.sh_link, sym.st_name);

			if ((GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
			     GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC) ||
			    !sym.st_size || !name)
				continue;
			symbols[symbol_count].name = strndup(name, strcspn(name, "@"));
			symbols[symbol_count].value = sym.st_value;
			symbols[symbol_count++].size = sym.st_size;
		}
	}
}

/* Collects addresses in functions with a size, evenly distributed over all of them. */
static void collect_addresses(const char *program)
{
	struct image *image = open_image(program);
	uint64_t total = 0, step, due = 0;

	read_symbols(image_elf(image));
	image_free(image);
	for (size_t i = 0; i < symbol_count; i++)
		total += symbols[i].size;
	step = total / (ADDRESSES_MAX - 1) + 1;
	for (size_t i = 0; i < symbol_count; i++) {
		for (; due < symbols[i].size && address_count < ADDRESSES_MAX; due += step)
			addresses[address_count++] = symbols[i].value + due;
		due -= symbols[i].size;
	}
	cr_assert(address_count > 100);
}

struct answer {
	size_t count;
	struct answer_frame {
		char function[8192], place[4096];
	} frames[64];
};

static void read_ours(struct symbolizer *s, const struct image *image, uint64_t addr,
		      struct answer *a)
{
	struct symbol symbol;

	cr_assert_eq(symbolizer_lookup(s, image, addr, &symbol), 0);
	cr_assert(symbol.count <= 64);
	for (a->count = 0; a->count < symbol.count; a->count++) {
		const struct symbol_frame *f = &symbol.frames[a->count];
		struct answer_frame *to = &a->frames[a->count];

		snprintf(to->function, sizeof(to->function), "%s",
			 *f->system_name ? f->system_name : f->name);
		snprintf(to->place, sizeof(to->place), "%s:%u:%u", f->file ? f->file : "??",
			 f->line, f->column);
	}
}

/* Reads pairs of lines, function and file:line:column, up to an empty line. */
static void read_theirs(FILE *f, struct answer *a)
{
	struct answer_frame *to = a->frames;

	for (a->count = 0; fgets(to->function, sizeof(to->function), f);
	     to = &a->frames[a->count]) {
		size_t len = strcspn(to->function, "\n");

		if (!len)
			return;
		to->function[len] = '\0';
		cr_assert_not_null(fgets(to->place, sizeof(to->place), f));
		to->place[strcspn(to->place, "\n")] = '\0';
		/* Without DWARF it shows the nearest STT_FILE symbol as the file. */
		if (*to->place != '/' && strstr(to->place, ":0:0"))
			strcpy(to->place, "??:0:0");
		a->count += strcmp(to->function, "??") != 0;
		cr_assert(a->count < 64);
	}
}

static void ask_llvm(const char *program)
{
	FILE *f = fopen("addresses", "w");

	for (size_t i = 0; i < address_count; i++)
		fprintf(f, "0x%lx\n", addresses[i]);
	cr_assert_eq(fclose(f), 0);
	cr_assert(run("(llvm-symbolizer -e %s/%s -f -i --no-demangle < addresses > theirs)",
		      workshop_dir, program));
}

/* True also for aliases, which are names of the same address. */
static bool same_function(const char *one, const char *other)
{
	if (!strcmp(one, other))
		return true;
	for (size_t i = 0; i < symbol_count; i++)
		if (!strcmp(symbols[i].name, one))
			for (size_t j = 0; j < symbol_count; j++)
				if (symbols[j].value == symbols[i].value &&
				    !strcmp(symbols[j].name, other))
					return true;
	return false;
}

static bool same_answer(const struct answer *a, const struct answer *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!same_function(a->frames[i].function, b->frames[i].function) ||
		    strcmp(a->frames[i].place, b->frames[i].place))
			return false;
	return true;
}

static void show(const char *who, const struct answer *a)
{
	for (size_t i = 0; i < a->count; i++)
		fprintf(stderr, "%s: %s %s\n", who, a->frames[i].function, a->frames[i].place);
}

/* Each address must have exactly the frames that llvm-symbolizer shows. */
static void compare(const char *program)
{
	struct image *image = open_image(program);
	static struct answer ours, theirs;
	size_t differ = 0, inlined = 0;
	struct symbolizer *s;
	FILE *f;

	cr_assert_eq(symbolizer_new(&s, NULL, 0), 0);
	f = fopen("theirs", "r");
	cr_assert_not_null(f);
	for (size_t i = 0; i < address_count; i++) {
		read_ours(s, image, addresses[i], &ours);
		read_theirs(f, &theirs);
		inlined += ours.count > 1;
		if (same_answer(&ours, &theirs) || differ++ > 3)
			continue;
		fprintf(stderr, "%s, %#lx:\n", program, addresses[i]);
		show("ours", &ours);
		show("theirs", &theirs);
	}
	fclose(f);
	cr_log_info("%s: %zu of %zu differ, %zu inlined; %s", program, differ, address_count,
		    inlined, symbolizer_note(s, image));
	cr_assert_eq(differ, 0, "%zu of %zu differ", differ, address_count);
	cr_assert_eq(symbolizer_has_inlines(s, image), inlined != 0);
	symbolizer_free(s);
	image_free(image);
}

static uint64_t hash(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3;
	return h;
}

enum { NAME_SIZE = 17 };

/* All names of folders have the same length: see TAKE. */
static void kept_name(char name[NAME_SIZE], const char *source, const char *commands)
{
	snprintf(name, NAME_SIZE, "%016lx", hash(hash(0xcbf29ce484222325, source), commands));
}

/* Changes to the folder of what these commands make of that source, and locks it: another test
 * waits. Empties it unless it is complete. Returns the lock, which the caller closes. */
static int enter_kept(const char *source, const char *commands)
{
	char name[NAME_SIZE];
	int lock;

	kept_name(name, source, commands);
	cr_assert_lt(snprintf(workshop_dir, sizeof(workshop_dir), "%s/%s", kept_root, name),
		     sizeof(workshop_dir));
	cr_assert(run("mkdir -p %s", workshop_dir));
	cr_assert_eq(chdir(workshop_dir), 0);
	lock = open("lock", O_CREAT | O_RDWR | O_CLOEXEC, 0644);
	cr_assert(lock >= 0 && flock(lock, LOCK_EX) == 0);
	if (access("made", F_OK))
		cr_assert(run("find . -mindepth 1 ! -name lock -delete"));
	return lock;
}

#define BROKEN "99" /* exit status: the tools can do this, so it is an error */

static void make(const char *commands)
{
	int status;

	cr_assert_lt(strlen(commands), 1900);
	status = run_status("{ %s; }", commands);
	cr_assert(!WIFEXITED(status) || WEXITSTATUS(status) != atoi(BROKEN), "%s", commands);
	if (status)
		cr_skip_test("'%s' fails here", commands);
}

/* As enter_kept, and compiles unless that was done before. */
static int make_kept(const char *file, const char *source, const char *commands)
{
	int lock = enter_kept(source, commands);

	if (access("made", F_OK)) {
		write_file(file, source, strlen(source));
		make(commands);
		write_file("made", "", 0);
	}
	return lock;
}

/* Compares "shop" with what llvm-symbolizer shows for the program `asked_of`. */
static void compare_made(const char *file, const char *source, const char *commands,
			 const char *asked_of)
{
	int lock;

	need("llvm-symbolizer");
	lock = make_kept(file, source, commands);
	collect_addresses(asked_of);
	if (access("asked", F_OK)) {
		ask_llvm(asked_of);
		write_file("asked", "", 0);
	}
	close(lock);
	compare("shop");
}

enum { COMMANDS_SIZE = 1900 };

/* C++11, because its headers are short. `split`: flags that split off the DWARF, or "". */
static void compiling(char commands[COMMANDS_SIZE], const char *compiler, const char *flags,
		      const char *split)
{
	snprintf(commands, COMMANDS_SIZE, "%s -std=c++11 %s%s shop.cc -o shop%s", compiler, flags,
		 split,
		 *split ? " && { test -e shop-shop.dwo -o -e shop.dwo || exit " BROKEN "; }" : "");
}

static void compare_cc(const char *compiler, const char *flags)
{
	char commands[COMMANDS_SIZE];

	need(compiler);
	compiling(commands, compiler, flags, "");
	compare_made("shop.cc", source_cc, commands, "shop");
}

/* Compiles "shop" unless that was done before; `name` becomes the name of its folder. */
static void compile(char name[NAME_SIZE], const char *compiler, const char *flags,
		    const char *split)
{
	char commands[COMMANDS_SIZE];

	compiling(commands, compiler, flags, split);
	close(make_kept("shop.cc", source_cc, commands));
	kept_name(name, source_cc, commands);
}

/*
 * Copies what was compiled in another folder, and replaces that folder's name in it by this one's,
 * so that it is as if compiled here. So no lookup finds a file there, such as a .dwo file, that is
 * missing here.
 */
#define TAKE \
	"take() { cp ../$1/shop . && { test ! -e ../$1/*.dwo || cp ../$1/*.dwo .; } && " \
	"LC_ALL=C sed -i s/$1/${PWD##*/}/g shop $(ls | grep 'dwo$') && ! grep -q $1 shop; } && "

#define LIKE_LLVM(name, compiler, flags) \
	Test(lookup, name) \
	{ \
		compare_cc(compiler, flags); \
	}

LIKE_LLVM(gcc_dwarf5, "g++", "-O2 -g -gdwarf-5")
LIKE_LLVM(gcc_dwarf4, "g++", "-O2 -g -gdwarf-4")
LIKE_LLVM(gcc_dwarf3, "g++", "-O2 -g -gdwarf-3")
LIKE_LLVM(gcc_dwarf2, "g++", "-O2 -g -gdwarf-2")
LIKE_LLVM(gcc_unoptimized, "g++", "-O0 -g")
LIKE_LLVM(gcc_static, "g++", "-O2 -g -static")
LIKE_LLVM(gcc_g1, "g++", "-O2 -g1")
LIKE_LLVM(gcc_lto, "g++", "-O2 -g -flto")
LIKE_LLVM(gcc_compressed, "g++", "-O2 -g -gz=zlib")
LIKE_LLVM(gcc_compressed_gnu, "g++", "-O2 -g -gz=zlib-gnu")
LIKE_LLVM(gcc_type_units, "g++", "-O2 -g -gdwarf-5 -fdebug-types-section")
LIKE_LLVM(gcc_sections, "g++", "-O2 -g -ffunction-sections -Wl,--gc-sections")
LIKE_LLVM(gcc_without, "g++", "-O2")
LIKE_LLVM(clang_dwarf5, "clang++", "-O2 -g -gdwarf-5")
LIKE_LLVM(clang_dwarf4, "clang++", "-O2 -g -gdwarf-4")
LIKE_LLVM(clang_dwarf3, "clang++", "-O2 -g -gdwarf-3")
LIKE_LLVM(clang_dwarf2, "clang++", "-O2 -g -gdwarf-2")
LIKE_LLVM(clang_lines, "clang++", "-O2 -gline-tables-only")
LIKE_LLVM(clang_lines4, "clang++", "-O2 -gline-tables-only -gdwarf-4")
LIKE_LLVM(clang_lto, "clang++", "-O2 -g -flto -fuse-ld=lld")
LIKE_LLVM(clang_thinlto, "clang++", "-O2 -g -flto=thin -fuse-ld=lld")
LIKE_LLVM(clang_type_units, "clang++", "-O2 -g -gdwarf-5 -fdebug-types-section")

/* The same DWARF in another form: the command `wrap` makes "shop" out of "whole". */
static void compare_wrapped(const char *compiler, const char *flags, const char *wrap)
{
	char commands[COMMANDS_SIZE], whole[NAME_SIZE];

	need(compiler);
	compile(whole, compiler, flags, "");
	snprintf(commands, sizeof(commands), TAKE "take %s && cp shop whole && %s", whole, wrap);
	compare_made("shop.cc", source_cc, commands, "whole");
}

Test(lookup, compressed_by_zstd)
{
	need("objcopy");
	compare_wrapped("g++", "-O2 -g -gdwarf-5",
			"objcopy --compress-debug-sections=zstd whole shop");
}

Test(lookup, debug_file_compressed_by_zstd)
{
	need("objcopy");
	compare_wrapped(
		"clang++", "-O2 -g -gdwarf-5",
		"objcopy --only-keep-debug --compress-debug-sections=zstd whole shop.debug && "
		"strip shop && objcopy --add-gnu-debuglink=shop.debug shop");
}

/* dwz does not change a file in which it can save nothing, so there are two equal ones. */
static const char dwz[] =
	"cp whole twin && dwz -m common -M $PWD/common shop twin && test -e common";

Test(lookup, dwz4)
{
	need("dwz");
	compare_wrapped("g++", "-O2 -g -gdwarf-4", dwz);
}

Test(lookup, dwz5)
{
	need("dwz");
	compare_wrapped("g++", "-O2 -g -gdwarf-5", dwz);
}

Test(lookup, dwz_single)
{
	need("dwz");
	compare_wrapped("g++", "-O2 -g -gdwarf-5", "dwz shop");
}

/* DWARF 5's own way to name the supplementary file. */
Test(lookup, dwz_debug_sup)
{
	need("dwz");
	compare_wrapped("g++", "-O2 -g -gdwarf-5",
			"cp whole twin && dwz -5 -m common -M $PWD/common shop twin && "
			"readelf -SW shop | grep -q debug_sup");
}

Test(lookup, dwz_compressed_by_zstd)
{
	need("dwz");
	compare_wrapped(
		"g++", "-O2 -g -gdwarf-4",
		"cp whole twin && dwz -m common -M $PWD/common shop twin && test -e common && "
		"objcopy --compress-debug-sections=zstd shop && "
		"objcopy --compress-debug-sections=zstd common");
}

/* llvm-symbolizer 14 loses inlined calls in .dwo files of clang, so it reads the same code with the
 * DWARF in the program itself. The command `pack` changes the split one before the comparison. */
static void compare_split(const char *compiler, const char *flags, const char *how,
			  const char *pack)
{
	char commands[COMMANDS_SIZE], whole[NAME_SIZE], split[NAME_SIZE];

	need(compiler);
	compile(whole, compiler, flags, "");
	compile(split, compiler, flags, how);
	snprintf(commands, sizeof(commands), TAKE "take %s && mv shop whole && take %s && %s",
		 whole, split, pack);
	compare_made("shop.cc", source_cc, commands, "whole");
}

#define SPLIT(name, compiler, flags, pack) \
	Test(lookup, name) \
	{ \
		compare_split(compiler, flags, " -gsplit-dwarf", pack); \
	}

SPLIT(split_clang5, "clang++", "-O2 -g -gdwarf-5", "true")
SPLIT(split_clang4, "clang++", "-O2 -g -gdwarf-4", "true")
SPLIT(split_gcc5, "g++", "-O2 -g -gdwarf-5", "true")
SPLIT(split_gcc4, "g++", "-O2 -g -gdwarf-4", "true")
SPLIT(split_types5, "clang++", "-O2 -g -gdwarf-5 -fdebug-types-section", "true")
SPLIT(split_types4, "clang++", "-O2 -g -gdwarf-4 -fdebug-types-section", "true")
SPLIT(split_gcc_types5, "g++", "-O2 -g -gdwarf-5 -fdebug-types-section", "true")
SPLIT(split_gcc_types4, "g++", "-O2 -g -gdwarf-4 -fdebug-types-section", "true")
SPLIT(split_unoptimized, "g++", "-O0 -g", "true")
SPLIT(split_sections, "clang++", "-O2 -g -ffunction-sections", "true")
SPLIT(split_compressed, "g++", "-O2 -g -gdwarf-5", "objcopy --compress-debug-sections=zlib *.dwo")
SPLIT(split_by_zstd, "g++", "-O2 -g -gdwarf-5",
      "objcopy --compress-debug-sections=zstd *.dwo && "
      "objcopy --compress-debug-sections=zstd shop")

Test(lookup, split_inlining5)
{
	compare_split("clang++", "-O2 -g -gdwarf-5", " -gsplit-dwarf -fsplit-dwarf-inlining",
		      "true");
}

#define LLVM_DWP "llvm-dwp -e shop -o shop.dwp && rm *.dwo"
#define GNU_DWP "dwp -e shop -o shop.dwp && rm *.dwo"

SPLIT(dwp_clang5, "clang++", "-O2 -g -gdwarf-5", LLVM_DWP)
SPLIT(dwp_clang4, "clang++", "-O2 -g -gdwarf-4", LLVM_DWP)
SPLIT(dwp_gcc5, "g++", "-O2 -g -gdwarf-5", LLVM_DWP)
SPLIT(dwp_gcc4, "g++", "-O2 -g -gdwarf-4", LLVM_DWP)
SPLIT(dwp_types5, "clang++", "-O2 -g -gdwarf-5 -fdebug-types-section", LLVM_DWP)
SPLIT(dwp_types4, "clang++", "-O2 -g -gdwarf-4 -fdebug-types-section", LLVM_DWP)
SPLIT(dwp_of_gnu4, "g++", "-O2 -g -gdwarf-4", GNU_DWP)
SPLIT(dwp_compressed, "g++", "-O2 -g -gdwarf-5",
      LLVM_DWP " && objcopy --compress-debug-sections shop.dwp")
SPLIT(dwp_of_stripped, "g++", "-O2 -g -gdwarf-5",
      LLVM_DWP " && objcopy --only-keep-debug shop shop.debug && strip shop && "
	       "objcopy --add-gnu-debuglink=shop.debug shop")

Test(lookup, rust)
{
	need("rustc");
	compare_made("shop.rs", source_rs, "rustc -O -g shop.rs -o shop || exit " BROKEN, "shop");
}

Test(lookup, rust_v0)
{
	need("rustc");
	compare_made("shop.rs", source_rs,
		     "rustc -O -g -C symbol-mangling-version=v0 shop.rs -o shop", "shop");
}

Test(lookup, d)
{
	static const char source[] =
		"struct Box(T) { T v; T twice() const { return cast(T)(v + v); } }\n"
		"T fold(T, alias f)(T[] a) { T s; foreach (x; a) s = f(s, x); return s; }\n"
		"int add(int a, int b) { return a + b; }\n"
		"int sum(int[] a) { int s; foreach (x; a) s += Box!int(x).twice;\n"
		"	return s + fold!(int, add)(a); }\n"
		"int main(string[] args) { int[] a; foreach (s; args) a ~= cast(int)s.length; return sum(a); }\n";

	need("gdc");
	compare_made("shop.d", source, "gdc -O2 -g shop.d -o shop || exit " BROKEN, "shop");
}

/* Results for the stripped program must be those for the whole one. */
#define STRIPPED(name, flags, how) \
	Test(lookup, name) \
	{ \
		compare_wrapped("g++", flags, "{ " how " || exit " BROKEN "; }"); \
	}

STRIPPED(debuglink, "-O2 -g -Wl,--build-id=none",
	 "objcopy --only-keep-debug shop shop.debug && strip shop && "
	 "objcopy --add-gnu-debuglink=shop.debug shop")
STRIPPED(debuglink_subdir, "-O2 -g -gdwarf-5",
	 "mkdir .debug && objcopy --only-keep-debug shop .debug/s.dbg && strip shop && "
	 "objcopy --add-gnu-debuglink=.debug/s.dbg shop")

Test(lookup, mini_debug_info)
{
	need("xz");
	compare_wrapped("g++", "-O2",
			"{ objcopy --only-keep-debug shop mini && xz mini && strip shop && "
			"objcopy --add-section .gnu_debugdata=mini.xz shop || exit " BROKEN "; }");
}
