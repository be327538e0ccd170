/* The machine whose processes we look at: the one that we are built for. */
#ifndef BASE_PROCESS_MACHINE_H
#define BASE_PROCESS_MACHINE_H

#include <elf.h>

#if defined(__x86_64__)
enum { MACHINE_ELF = EM_X86_64 };
#define MACHINE_NAME "x86-64"
#elif defined(__aarch64__)
enum { MACHINE_ELF = EM_AARCH64 };
#define MACHINE_NAME "aarch64"
#else
#error "sampler is for x86-64 and aarch64"
#endif

#endif
