/* An ELF file of x86-64 that has nothing but code. */
#ifndef TESTS_FUZZ_CODEELF_H
#define TESTS_FUZZ_CODEELF_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

/* Makes a file of `at` + `len` bytes in `file`, whose code is at that offset and image address. `at`
 * leaves room for the headers. */
static inline void make_code_elf(uint8_t *file, uint64_t at, const uint8_t *code, uint64_t len)
{
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(eh),
			  .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1 };
	Elf64_Phdr ph = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = at + len, .p_memsz = at + len
	};

	memcpy(file, &eh, sizeof(eh));
	memcpy(file + sizeof(eh), &ph, sizeof(ph));
	memcpy(file + at, code, len);
}

#endif
