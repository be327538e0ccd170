/* Symbols and slots of this process's libc, against what the loader made of them. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "base/process/elfsymbol.h"
#include "base/process/image.h"

static struct image *libc;
static uint64_t bias;

/* A function that AddressSanitizer does not replace by one of its own library. */
#define FUNCTION "getauxval"

static void open_libc(void)
{
	Dl_info info;

	cr_assert(dladdr(dlsym(RTLD_NEXT, FUNCTION), &info));
	bias = (uintptr_t)info.dli_fbase;
	cr_assert_eq(
		image_open(open(info.dli_fname, O_RDONLY | O_CLOEXEC), info.dli_fname, &libc, NULL),
		0);
}

static void close_libc(void)
{
	image_free(libc);
}

TestSuite(elfsymbol, .init = open_libc, .fini = close_libc);

Test(elfsymbol, functions_are_where_the_loader_put_them)
{
	struct elfsymbol s[] = { { .name = FUNCTION }, { .name = "no_such_function_anywhere" } };

	cr_assert_eq(elfsymbol_find(libc, s, 2), 1);
	cr_assert(s[0].found && !s[1].found);
	cr_assert_eq(bias + s[0].addr, (uintptr_t)dlsym(RTLD_NEXT, FUNCTION));
}

/* The first look notes which names there are; no later one misses any. */
Test(elfsymbol, all_names_are_found)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t count = 0;

	while ((scn = elf_nextscn(image_elf(libc), scn)) && gelf_getshdr(scn, &shdr))
		if (shdr.sh_type == SHT_DYNSYM)
			break;
	cr_assert(scn);
	for (GElf_Sym sym; gelf_getsym(elf_getdata(scn, NULL), (int)count, &sym); count++) {
		struct elfsymbol s = { .name = elf_strptr(image_elf(libc), shdr.sh_link,
							  sym.st_name) };

		if (sym.st_shndx != SHN_UNDEF && strlen(s.name) > 3)
			cr_assert(elfsymbol_find(libc, &s, 1), "%s", s.name);
	}
	cr_assert_gt(count, 1000);
}

#ifdef __GLIBC__
/* A program that uses stdout has the variable itself if it is no PIE, or a copy (R_X86_64_COPY). */
Test(elfsymbol, slot_has_the_address_that_all_use)
{
	uint64_t slot, addr;

	cr_assert(elfsymbol_slot(libc, "stdout", &slot));
	memcpy(&addr, (void *)(uintptr_t)(bias + slot), sizeof(addr));
	cr_assert_eq(addr, (uintptr_t)&stdout);
}
#endif

Test(elfsymbol, what_has_no_slot)
{
	struct image *none = image_open_none("[anon]");
	uint64_t slot;

	cr_assert(!elfsymbol_slot(libc, "no_such_variable_anywhere", &slot));
	cr_assert(!elfsymbol_slot(none, "stdout", &slot));
	image_free(none);
}
