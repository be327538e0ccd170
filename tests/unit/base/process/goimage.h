/*
 * A made-up Go module in the formats of the releases: functions that the test describes, their
 * pclntab and moduledata, in an ELF file without sections.
 */
#ifndef TESTS_UNIT_TARGET_GOIMAGE_H
#define TESTS_UNIT_TARGET_GOIMAGE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/process/gomodule.h"

enum {
	MADE_TEXT = 0x1000,
	MADE_FUNCTION = 0x100, /* distance between functions */
	MADE_PCLNTAB = 0x8000,
	MADE_GOFUNC = 0x18000,
	MADE_DATA = 0x20000,
	MADE_END = 0x21000,
	MADE_PUSHED = 4, /* from this byte of a function on, its `depth` bytes are on the stack */
};

struct made_function {
	const char *name;
	int32_t depth;
	uint8_t flags;
	bool foreign;	  /* other compilers' code: no tables */
	const char *code; /* its bytes; NULL: none */
	size_t code_len;
	const char *inlined;	/* a call inlined in bytes 32 to 63, which have the line + 1 */
	uint8_t id, inlined_id; /* funcIDs */
	struct made_bytes {
		const uint8_t *at;
		size_t len;
	} args, live; /* FUNCDATA_ArgInfo, ArgLiveInfo;
		* the latter's byte 1 is for bytes 32 to 63 of the function */
};

struct made_table {
	struct buffer names, units, files, values, entries, records, inlined;
};

static inline void made_put(struct buffer *b, uint64_t value, size_t bytes)
{
	buffer_add(b, &value, bytes);
}

static inline void made_uleb(struct buffer *b, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		made_put(b, (v & 0x7f) | 0x80, 1);
	made_put(b, v, 1);
}

/* Puts one pair of a table of values (runtime/symtab.go, step). */
static inline void made_pair(struct buffer *b, int32_t *last, int32_t value, uint32_t bytes)
{
	int32_t delta = value - *last;

	made_uleb(b, (uint32_t)delta << 1 ^ (uint32_t)(delta >> 31));
	made_uleb(b, bytes);
	*last = value;
}

static inline uint32_t made_values(struct buffer *b, int32_t first, uint32_t bytes, int32_t then,
				   uint32_t more, int32_t at_last, uint32_t rest)
{
	uint32_t at = (uint32_t)b->len;
	int32_t last = -1;

	made_pair(b, &last, first, bytes);
	if (more)
		made_pair(b, &last, then, more);
	if (rest)
		made_pair(b, &last, at_last, rest);
	made_put(b, 0, 1);
	return at;
}

static inline uint32_t made_name(struct buffer *names, const char *name)
{
	uint32_t at = (uint32_t)names->len;

	buffer_add(names, name, strlen(name) + 1);
	return at;
}

/* Puts bytes into go:func.*. Returns their offset there; UINT64_MAX: there are none. */
static inline uint64_t made_bytes(struct made_table *t, struct made_bytes bytes)
{
	uint64_t at = t->inlined.len;

	for (size_t i = 0; i < bytes.len; i++)
		made_put(&t->inlined, bytes.at[i], 1);
	return bytes.len ? at : UINT64_MAX;
}

static inline void made_data(struct buffer *b, enum go_format format, uint64_t at)
{
	if (format == GO_1_16)
		made_put(b, at == UINT64_MAX ? 0 : MADE_GOFUNC + at, 8);
	else
		made_put(b, at == UINT64_MAX ? UINT32_MAX : at, 4);
}

