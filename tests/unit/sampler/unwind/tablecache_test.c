/* Tables in files: the table read is the table written; any other file is refused, or harmless. */
#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/cachedir.h"
#include "base/process/image.h"
#include "sampler/unwind/table/form.h"
#include "sampler/unwind/table/sections.h"
#include "sampler/unwind/tablecache.h"
#include "tests/unit/sampler/unwind/cfi_bytes.h"

enum { CODE_START = 0x1000, CODE_LEN = 0x200000, SALT = 77 };

static struct buffer eh, file;
static struct cfi_source source;
static struct cfi_table *table;

/* A table with plain and long rules, expressions, gaps, pages with and without rows. */
static void set_up(void)
{
	size_t cie = put_cie(&eh, "zR");

	put_fde(&eh, cie, CODE_START, 0x10, CODE("\x41\x0e\x10\x86\2"));
	put_fde(&eh, cie, CODE_START + 0x20, 0x10, CODE("\x0f\3\x77\x08\x06\x10\x03\2\x77\0"));
	put_fde(&eh, cie, CODE_START + 0x30, 0x10, CODE("\x09\x03\x06\x41\x08\x0c\x41\x07\x0d"));
	put_fde(&eh, cie, CODE_START + 0x40000, 0x10, CODE("\x0e\x20\x41\x0e\x28"));
	source = (struct cfi_source){
		.sections = { { .data = eh.data, .len = eh.len, .eh_frame = true,
				.ident = ident } },
		.count = 1, .base = CODE_START, .limit = CODE_START + CODE_LEN,
	};
	cr_assert_eq(cfi_table_compile(source.sections, 1, source.base, source.limit, &table, NULL),
		     0);
	cr_assert_gt(table->shape.long_rules, 1);
}

static void tear_down(void)
{
	cfi_table_free(table);
	buffer_release(&eh);
	buffer_release(&file);
}

TestSuite(tablecache, .init = set_up, .fini = tear_down);

/* Makes `file` the contents of the table's file. */
static void write_file(void)
{
	char head[TABLECACHE_HEAD];

	file.len = 0;
	cr_assert_eq(tablecache_make_head(head, &source, SALT, table), 0);
	buffer_add(&file, head, sizeof(head));
	buffer_add(&file, table->data, table->len);
}

static struct cfi_table *read_file(void)
{
	int fd = memfd_create("table", MFD_CLOEXEC);
	struct cfi_table *t;

	cr_assert_eq(write(fd, file.data, file.len), (ssize_t)file.len);
	lseek(fd, 0, SEEK_SET);
	t = tablecache_read(fd, file.len, &source);
	close(fd);
	return t;
}

static bool is_taken(void)
{
	struct cfi_table *t = read_file();

	cfi_table_free(t);
	return t;
}

Test(tablecache, comes_back_as_it_was)
{
	struct cfi_rule a, b;
	struct cfi_table *t;

	write_file();
	t = read_file();
	cr_assert_not_null(t);
	for (uint64_t pc = CODE_START - 8; pc < CODE_START + 0x50000; pc++) {
		bool has = cfi_table_rule_at(table, pc, &a);

		cr_assert_eq(has, cfi_table_rule_at(t, pc, &b), "%lx", pc);
		cr_assert(!has || !memcmp(&a, &b, sizeof(a)), "%lx", pc);
	}
	cfi_table_free(t);
}

Test(tablecache, of_other_bytes_is_refused)
{
	struct cfi_section *s = &source.sections[0];

	write_file();
	cr_assert(is_taken());
	eh.data[eh.len - 1] ^= 1;
	cr_assert_not(is_taken(), "another byte");
	eh.data[eh.len - 1] ^= 1;
	s->len--;
	cr_assert_not(is_taken(), "fewer");
	s->len++;
	s->vaddr += 16;
	cr_assert_not(is_taken(), "elsewhere");
	s->vaddr -= 16;
	s->eh_frame = false;
	cr_assert_not(is_taken(), "as .debug_frame");
	s->eh_frame = true;
	s->data_base = 1;
	cr_assert_not(is_taken(), "another .eh_frame_hdr");
	s->data_base = 0;
	source.limit--;
	cr_assert_not(is_taken(), "less code");
	source.limit++;
	source.sections[source.count++] = *s;
	cr_assert_not(is_taken(), "another section");
	source.count--;
	cr_assert(is_taken());
}

