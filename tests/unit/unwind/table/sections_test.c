/* The sections in which an image's CFI is found: files made with libelf, each with one rule for
 * [0x1000, 0x1100), whose CFA shows the section that it comes from. */
#include <criterion/criterion.h>
#include <gelf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/process/image.h"
#include "base/process/machine.h"
#include "unwind/table/starts.h"
#include "unwind/table/table.h"
#include "tests/unit/unwind/cfi_bytes.h"

enum { CODE_START = 0x1000, CODE_SIZE = 0x1000, EH_CFA = 0x20, DEBUG_CFA = 0x30 };

struct maker {
	int fd;
	Elf *elf;
	size_t names;
	char strings[128];
};

static void make_begin(struct maker *m)
{
	GElf_Ehdr eh;
	GElf_Phdr ph;

	elf_version(EV_CURRENT);
	memset(m, 0, sizeof(*m));
	m->names = 1;
	m->fd = memfd_create("made", MFD_CLOEXEC);
	m->elf = elf_begin(m->fd, ELF_C_WRITE, NULL);
	gelf_newehdr(m->elf, ELFCLASS64);
	gelf_newphdr(m->elf, 2);
	gelf_getehdr(m->elf, &eh);
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_machine = MACHINE_ELF;
	eh.e_type = ET_DYN;
	gelf_update_ehdr(m->elf, &eh);
	gelf_getphdr(m->elf, 0, &ph);
	ph.p_type = PT_LOAD;
	ph.p_flags = PF_R | PF_X;
	ph.p_vaddr = CODE_START;
	ph.p_memsz = CODE_SIZE;
	gelf_update_phdr(m->elf, 0, &ph);
}

/* Adds a section with these bytes, which must stay valid until make_end. Returns its number. */
static size_t make_section(struct maker *m, const char *name, uint32_t type, uint64_t addr,
			   const void *data, size_t len)
{
	Elf_Scn *scn = elf_newscn(m->elf);
	Elf_Data *d = elf_newdata(scn);
	GElf_Shdr shdr;

	d->d_buf = (void *)data;
	d->d_size = len;
	d->d_align = 8;
	d->d_type = ELF_T_BYTE;
	gelf_getshdr(scn, &shdr);
	shdr.sh_type = type;
	shdr.sh_addr = addr;
	shdr.sh_name = (GElf_Word)m->names;
	strcpy(m->strings + m->names, name);
	m->names += strlen(name) + 1;
	gelf_update_shdr(scn, &shdr);
	return elf_ndxscn(scn);
}

static struct image *make_end(struct maker *m)
{
	struct image *image = NULL;
	GElf_Ehdr eh;
	size_t n = make_section(m, ".shstrtab", SHT_STRTAB, 0, m->strings, sizeof(m->strings));

	gelf_getehdr(m->elf, &eh);
	eh.e_shstrndx = (GElf_Half)n;
	gelf_update_ehdr(m->elf, &eh);
	cr_assert_gt(elf_update(m->elf, ELF_C_WRITE), 0, "%s", elf_errmsg(-1));
	elf_end(m->elf);
	cr_assert_eq(image_open(m->fd, "/made", &image, NULL), 0);
	return image;
}

static struct cfi_table *build(const struct image *image)
{
	struct cfi_table *t = NULL;

	cr_assert_eq(cfi_table_build(image, &t, NULL), 0);
	return t;
}

static int32_t cfa_of(const struct image *image, uint64_t pc)
{
	struct cfi_table *t = build(image);
	const struct cfi_rule *r = rule_at(t, pc);
	int32_t cfa = r ? r->cfa_value : 0;

	cfi_table_free(t);
	return cfa;
}

static struct buffer eh, debug;

static void set_up(void)
{
	put_fde(&eh, put_cie(&eh, "zR"), CODE_START, 0x100, CODE("\x0e\x20"));
	put32(&eh, 0);
	put_debug_fde(&debug, put_debug_cie(&debug), CODE_START, 0x200, CODE("\x0e\x30"));
}

static void tear_down(void)
{
	buffer_release(&eh);
	buffer_release(&debug);
}

TestSuite(sections, .init = set_up, .fini = tear_down);