/* Puts one function. Its line is 10 * (number + 1). */
static inline void made_record(struct made_table *t, enum go_format format,
			       const struct made_function *f, uint32_t number)
{
	uint32_t entry = number * MADE_FUNCTION, line = 10 * (number + 1);
	uint64_t args = made_bytes(t, f->args), live = made_bytes(t, f->live);
	struct buffer *b = &t->records;

	made_put(b, format == GO_1_16 ? MADE_TEXT + entry : entry, format == GO_1_16 ? 8 : 4);
	made_put(b, made_name(&t->names, f->name), 4);
	made_put(b, 0, 8);
	if (f->foreign)
		made_put(b, 0, 4);
	else if (!f->depth) /* the linker would have joined two pairs of the same value */
		made_put(b, made_values(&t->values, 0, MADE_FUNCTION, 0, 0, 0, 0), 4);
	else
		made_put(b,
			 made_values(&t->values, 0, MADE_PUSHED, f->depth,
				     MADE_FUNCTION - MADE_PUSHED, 0, 0),
			 4);
	made_put(b, f->foreign ? 0 : made_values(&t->values, 0, MADE_FUNCTION, 0, 0, 0, 0), 4);
	made_put(b,
		 f->foreign ? 0 :
			      made_values(&t->values, (int32_t)line, 32, (int32_t)line + 1, 32,
					  (int32_t)line, MADE_FUNCTION - 64),
		 4);
	made_put(b, 4, 4); /* tables */
	made_put(b, 0, 4); /* unit */
	if (format == GO_1_20)
		made_put(b, line - 1, 4);
	made_put(b, f->id, 1);
	made_put(b, f->flags, 1);
	made_put(b, 0, 1);
	made_put(b, 7, 1); /* datas */
	made_put(b, 0, 8);
	made_put(b, f->inlined ? made_values(&t->values, -1, 32, 0, 32, -1, MADE_FUNCTION - 64) : 0,
		 4);
	made_put(b,
		 f->live.len ? made_values(&t->values, -1, 32, 1, 32, -1, MADE_FUNCTION - 64) : 0,
		 4);
	if (format == GO_1_16 && b->len % 8)
		made_put(b, 0, 4);
	for (int i = 0; i < 3; i++)
		made_data(b, format, UINT64_MAX);
	made_data(b, format, f->inlined ? t->inlined.len : UINT64_MAX);
	made_data(b, format, UINT64_MAX);
	made_data(b, format, args);
	made_data(b, format, live);
	while (b->len % 8)
		made_put(b, 0, 1);
}

/* Puts the function's tree of inlined calls: one call, made at the function's first byte. */
static inline void made_inlined(struct made_table *t, enum go_format format,
				const struct made_function *f)
{
	if (!f->inlined)
		return;
	if (format == GO_1_20) {
		made_put(&t->inlined, f->inlined_id, 4);
		made_put(&t->inlined, made_name(&t->names, f->inlined), 4);
		made_put(&t->inlined, 0, 4);
		made_put(&t->inlined, 77, 4);
	} else {
		made_put(&t->inlined, (uint64_t)f->inlined_id << 16, 8);
		made_put(&t->inlined, 0, 4);
		made_put(&t->inlined, made_name(&t->names, f->inlined), 4);
		made_put(&t->inlined, 0, 4);
	}
}

static inline void made_entries(struct made_table *t, enum go_format format, uint32_t count,
				const uint64_t *records)
{
	size_t word = format == GO_1_16 ? 8 : 4;
	uint64_t base = format == GO_1_16 ? MADE_TEXT : 0;
	uint64_t before = count * 2 * word + 8;

	for (uint32_t i = 0; i < count; i++) {
		made_put(&t->entries, base + i * MADE_FUNCTION, word);
		made_put(&t->entries, before + records[i], word);
	}
	made_put(&t->entries, base + (uint64_t)count * MADE_FUNCTION, 8);
}

