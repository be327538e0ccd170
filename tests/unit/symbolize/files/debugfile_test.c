// links: symbolize
/* Separate debug files: where they are looked for, and which are refused. */
#include <string.h>
#include <sys/stat.h>

#include "base/process/process.h"
#include "symbolize/files/debugfile.h"
#include "symbolize/symbolizer.h"
#include "tests/unit/symbolize/workshop.h"

static const char source[] = "int work(int x) { return x * 3; }\n"
			     "int main(int c, char **v) { return work(c) + !v; }\n";

static struct process target; /* with the workshop as its root directory */
static char note[256];

static void enter(void)
{
	workshop_enter();
	need("cc");
	need("objcopy");
	write_file("p.c", source, strlen(source));
	cr_assert_eq(process_open(&target, getpid(), NULL), 0);
	close(target.root_fd);
	target.root_fd = open(workshop_dir, O_PATH | O_DIRECTORY);
}

static void leave(void)
{
	process_close(&target);
	workshop_leave();
}

TestSuite(debugfile, .init = enter, .fini = leave);

/* Builds "p", stripped, and "p.debug" with what was stripped. */
static void build(const char *flags)
{
	cr_assert(
		run("cc -g %s p.c -o p && objcopy --only-keep-debug p p.debug && strip p", flags));
}

static void expect(struct image *image, const char *path)
{
	struct image *found = debugfile_find(image, &target, note, sizeof(note));

	cr_assert_eq(found != NULL, path != NULL, "note: %s", note);
	if (path)
		cr_assert(strstr(image_path(found), path), "%s", image_path(found));
	image_free(found);
	image_free(image);
}

Test(debugfile, by_build_id_in_the_target_s_root)
{
	struct image *image;

	build("-Wl,--build-id=0xabcdef0123");
	cr_assert(run("mkdir -p usr/lib/debug/.build-id/ab && "
		      "cp p.debug usr/lib/debug/.build-id/ab/cdef0123.debug"));
	image = open_image("p");
	cr_assert_str_eq(image_build_id(image), "abcdef0123");
	expect(image, "/usr/lib/debug/.build-id/ab/cdef0123.debug");
	cr_assert_str_eq(note, "");
}

Test(debugfile, by_build_id_refuses_another_build)
{
	build("-Wl,--build-id=0xabcdef0124");
	cr_assert(run("mkdir -p usr/lib/debug/.build-id/ab && "
		      "cp p.debug usr/lib/debug/.build-id/ab/cdef0123.debug"));
	build("-Wl,--build-id=0xabcdef0123");
	expect(open_image("p"), NULL);
	cr_assert(strstr(note, "'/usr/lib/debug/.build-id/ab/cdef0123.debug' belongs to another"));
}

/* The image's path is looked up in the target's root first, then in ours. */
Test(debugfile, by_link_beside_below_and_in_the_tree)
{
	static const char *const places[] = { "", ".debug/", NULL };

	build("-Wl,--build-id=none");
	cr_assert(run("objcopy --add-gnu-debuglink=p.debug p && mv p.debug kept"));
	for (int i = 0; places[i]; i++) {
		cr_assert(run("mkdir -p ./%s && cp kept ./%sp.debug", places[i], places[i]));
		expect(open_image("p"), "p.debug");
		cr_assert(run("rm ./%sp.debug", places[i]));
	}
	cr_assert(run("mkdir -p usr/lib/debug%s && cp kept usr/lib/debug%s/p.debug", workshop_dir,
		      workshop_dir));
	expect(open_image("p"), "/usr/lib/debug/tmp/");
	cr_assert_str_eq(note, "");
}

Test(debugfile, by_link_checks_the_crc)
{
	build("-Wl,--build-id=none");
	cr_assert(run("objcopy --add-gnu-debuglink=p.debug p && "
		      "(printf x >> p.debug)"));
	expect(open_image("p"), NULL);
	cr_assert(strstr(note, "belongs to another build"));
}

