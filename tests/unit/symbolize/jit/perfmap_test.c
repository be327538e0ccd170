// links: symbolize
/* Perf maps: whole, cut at every byte, overlapping, broken, and which files are trusted. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/process.h"
#include "symbolize/jit/perfmap.h"
#include "symbolize/symbolizer.h"

static struct perfmap map;

static void parse(const char *text)
{
	map = (struct perfmap){ 0 };
	cr_assert_eq(perfmap_parse(&map, text, strlen(text)), 0);
}

static void expect(uint64_t addr, const char *name)
{
	const char *got = perfmap_find(&map, addr);

	cr_assert_eq(got != NULL, name != NULL, "%#lx: %s", addr, got ? got : "nothing");
	if (name)
		cr_assert_str_eq(got, name);
}

Test(perfmap, reads_lines_as_node_and_java_write_them)
{
	parse("3ef414c0 398 LazyCompile:~parse node:internal/url:12\n"
	      "0x7f1000 0x20 Interpreter\n"
	      "7f2000 10 void Foo::bar(int)\n");
	expect(0x3ef414c0, "LazyCompile:~parse node:internal/url:12");
	expect(0x3ef414c0 + 0x397, "LazyCompile:~parse node:internal/url:12");
	expect(0x3ef414c0 + 0x398, NULL);
	expect(0x7f101f, "Interpreter");
	expect(0x7f200f, "void Foo::bar(int)");
	expect(0x7f0fff, NULL);
	cr_assert_eq(map.bad_lines, 0);
	perfmap_release(&map);
}

Test(perfmap, takes_the_later_of_two_that_overlap)
{
	parse("1000 100 first\n"
	      "1040 20 second\n"
	      "1050 200 third\n"
	      "1000 10 fourth\n");
	expect(0x1000, "fourth");
	expect(0x1010, "first");
	expect(0x1040, "second");
	expect(0x1050, "third");
	expect(0x10ff, "third");
	expect(0x124f, "third");
	expect(0x1250, NULL);
	perfmap_release(&map);
}

Test(perfmap, keeps_both_sides_of_what_a_later_line_covers)
{
	parse("1000 100 method\n"
	      "1040 10 stub\n");
	expect(0x103f, "method");
	expect(0x1040, "stub");
	expect(0x1050, "method");
	perfmap_release(&map);
}

Test(perfmap, leaves_out_broken_lines)
{
	parse("\n"
	      "zz 10 x\n"
	      "1000\n"
	      "1000 10\n"
	      "1000 10 \n"
	      "1000 0 empty\n"
	      "ffffffffffffffff 10 beyond\n"
	      "11111111111111111 10 long\n"
	      "-1 10 minus\n"
	      "2000 10 good");
	expect(0x1000, NULL);
	expect(0x2000, "good");
	cr_assert_eq(map.bad_lines, 9);
	perfmap_release(&map);
}

Test(perfmap, survives_truncation_at_every_byte)
{
	static const char text[] = "1000 10 a name\n0x2000 0x20 another\n";

	for (size_t len = 0; len < sizeof(text); len++) {
		char *copy = malloc(len + 1);

		memcpy(copy, text, len);
		map = (struct perfmap){ 0 };
		cr_assert_eq(perfmap_parse(&map, copy, len), 0);
		cr_assert(map.count <= 2);
		perfmap_release(&map);
		free(copy);
	}
}

/* Our own process, with a temporary folder as its root. */
static struct process self;
static char root[64], file[128];

static void open_root(void)
{
	strcpy(root, "/tmp/sampler-perfmap-XXXXXX");
	cr_assert_not_null(mkdtemp(root));
	snprintf(file, sizeof(file), "%s/tmp", root);
	cr_assert_eq(mkdir(file, 0700), 0);
	snprintf(file, sizeof(file), "%s/tmp/perf-%d.map", root, getpid());
	cr_assert_eq(process_open(&self, getpid(), NULL), 0);
	close(self.root_fd);
	self.root_fd = open(root, O_PATH | O_DIRECTORY);
	map = (struct perfmap){ 0 };
}