Test(sections, both_by_name)
{
	struct maker m;
	struct image *image;

	make_begin(&m);
	make_section(&m, ".debug_frame", SHT_PROGBITS, 0, debug.data, debug.len);
	make_section(&m, ".eh_frame", SHT_PROGBITS, 0x3000, eh.data, eh.len);
	image = make_end(&m);
	cr_assert_eq(cfa_of(image, CODE_START), EH_CFA);
	cr_assert_eq(cfa_of(image, CODE_START + 0x100), DEBUG_CFA);
	image_free(image);
}

/* The symbolizer reads the same image, so the section must not be uncompressed in the image
 * itself. */
Test(sections, a_compressed_one_and_the_image_stays_as_it_is)
{
	static uint8_t padding[4096];
	struct maker m;
	struct image *image;
	Elf_Scn *scn;
	GElf_Shdr shdr;
	size_t n;

	buffer_add(&debug, padding, sizeof(padding)); /* so that compression makes it smaller */
	make_begin(&m);
	n = make_section(&m, ".debug_frame", SHT_PROGBITS, 0, debug.data, debug.len);
	cr_assert_eq(elf_compress(elf_getscn(m.elf, n), ELFCOMPRESS_ZLIB, 0), 1, "%s",
		     elf_errmsg(-1));
	image = make_end(&m);
	cr_assert_eq(cfa_of(image, CODE_START), DEBUG_CFA);
	cr_assert_eq(cfa_of(image, CODE_START), DEBUG_CFA, "also a second time");
	scn = elf_getscn(image_elf(image), n);
	cr_assert_not_null(gelf_getshdr(scn, &shdr));
	cr_assert(shdr.sh_flags & SHF_COMPRESSED);
	cr_assert_lt(elf_rawdata(scn, NULL)->d_size, 500);
	image_free(image);
}

Test(sections, from_bytes)
{
	struct maker m;
	struct image *file, *image;
	char *bytes;
	off_t len;

	make_begin(&m);
	elf_compress(elf_getscn(m.elf, make_section(&m, ".debug_frame", SHT_PROGBITS, 0, debug.data,
						    debug.len)),
		     ELFCOMPRESS_ZLIB, ELF_CHF_FORCE);
	file = make_end(&m);
	len = lseek(image_fd(file), 0, SEEK_END);
	bytes = mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE, image_fd(file), 0);
	cr_assert_neq(bytes, MAP_FAILED);
	cr_assert_eq(image_open_bytes(bytes, (size_t)len, "[vdso]", &image, NULL), 0);
	cr_assert_eq(cfa_of(image, CODE_START), DEBUG_CFA);
	cr_assert_eq(cfa_of(image, CODE_START), DEBUG_CFA);
	cr_assert_eq(memcmp(elf_rawfile(image_elf(image), NULL), bytes, (size_t)len), 0);
	munmap(bytes, (size_t)len);
	image_free(image);
	image_free(file);
}

/* Whatever size a section states, it costs no more than its bytes can contain. */
Test(sections, a_compressed_one_that_lies_is_left_out)
{
	static const Elf64_Chdr lie = { .ch_type = ELFCOMPRESS_ZLIB,
					.ch_size = 1ull << 40,
					.ch_addralign = 8 };
	struct maker m;
	struct image *image;
	size_t n;
	Elf_Scn *scn;
	GElf_Shdr shdr;

	make_begin(&m);
	n = make_section(&m, ".debug_frame", SHT_PROGBITS, 0, &lie, sizeof(lie));
	make_section(&m, ".eh_frame", SHT_PROGBITS, 0x3000, eh.data, eh.len);
	scn = elf_getscn(m.elf, n);
	gelf_getshdr(scn, &shdr);
	shdr.sh_flags |= SHF_COMPRESSED;
	gelf_update_shdr(scn, &shdr);
	image = make_end(&m);
	cr_assert_eq(cfa_of(image, CODE_START), EH_CFA);
	cr_assert_eq(cfa_of(image, CODE_START + 0x100), 0);
	image_free(image);
}

Test(sections, a_file_without_cfi_has_an_empty_table)
{
	struct maker m;
	struct image *image;

	make_begin(&m);
	make_section(&m, ".eh_frame", SHT_NOBITS, 0x3000, NULL, 64);
	image = make_end(&m);
	cr_assert_eq(cfa_of(image, CODE_START), 0);
	image_free(image);
}