/* Puts the header, the parts and the records one after the other; at[5]: the parts' offsets. */
static inline void made_pclntab(struct buffer *out, struct made_table *t, enum go_format format,
				uint32_t count, uint64_t at[5])
{
	static const uint8_t magic[] = { 0, 0xfa, 0xf0, 0xf1 };
	struct buffer *parts[] = { &t->names, &t->units, &t->files, &t->values, &t->entries };
	uint64_t offset = 72;

	for (int i = 0; i < 5; i++) {
		while (parts[i]->len % 8)
			made_put(parts[i], 0, 1);
		at[i] = offset;
		offset += parts[i]->len;
	}
	made_put(out, 0xffffff00u | magic[format], 4);
	made_put(out, 0x08010000, 4);
	made_put(out, count, 8);
	made_put(out, 1, 8);
	if (format != GO_1_16)
		made_put(out, 0, 8); /* as since Go 1.26: moduledata has the address of the text */
	for (int i = 0; i < 5; i++)
		made_put(out, at[i], 8);
	while (out->len < 72)
		made_put(out, 0, 8);
	for (int i = 0; i < 5; i++)
		buffer_add(out, parts[i]->data, parts[i]->len);
	buffer_add(out, t->records.data, t->records.len);
}

static inline void made_moduledata(uint64_t *w, enum go_format format, const uint64_t at[5])
{
	static const unsigned words[5] = { 1, 4, 7, 10, 13 };

	w[0] = MADE_PCLNTAB;
	for (int i = 0; i < 5; i++)
		w[words[i]] = MADE_PCLNTAB + at[i];
	w[22] = MADE_TEXT;
	w[format == GO_1_20 ? 40 : 38] = format == GO_1_16 ? 0 : MADE_GOFUNC;
}

static inline void made_headers(uint8_t *file)
{
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_EXEC,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(eh),
			  .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 3 };
	static const uint64_t start[] = { MADE_TEXT, MADE_PCLNTAB, MADE_DATA, MADE_END };
	static const uint32_t flags[] = { PF_R | PF_X, PF_R, PF_R | PF_W };

	memcpy(file, &eh, sizeof(eh));
	for (int i = 0; i < 3; i++) {
		Elf64_Phdr ph = { .p_type = PT_LOAD,
				  .p_flags = flags[i],
				  .p_offset = start[i],
				  .p_vaddr = start[i],
				  .p_filesz = start[i + 1] - start[i],
				  .p_memsz = start[i + 1] - start[i] };

		memcpy(file + sizeof(eh) + (size_t)i * sizeof(ph), &ph, sizeof(ph));
	}
}

/* Makes the whole file, MADE_END bytes, which the caller frees. Addresses are offsets in it. */
static inline uint8_t *made_file(enum go_format format, const struct made_function *functions,
				 uint32_t count)
{
	struct made_table t;
	struct buffer pclntab = { 0 };
	uint64_t at[5], records[64];
	uint8_t *file = calloc(1, MADE_END);

	memset(&t, 0, sizeof(t));
	made_put(&t.names, 0, 1);
	made_put(&t.units, 1, 4); /* file 0 of unit 0: at byte 1 */
	buffer_add(&t.files, "\0/src/made.go", 14);
	made_put(&t.values, 0, 1);
	for (uint32_t i = 0; i < count; i++) {
		const struct made_function *f = &functions[i];

		records[i] = t.records.len;
		made_record(&t, format, f, i);
		made_inlined(&t, format, f);
		if (f->code)
			memcpy(file + MADE_TEXT + i * MADE_FUNCTION, f->code, f->code_len);
	}
	made_entries(&t, format, count, records);
	made_pclntab(&pclntab, &t, format, count, at);
	made_headers(file);
	memcpy(file + MADE_PCLNTAB, pclntab.data, pclntab.len);
	memcpy(file + MADE_GOFUNC, t.inlined.data ? t.inlined.data : (uint8_t *)"", t.inlined.len);
	made_moduledata((uint64_t *)(void *)(file + MADE_DATA), format, at);
	for (struct buffer *b = &t.names; b <= &t.inlined; b++)
		buffer_release(b);
	buffer_release(&pclntab);
	return file;
}

#endif
