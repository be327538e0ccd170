/*
 * Sections are uncompressed here, not by libelf's elf_compress(): before version 0.189 that
 * function does not support zstd, and it changes the Elf for all its users. If libzstd's header is
 * missing at build time, sections compressed by zstd are not read, and that is reported.
 *
 * libdeflate unpacks zlib's format in less than half the time, and unpacking is most of the time to
 * symbolize from a compressed debug file. It is used if its header exists at build time.
 */
#include "base/elf/elfsection.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#if __has_include(<libdeflate.h>)
#include <libdeflate.h>
#endif
#if __has_include(<zstd.h>)
#include <zstd.h>
#endif

#include "base/cursor.h"
#include "base/error.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2 /* glibc 2.36 and older do not have it */
#endif

struct elfsection_packed {
	uint32_t how; /* ELFCOMPRESS_…; 0: the bytes are not compressed */
	const uint8_t *bytes;
	size_t len;
	uint64_t plain;
};

const char *elfsection_name(Elf *elf, const GElf_Shdr *shdr)
{
	size_t strings;

	return elf_getshdrstrndx(elf, &strings) ? NULL : elf_strptr(elf, strings, shdr->sh_name);
}

Elf_Scn *elfsection_next(Elf *elf, Elf_Scn *scn, const char *wanted, GElf_Shdr *shdr)
{
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, shdr) ? elfsection_name(elf, shdr) : NULL;

		if (name && !strcmp(name, wanted))
			return scn;
	}
	return NULL;
}

Elf_Data *elfsection_raw(Elf *elf, const char *name, size_t most)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elfsection_next(elf, scn, name, &shdr)))
		if (shdr.sh_type != SHT_NOBITS && shdr.sh_size <= most)
			return elf_rawdata(scn, NULL);
	return NULL;
}

/* GNU's older form: the section's name begins with ".zdebug", and its bytes begin with "ZLIB" and
 * the plain size in 8 bytes, big-endian. */
static bool is_gnu_packed(Elf *elf, const GElf_Shdr *shdr, const Elf_Data *data)
{
	const char *name = elfsection_name(elf, shdr);

	return name && !strncmp(name, ".zdebug", 7) && data->d_size >= 12 &&
	       !memcmp(data->d_buf, "ZLIB", 4);
}

/* Is the plain size possible? One byte of zlib becomes at most 1,032 bytes ("Maximum Compression
 * Factor" in its technical details). Four bytes of zstd become at most a block of 128 KiB (RFC
 * 8878, 3.1.1.2). */
static bool is_possible(const struct elfsection_packed *p)
{
	switch (p->how) {
	case 0:
		return true;
	case ELFCOMPRESS_ZLIB:
		return p->plain / 1032 <= p->len;
	case ELFCOMPRESS_ZSTD:
		return p->plain / (128 << 10) <= p->len / 4;
	}
	return false;
}

static bool find_packed(Elf *elf, Elf_Scn *scn, struct elfsection_packed *p)
{
	Elf_Data *data;
	GElf_Shdr shdr;
	struct cursor c;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS ||
	    !(data = elf_rawdata(scn, NULL)) || !data->d_buf)
		return false;
	cursor_init(&c, data->d_buf, data->d_size, "compressed section");
	*p = (struct elfsection_packed){ 0, data->d_buf, data->d_size, data->d_size };
	if (shdr.sh_flags & SHF_COMPRESSED) { /* Elf64_Chdr */
		p->how = (uint32_t)cursor_uint(&c, 4);
		if (!p->how)
			return false;
		cursor_uint(&c, 4);
		p->plain = cursor_uint(&c, 8);
		cursor_uint(&c, 8);
	} else if (is_gnu_packed(elf, &shdr, data)) {
		p->how = ELFCOMPRESS_ZLIB;
		cursor_uint(&c, 4);
		p->plain = __builtin_bswap64(cursor_uint(&c, 8));
	}
	p->bytes = c.pos;
	p->len = cursor_left(&c);
	return !c.failed && is_possible(p);
}

bool elfsection_plain_size(Elf *elf, Elf_Scn *scn, uint64_t *size)
{
	struct elfsection_packed p;

	if (!find_packed(elf, scn, &p))
		return false;
	*size = p.plain;
	return true;
}

#ifdef LIBDEFLATE_VERSION_MAJOR
static int unpack_zlib(const struct elfsection_packed *p, uint8_t *out)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	enum libdeflate_result rc;
	size_t len;

	if (!d)
		return ERR_NOMEM;
	rc = libdeflate_zlib_decompress(d, p->bytes, p->len, out, p->plain, &len);
	libdeflate_free_decompressor(d);
	return rc == LIBDEFLATE_SUCCESS && len == p->plain ? 0 : ERR_FORMAT;
}
#else
static int unpack_zlib(const struct elfsection_packed *p, uint8_t *out)
{
	uLongf len = p->plain;

	return uncompress(out, &len, p->bytes, p->len) == Z_OK && len == p->plain ? 0 : ERR_FORMAT;
}
#endif

static int unpack_zstd(const struct elfsection_packed *p, uint8_t *out)
{
#ifdef ZSTD_VERSION_NUMBER
	return ZSTD_decompress(out, p->plain, p->bytes, p->len) == p->plain ? 0 : ERR_FORMAT;
#else
	(void)p, (void)out;
	return ERR_LIMIT;
#endif
}

int elfsection_plain(Elf *elf, Elf_Scn *scn, uint8_t *out, uint64_t size)
{
	struct elfsection_packed p;

	if (!find_packed(elf, scn, &p))
		return ERR_IO;
	if (p.plain != size)
		return ERR_FORMAT;
	if (p.how == ELFCOMPRESS_ZLIB)
		return unpack_zlib(&p, out);
	if (p.how == ELFCOMPRESS_ZSTD)
		return unpack_zstd(&p, out);
	memcpy(out, p.bytes, size);
	return 0;
}

int elfsection_bytes(Elf *elf, Elf_Scn *scn, uint64_t most, struct elfbytes *b)
{
	struct elfsection_packed p;
	int rc;

	*b = (struct elfbytes){ NULL, 0, NULL };
	if (!find_packed(elf, scn, &p) || !p.plain)
		return 0;
	if (p.plain > most)
		return ERR_LIMIT;
	b->len = p.plain;
	b->data = p.bytes;
	if (!p.how)
		return 0;
	b->data = b->owned = malloc(p.plain);
	rc = b->owned ? elfsection_plain(elf, scn, b->owned, p.plain) : ERR_NOMEM;
	if (rc) {
		free(b->owned);
		*b = (struct elfbytes){ NULL, 0, NULL };
	}
	return rc;
}
