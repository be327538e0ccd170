/*
 * .gnu_debugdata is an ELF file with nothing but .symtab, compressed by xz ("MiniDebugInfo" in
 * gdb's manual; Fedora ships it for every binary). libdwelf would uncompress it too, but without a
 * bound, and xz packs a gigabyte of zeros into 150 KiB. So liblzma is called here with a limit on
 * its output. libdw depends on liblzma itself. If liblzma's header is missing at build time,
 * nothing is uncompressed and the note says so.
 */
#include "symbolize/files/minidebug.h"

#include <stdint.h>
#include <stdlib.h>
#if __has_include(<lzma.h>)
#include <lzma.h>
#endif

#include "base/elf/elfsection.h"
#include "base/error.h"

enum { PACKED_MAX = 64 << 20, PLAIN_MAX = 128 << 20, DICTIONARY_MAX = 128 << 20 };

#ifdef LZMA_VERSION

/* The buffer grows with the output, so a small file costs little whatever size it claims. */
static int unpack(lzma_stream *z, uint8_t **out, size_t *len, const char **why)
{
	size_t room = 0;
	lzma_ret rc;

	do {
		if (!z->avail_out) {
			size_t more = room ? room : 64 << 10;
			uint8_t *bigger;

			if (room >= PLAIN_MAX) {
				*why = "larger than 128 MiB";
				return 0;
			}
			bigger = realloc(*out, room + more);
			if (!bigger)
				return ERR_NOMEM;
			*out = bigger;
			z->next_out = bigger + room;
			z->avail_out = more;
			room += more;
		}
		rc = lzma_code(z, LZMA_FINISH);
	} while (rc == LZMA_OK);
	*len = room - z->avail_out;
	if (rc == LZMA_MEM_ERROR)
		return ERR_NOMEM;
	if (rc != LZMA_STREAM_END)
		*why = "broken";
	return 0;
}

static int minidebug_uncompress(const Elf_Data *data, uint8_t **out, size_t *len, const char **why)
{
	lzma_stream z = LZMA_STREAM_INIT;
	int rc;

	if (lzma_stream_decoder(&z, DICTIONARY_MAX, 0) != LZMA_OK)
		return ERR_NOMEM;
	z.next_in = data->d_buf;
	z.avail_in = data->d_size;
	rc = unpack(&z, out, len, why);
	lzma_end(&z);
	return rc;
}

#else

static int minidebug_uncompress(const Elf_Data *data, uint8_t **out, size_t *len, const char **why)
{
	(void)data, (void)out, (void)len;
	*why = "not read, sampler was built without liblzma";
	return 0;
}

#endif

int minidebug_open(struct minidebug *m, Elf *elf, const char **why)
{
	const Elf_Data *data = elfsection_raw(elf, ".gnu_debugdata", PACKED_MAX);
	uint8_t *bytes = NULL;
	size_t len = 0;
	int rc;

	*m = (struct minidebug){ NULL, NULL };
	*why = NULL;
	if (!data || !data->d_buf || !data->d_size)
		return 0;
	rc = minidebug_uncompress(data, &bytes, &len, why);
	m->bytes = bytes;
	if (!rc && !*why && !(m->elf = elf_memory((char *)bytes, len)))
		*why = "broken";
	if (!m->elf)
		minidebug_close(m);
	return rc;
}

void minidebug_close(struct minidebug *m)
{
	elf_end(m->elf);
	free(m->bytes);
	*m = (struct minidebug){ NULL, NULL };
}
