/* An ELF file of x86-64 that has nothing but code. */
#ifndef TESTS_FUZZ_CODEELF_H
#define TESTS_FUZZ_CODEELF_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

/* The header of a file with so many segments, whose headers follow it. */
static inline Elf64_Ehdr code_elf_header(uint16_t segments)
{
	return (Elf64_Ehdr){ .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
					  EV_CURRENT },
			     .e_type = ET_DYN,
			     .e_machine = EM_X86_64,
			     .e_version = EV_CURRENT,
			     .e_phoff = sizeof(Elf64_Ehdr),
			     .e_ehsize = sizeof(Elf64_Ehdr),
			     .e_phentsize = sizeof(Elf64_Phdr),
			     .e_phnum = segments };
}

/* Makes a file of `at` + `len` bytes in `file`, whose code is at that offset and image address. `at`
 * leaves room for the headers. */
static inline void make_code_elf(uint8_t *file, uint64_t at, const uint8_t *code, uint64_t len)
{
	Elf64_Ehdr eh = code_elf_header(1);
	Elf64_Phdr ph = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = at + len, .p_memsz = at + len
	};

	memcpy(file, &eh, sizeof(eh));
	memcpy(file + sizeof(eh), &ph, sizeof(ph));
	memcpy(file + at, code, len);
}

#endif