Test(sections, nor_does_what_is_no_elf_file)
{
	struct image *image = image_open_none("[anon]");

	cr_assert_eq(cfa_of(image, CODE_START), 0);
	image_free(image);
}

Test(sections, addresses_relative_to_eh_frame_hdr)
{
	static const uint32_t addresses[2] = { CODE_START - 0x2000, 0x100 };
	struct buffer b = { 0 };
	struct maker m;
	struct image *image;

	put_fde_with(&b, put_cie_with(&b, false, "zR", "\x3b", 1, USUAL_CODE), addresses,
		     sizeof(addresses), CODE("\x0e\x28"));
	make_begin(&m);
	make_section(&m, ".eh_frame", SHT_PROGBITS, 0x3000, b.data, b.len);
	make_section(&m, ".eh_frame_hdr", SHT_PROGBITS, 0x2000, "", 1);
	image = make_end(&m);
	cr_assert_eq(cfa_of(image, CODE_START), 0x28);
	image_free(image);
	buffer_release(&b);
}

/* Where functions begin. */

static uint64_t start_of(const struct image *image, uint64_t addr)
{
	struct cfi_starts *starts = NULL;
	uint64_t start;

	cr_assert_eq(cfi_starts_read(&starts, image), 0);
	start = cfi_starts_find(starts, addr);
	cfi_starts_free(starts);
	return start;
}

Test(sections, a_function_begins_where_its_entry_does)
{
	struct buffer b = { 0 };
	size_t cie = put_cie(&b, "zR");
	struct maker m;
	struct image *image;

	put_fde(&b, cie, CODE_START + 0x80, 0x40, CODE(""));
	put_fde(&b, cie, CODE_START, 0x80, CODE(""));
	put_fde(&b, cie, CODE_START + 0x100, 0x10, CODE("\xff")); /* broken instructions */
	make_begin(&m);
	make_section(&m, ".eh_frame", SHT_PROGBITS, 0x3000, b.data, b.len);
	image = make_end(&m);
	cr_expect_eq(start_of(image, CODE_START - 1), 0);
	cr_expect_eq(start_of(image, CODE_START), CODE_START);
	cr_expect_eq(start_of(image, CODE_START + 0x7f), CODE_START);
	cr_expect_eq(start_of(image, CODE_START + 0x80), CODE_START + 0x80);
	cr_expect_eq(start_of(image, CODE_START + 0xbf), CODE_START + 0x80);
	cr_expect_eq(start_of(image, CODE_START + 0xc0), 0);
	cr_expect_eq(start_of(image, CODE_START + 0x10f), CODE_START + 0x100);
	image_free(image);
	buffer_release(&b);
}

Test(sections, debug_frame_has_starts_too)
{
	struct maker m;
	struct image *image;

	make_begin(&m);
	make_section(&m, ".debug_frame", SHT_PROGBITS, 0, debug.data, debug.len);
	make_section(&m, ".eh_frame", SHT_PROGBITS, 0x3000, eh.data, eh.len);
	image = make_end(&m);
	cr_expect_eq(start_of(image, CODE_START + 0x50), CODE_START);
	cr_expect_eq(start_of(image, CODE_START + 0x150), CODE_START, "only .debug_frame has it");
	image_free(image);
}

Test(sections, a_procedure_linkage_table_is_no_function)
{
	static const char *const names[] = { ".plt", ".plt.got", ".plt.sec", ".iplt" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct maker m;
		struct image *image;

		make_begin(&m);
		make_section(&m, ".eh_frame", SHT_PROGBITS, 0x3000, eh.data, eh.len);
		make_section(&m, names[i], SHT_PROGBITS, CODE_START, eh.data, 0x40);
		image = make_end(&m);
		cr_expect_eq(start_of(image, CODE_START + 0x20), 0, "%s", names[i]);
		image_free(image);
	}
}

Test(sections, what_is_no_elf_file_has_no_starts)
{
	struct image *image = image_open_none("[anon]");

	cr_expect_eq(start_of(image, CODE_START), 0);
	image_free(image);
}