Test(tablecache, any_other_byte_is_refused)
{
	write_file();
	for (size_t i = 0; i < file.len; i++) {
		file.data[i] ^= 0x10;
		cr_assert_not(is_taken(), "byte %zu", i);
		file.data[i] ^= 0x10;
	}
	for (size_t len = file.len; len-- > 0;) {
		file.len = len;
		cr_assert_not(is_taken(), "%zu bytes", len);
	}
}

/* Reads all that a walk could read, so that sanitizers check it. */
static void use(const struct cfi_table *t)
{
	for (uint64_t at = 0; at < 0x50000; at += at < 64 ? 1 : 37) {
		struct cfi_rule rule;
		size_t len;

		if (!cfi_table_rule_at(t, CODE_START + at, &rule))
			continue;
		cr_assert_lt(rule.cfa_reg, DWARF_COUNT + 1);
		if (rule.cfa_reg == CFA_EXPRESSION)
			cr_assert_neq(cfi_table_expression(t, rule.cfa_value, &len)[len - 1], 0xaa);
		for (unsigned n = 0; n < DWARF_COUNT; n++)
			if (rule.columns[n].kind == COLUMN_SAVED_EXPR ||
			    rule.columns[n].kind == COLUMN_IS_EXPR)
				cr_assert_neq(cfi_table_expression(t, rule.columns[n].value,
								   &len)[len - 1], 0xaa);
	}
}

/* A forged file can have a right checksum. */
Test(tablecache, lies_are_refused_or_harmless, .timeout = 100)
{
	static const uint8_t flips[] = { 0x01, 0x80, 0xff, 0x55 };
	size_t taken = 0, tried = 0;

	for (size_t i = 0; i < table->len; i++)
		for (size_t f = 0; f < sizeof(flips); f++) {
			struct cfi_table *t;

			table->data[i] ^= flips[f];
			write_file();
			t = read_file();
			table->data[i] ^= flips[f];
			tried++;
			if (!t)
				continue;
			taken++;
			use(t);
			cfi_table_free(t);
		}
	cr_assert_gt(taken, 0, "an offset may be any");
	cr_assert_lt(taken, tried * 3 / 4);
}

#define REFUSES(field, value)                                                                      \
	do {                                                                                       \
		struct table_shape kept = table->shape;                                            \
                                                                                                   \
		table->shape.field = (value);                                                      \
		write_file();                                                                      \
		cr_assert_not(is_taken(), #field " = " #value);                                    \
		table->shape = kept;                                                               \
	} while (0)

Test(tablecache, sizes_that_do_not_fit_are_refused)
{
	REFUSES(shift, 17);
	REFUSES(shift, 64);
	REFUSES(pages, UINT32_MAX);
	REFUSES(pages, table->shape.pages - 1);
	REFUSES(rows, UINT32_MAX);
	REFUSES(rows, table->shape.rows + 1);
	REFUSES(rules, 65536);
	REFUSES(rules, UINT32_MAX);
	REFUSES(long_rules, table->shape.rules + 1);
	REFUSES(expressions, UINT32_MAX);
	REFUSES(expressions, 0);
}

/* From here on: images with a build ID, and with enough CFI to be worth a file. */

struct elf_file {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[2];
	struct {
		Elf64_Nhdr n;
		char name[4];
		uint8_t id[20];
	} note;
	Elf64_Shdr sh[3];
	char names[24];
};

static struct image *make_image(const struct buffer *cfi, uint8_t id_byte, uint32_t id_len)
{
	static const char names[24] = "\0.eh_frame\0.shstrtab";
	struct elf_file f = {
		.eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_phoff = offsetof(struct elf_file, ph),
			.e_shoff = offsetof(struct elf_file, sh), .e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2,
			.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2 },
		.ph = { { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = CODE_START,
			  .p_memsz = CODE_LEN },
			{ .p_type = PT_NOTE, .p_offset = offsetof(struct elf_file, note),
			  .p_filesz = 16 + id_len } },
		.note = { .n = { 4, id_len, NT_GNU_BUILD_ID }, .name = "GNU" },
		.sh = { { .sh_type = SHT_NULL },
			{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC,
			  .sh_addr = 0x400000, .sh_offset = sizeof(f), .sh_size = cfi->len },
			{ .sh_name = 11, .sh_type = SHT_STRTAB,
			  .sh_offset = offsetof(struct elf_file, names), .sh_size = 24 } },
	};
	int fd = memfd_create("image", MFD_CLOEXEC);
	struct image *image;

	memset(f.note.id, id_byte, sizeof(f.note.id));
	memcpy(f.names, names, sizeof(names));
	cr_assert_eq(write(fd, &f, sizeof(f)), sizeof(f));
	cr_assert_eq(write(fd, cfi->data, cfi->len), (ssize_t)cfi->len);
	cr_assert_eq(image_open(fd, "/made", &image, NULL), 0);
	return image;
}

