/*
 * Where the Go linker has put its tables in a file.
 *
 * Each Go program, plugin and library made with cgo has one module: the table of its functions
 * (pclntab) and a record of where everything is (runtime.moduledata). Both survive stripping,
 * because the runtime needs them.
 *
 * Sources: runtime/symtab.go (pcHeader, moduledata), cmd/link/internal/ld/pcln.go, Go 1.16 to 1.27.
 */
#ifndef BASE_PROCESS_GOMODULE_H
#define BASE_PROCESS_GOMODULE_H

#include <stdint.h>

struct image;
struct lazyfile;

/* By the magic number of the table's header (internal/abi/symtab.go). */
enum go_format {
	GO_1_16 = 1, /* 1.16 and 1.17: addresses are pointers */
	GO_1_18,     /* 1.18 and 1.19: addresses are distances from the text's start */
	GO_1_20,     /* 1.20 and later */
};

struct gomodule {
	enum go_format format;
	uint64_t pclntab, size; /* image address, bytes to the segment's end */
	uint64_t functions;	/* how many functions there are */
	/* Offsets in pclntab, bytes: names of functions, indices of files by compilation unit,
	 * names of files, tables of values by pc, table of functions. */
	uint64_t names, units, files, values, table;
	uint64_t text;		/* start of the text; GO_1_18 and later count from it */
	uint64_t moduledata;	/* 0: not found */
	uint64_t types, etypes; /* run-time type descriptors; 0: not known */
	uint64_t gofunc;	/* what function data counts from; 0: not known, or GO_1_16 */
};

/* Finds the module of an image. ERR_NOTFOUND when it has none; ERR_FORMAT when there is a table but
 * the start of the text was not found. */
int gomodule_find(const struct image *image, struct lazyfile *file, struct gomodule *m);

#endif