Test(debugfile, by_link_prefers_build_ids_to_the_crc)
{
	build("-Wl,--build-id=0xabcdef0123");
	cr_assert(run("objcopy --add-gnu-debuglink=p.debug p && (printf x >> p.debug)"));
	expect(open_image("p"), "p.debug");
	build("-Wl,--build-id=0xabcdef0124");
	cr_assert(run("mv p.debug other && cc -g -Wl,--build-id=0xabcdef0123 p.c -o p && "
		      "mv other p.debug && objcopy --add-gnu-debuglink=p.debug p"));
	expect(open_image("p"), NULL);
	cr_assert(strstr(note, "belongs to another build"));
}

Test(debugfile, is_never_a_fifo)
{
	build("-Wl,--build-id=none");
	cr_assert(run("objcopy --add-gnu-debuglink=p.debug p && rm p.debug && mkfifo p.debug"));
	expect(open_image("p"), NULL);
}

/* Nothing is found by a .gnu_debuglink of these bytes: a name up to a NUL, without '/', a CRC. */
static void link_with(const char *bytes, size_t len)
{
	build("-Wl,--build-id=none");
	write_file("link", bytes, len);
	cr_assert(run("objcopy --add-section .gnu_debuglink=link p"));
	expect(open_image("p"), NULL);
}

Test(debugfile, survives_broken_links)
{
	link_with("", 0);
	link_with("\0\0\0\0\0\0\0\0", 8);
	link_with("p.debug", 7);
	link_with("p.debug\0\1\2\3", 11);
	link_with("../p.debug\0\0\1\2\3\4", 16);
}

/* Makes by hand what dwz makes: a supplementary file, and the link to it in `section`. */
static void make_supplementary(const char *link, size_t len, const char *section)
{
	cr_assert(run("mkdir -p usr/lib/debug/.dwz && "
		      "cc -g -c p.c -o s.o && ld -shared --build-id=0x0123456789 s.o -o s && "
		      "objcopy --only-keep-debug s usr/lib/debug/.dwz/all.debug"));
	build("-Wl,--build-id=0xabcdef0123");
	write_file("link", link, len);
	cr_assert(run("objcopy --add-section %s=link p.debug", section));
}

static void expect_alt(const char *path)
{
	struct image *image = open_image("p.debug");
	struct image *alt = debugfile_find_alt(image, &target, note, sizeof(note));

	cr_assert_eq(alt != NULL, path != NULL, "note: %s", note);
	if (path)
		cr_assert_str_eq(image_path(alt), path);
	image_free(alt);
	image_free(image);
}

#define DWZ "/usr/lib/debug/.dwz/all.debug"

Test(debugfile, supplementary_by_gnu_debugaltlink)
{
	make_supplementary(DWZ "\0\x01\x23\x45\x67\x89", sizeof(DWZ) + 5, ".gnu_debugaltlink");
	expect_alt(DWZ);
	cr_assert_str_eq(note, "");
}

Test(debugfile, supplementary_by_debug_sup)
{
	make_supplementary("\5\0\0" DWZ "\0\5\x01\x23\x45\x67\x89", sizeof(DWZ) + 9, ".debug_sup");
	expect_alt(DWZ);
}

Test(debugfile, supplementary_refuses_another_build)
{
	make_supplementary(DWZ "\0\x01\x23\x45\x67\x00", sizeof(DWZ) + 5, ".gnu_debugaltlink");
	expect_alt(NULL);
	cr_assert(strstr(note, "belongs to another build"));
}

/* If its supplementary file is missing, DWARF is not used at all. */
Test(debugfile, supplementary_missing_is_said)
{
	struct symbolizer *s;
	struct symbol symbol;
	struct image *image;

	make_supplementary("/no/such\0\x01\x23\x45\x67\x89", 14, ".gnu_debugaltlink");
	image = open_image("p.debug");
	cr_assert_eq(symbolizer_new(&s, &target, 0), 0);
	cr_assert_eq(symbolizer_lookup(s, image, 1, &symbol), 0);
	cr_assert(strstr(symbolizer_note(s, image), "DWARF not used, '/no/such' is missing"));
	symbolizer_free(s);
	image_free(image);
}