/* Puts functions until there are `bytes` bytes of CFI. */
static void put_much(struct buffer *cfi, size_t bytes)
{
	size_t cie = put_cie(cfi, "zR");

	for (uint64_t pc = CODE_START; cfi->len < bytes; pc += 0x40)
		put_fde(cfi, cie, pc, 0x30, CODE("\x41\x0e\x10\x86\2"));
}

static char home[64];

static struct tablecache *open_cache(void)
{
	struct tablecache *c;
	int dir;

	if (!home[0]) {
		strcpy(home, "/tmp/tablecache-test-XXXXXX");
		cr_assert_not_null(mkdtemp(home));
		setenv("XDG_CACHE_HOME", home, 1);
	}
	cr_assert_eq(cachedir_open(&dir, NULL), 0);
	cr_assert_eq(tablecache_new(&c, dir), 0);
	return c;
}

static void remove_cache(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", home);
	cr_assert_eq(system(command), 0);
}

/* Does what one run of ours does. True if the image's table was loaded from the cache. */
static bool run_loads(const struct image *image)
{
	struct tablecache *c = open_cache();
	struct cfi_table *t;
	struct cfi_rule rule;
	bool loaded;

	cr_assert_eq(tablecache_table(c, image, &t, &loaded, NULL), 0);
	cr_assert(cfi_table_rule_at(t, CODE_START + 0x41, &rule));
	cr_assert_eq(rule.cfa_value, 16);
	cr_assert_eq(tablecache_save(c, NULL), 0);
	tablecache_free(c);
	cfi_table_free(t);
	return loaded;
}

Test(tablecache, from_run_to_run)
{
	struct buffer cfi = { 0 };
	struct image *image, *liar;

	put_much(&cfi, TABLECACHE_WORTH);
	image = make_image(&cfi, 0xab, 20);
	cr_assert_not(run_loads(image));
	cr_assert(run_loads(image));
	cr_assert(run_loads(image), "it stays");
	cfi.data[cfi.len - 1] ^= 3;
	liar = make_image(&cfi, 0xab, 20); /* the same build ID */
	cr_assert_not(run_loads(liar));
	cr_assert(run_loads(liar));
	cr_assert_not(run_loads(image), "the liar's has taken its place, and is not believed");
	image_free(liar);
	image_free(image);
	buffer_release(&cfi);
	remove_cache();
}

Test(tablecache, small_ones_and_those_without_build_id_are_not_kept)
{
	struct buffer cfi = { 0 }, less = { 0 };
	struct image *small, *nameless;

	put_much(&cfi, TABLECACHE_WORTH);
	put_much(&less, TABLECACHE_WORTH - 100);
	small = make_image(&less, 0xab, 20);
	nameless = make_image(&cfi, 0xcd, 4);
	for (int i = 0; i < 2; i++) {
		cr_assert_not(run_loads(small));
		cr_assert_not(run_loads(nameless));
	}
	image_free(small);
	image_free(nameless);
	buffer_release(&cfi);
	buffer_release(&less);
	remove_cache();
}

Test(tablecache, a_cache_that_cannot_be_written_does_no_harm)
{
	struct buffer cfi = { 0 };
	struct error err = { 0 };
	struct tablecache *c = open_cache();
	struct image *image;
	struct cfi_table *t;
	bool loaded;

	put_much(&cfi, TABLECACHE_WORTH);
	image = make_image(&cfi, 0xab, 20);
	remove_cache();
	cr_assert_eq(tablecache_table(c, image, &t, &loaded, NULL), 0);
	cr_assert_eq(tablecache_save(c, &err), ERR_IO);
	cr_assert_not_null(strstr(err.text, "cannot write"));
	tablecache_free(c);
	cfi_table_free(t);
	cr_assert_eq(tablecache_table(NULL, image, &t, &loaded, NULL), 0, "nor is none");
	cr_assert_not(loaded);
	cfi_table_free(t);
	image_free(image);
	buffer_release(&cfi);
}
