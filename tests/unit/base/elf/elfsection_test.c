/* Sections as objcopy compresses them, and invalid ones. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/elf/elfsection.h"
#include "base/error.h"

enum { LEN = 100000 };

static uint8_t content[LEN];
static char dir[64];

static bool run(const char *command)
{
	char quiet[512];

	snprintf(quiet, sizeof(quiet), "(%s) >/dev/null 2>&1", command);
	return system(quiet) == 0;
}

static void leave(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	cr_assert(chdir("/") == 0 && run(command));
}

/* Makes "whole", an object with .debug_x of LEN bytes. */
static void enter(void)
{
	FILE *f;

	strcpy(dir, "/tmp/sampler-elfsection-XXXXXX");
	cr_assert_not_null(mkdtemp(dir));
	cr_assert_eq(chdir(dir), 0);
	for (int i = 0; i < LEN; i++)
		content[i] = (uint8_t)((unsigned)i * (unsigned)i >> 9);
	f = fopen("content", "wb");
	cr_assert_eq(fwrite(content, 1, LEN, f), LEN);
	fclose(f);
	if (run("echo 'int x;' | cc -x c -c - -o o && "
		"objcopy --add-section .debug_x=content --set-section-flags .debug_x=debug o whole"))
		return;
	leave();
	cr_skip_test("no compiler here, or no objcopy");
}

TestSuite(elfsection, .init = enter, .fini = leave);

static Elf *open_file(const char *name)
{
	elf_version(EV_CURRENT);
	return elf_begin(open(name, O_RDONLY | O_CLOEXEC), ELF_C_READ, NULL);
}

static void expect(const char *file, const char *name, bool plain)
{
	Elf *elf = open_file(file);
	struct elfbytes b;
	GElf_Shdr shdr;
	uint64_t size;
	Elf_Scn *scn = elfsection_next(elf, NULL, name, &shdr);

	cr_assert_not_null(scn);
	cr_assert(elfsection_plain_size(elf, scn, &size));
	cr_assert_eq(size, LEN);
	cr_assert_eq(elfsection_bytes(elf, scn, LEN - 1, &b), ERR_LIMIT);
	cr_assert_null(b.data);
	cr_assert_eq(elfsection_bytes(elf, scn, LEN, &b), 0);
	cr_assert_eq(b.len, LEN);
	cr_assert_eq(memcmp(b.data, content, LEN), 0);
	cr_assert_eq(b.owned == NULL, plain);
	free(b.owned);
	cr_assert_null(elfsection_next(elf, scn, name, &shdr));
	elf_end(elf);
}

Test(elfsection, plain)
{
	Elf *elf = open_file("whole");

	expect("whole", ".debug_x", true);
	cr_assert_eq(elfsection_raw(elf, ".debug_x", LEN)->d_size, LEN);
	cr_assert_null(elfsection_raw(elf, ".debug_x", LEN - 1));
	cr_assert_null(elfsection_raw(elf, ".debug_y", LEN));
	elf_end(elf);
}

Test(elfsection, zlib)
{
	cr_assert(run("objcopy --compress-debug-sections=zlib whole z"));
	expect("z", ".debug_x", false);
}

Test(elfsection, zlib_as_gnu_did)
{
	cr_assert(run("objcopy --compress-debug-sections=zlib-gnu whole z"));
	expect("z", ".zdebug_x", false);
}

Test(elfsection, zstd)
{
	if (!run("objcopy --compress-debug-sections=zstd whole z")) {
		leave();
		cr_skip_test("this objcopy has no zstd");
	}
	expect("z", ".debug_x", false);
}

/* Makes "z", whose section is compressed as `how`, and changes bytes of the section. */
static void change(const char *how, long offset, uint64_t value, size_t bytes)
{
	char command[128];
	GElf_Shdr shdr;
	Elf *elf;
	int fd;

	snprintf(command, sizeof(command), "objcopy --compress-debug-sections=%s whole z", how);
	cr_assert(run(command));
	elf = open_file("z");
	cr_assert_not_null(elfsection_next(elf, NULL, ".debug_x", &shdr));
	elf_end(elf);
	fd = open("z", O_WRONLY);
	cr_assert_eq(pwrite(fd, &value, bytes, (off_t)shdr.sh_offset + offset), (ssize_t)bytes);
	close(fd);
}

static int read_changed(void)
{
	Elf *elf = open_file("z");
	struct elfbytes b;
	GElf_Shdr shdr;
	int rc = elfsection_bytes(elf, elfsection_next(elf, NULL, ".debug_x", &shdr), 1 << 30, &b);

	cr_assert_null(b.data);
	cr_assert_null(b.owned);
	elf_end(elf);
	return rc;
}

Test(elfsection, broken)
{
	static const char *const ways[] = { "zlib", "zstd" };

	for (int i = 0; i < (run("objcopy --compress-debug-sections=zstd whole z") ? 2 : 1); i++) {
		change(ways[i], 0, 0, 4); /* not a way to compress */
		cr_assert_eq(read_changed(), 0);
		change(ways[i], 0, 77, 4);
		cr_assert_eq(read_changed(), 0);
		change(ways[i], 8, UINT64_MAX, 8); /* more than can come out */
		cr_assert_eq(read_changed(), 0);
		change(ways[i], 8, LEN - 1, 8);
		cr_assert_eq(read_changed(), ERR_FORMAT);
		change(ways[i], 8, LEN + 1, 8);
		cr_assert_eq(read_changed(), ERR_FORMAT);
		change(ways[i], 24, 0x4141414141414141, 8); /* nonsense */
		cr_assert_eq(read_changed(), ERR_FORMAT);
	}
}