static void close_root(void)
{
	unlink(file);
	*strrchr(file, '/') = '\0';
	rmdir(file);
	rmdir(root);
	process_close(&self);
	perfmap_release(&map);
}

static void write_map(const char *text)
{
	FILE *f = fopen(file, "w");

	cr_assert_not_null(f);
	fputs(text, f);
	fclose(f);
}

TestSuite(perfmap_file, .init = open_root, .fini = close_root);

Test(perfmap_file, is_found_in_the_target_s_view)
{
	write_map("1000 10 jitted\n");
	cr_assert_eq(perfmap_load(&map, &self, NULL), 0);
	expect(0x1005, "jitted");
}

Test(perfmap_file, need_not_be_there)
{
	struct error err = { 0 };

	cr_assert_eq(perfmap_load(&map, &self, &err), ERR_NOTFOUND);
	cr_assert(strstr(err.text, "no '/tmp/perf-"));
}

Test(perfmap_file, must_be_a_regular_file)
{
	cr_assert_eq(mkfifo(file, 0600), 0);
	cr_assert_eq(perfmap_load(&map, &self, NULL), ERR_PERM);
}

/* Otherwise a user who can write to the target's /tmp could make us read any file as root. */
Test(perfmap_file, must_not_be_a_link)
{
	struct error err = { 0 };

	cr_assert_eq(symlink("elsewhere", file), 0);
	cr_assert_eq(perfmap_load(&map, &self, &err), ERR_PERM);
	cr_assert(strstr(err.text, "is a link"), "%s", err.text);
}

Test(perfmap_file, must_not_be_of_another_user)
{
	write_map("1000 10 jitted\n");
	if (chown(file, 1234, 1234))
		cr_skip_test("not root, no file can be given away");
	cr_assert_eq(perfmap_load(&map, &self, NULL), ERR_PERM);
}

Test(perfmap_file, must_not_be_endless)
{
	write_map("");
	cr_assert_eq(truncate(file, (256l << 20) + 1), 0);
	cr_assert_eq(perfmap_load(&map, &self, NULL), ERR_LIMIT);
}

/* Through the symbolizer, with a name that has a terminal's control sequence. */
Test(perfmap_file, names_anonymous_code)
{
	struct image *anon = image_open_none("[anon]");
	struct symbolizer *s;
	struct symbol symbol;

	write_map("1000 10 clear\033[2Jme\n2000 10 _ZN3jit4codeEv\nbroken\n");
	cr_assert_eq(symbolizer_new(&s, &self, 0), 0);
	cr_assert_null(symbolizer_note(s, anon));
	cr_assert_eq(symbolizer_lookup(s, anon, 0x100f, &symbol), 0);
	cr_assert_eq(symbol.count, 1);
	cr_assert_str_eq(symbol.frames[0].name, "clear?[2Jme");
	cr_assert_null(symbol.frames[0].file);
	cr_assert_eq(symbolizer_lookup(s, anon, 0x2000, &symbol), 0);
	cr_assert_str_eq(symbol.frames[0].name, "jit::code");
	cr_assert_str_eq(symbol.frames[0].system_name, "_ZN3jit4codeEv");
	cr_assert_eq(symbolizer_lookup(s, anon, 0x3000, &symbol), 0);
	cr_assert_eq(symbol.count, 0);
	cr_assert_str_eq(symbolizer_note(s, anon),
			 "2 functions from the perf map, 1 broken lines left out");
	symbolizer_free(s);
	image_free(anon);
}

Test(perfmap, is_not_asked_for_code_of_files)
{
	struct image *gone = image_open_none("/usr/lib/gone.so");
	struct symbolizer *s;
	struct symbol symbol;

	cr_assert_eq(symbolizer_new(&s, NULL, 0), 0);
	cr_assert_eq(symbolizer_lookup(s, gone, 0x1000, &symbol), 0);
	cr_assert_eq(symbol.count, 0);
	cr_assert_not_null(symbolizer_note(s, gone));
	symbolizer_free(s);
	image_free(gone);
}
