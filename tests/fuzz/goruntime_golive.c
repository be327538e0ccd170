// links: runtimes/go
/*
 * Any bytes as a Go program, in which the runtime's tables are found by its code, and as the
 * memory of these tables: the checks of golive_open.
 *
 * The input: a head, the program as an ELF file of `image` bytes, the memory.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/find/uses.h"
#include "runtimes/go/live.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { START = 0x1000000 };

struct head {
	uint32_t image;	       /* size in bytes */
	uint8_t minor, fields; /* the release; the number of the field that is wrong, by `by` */
	uint16_t by, gs, ms, reasons;
};

/* The offsets of Go 1.26. */
static const struct gofields known = {
	.g = { .bytes = 456,
	       .m = 48,
	       .sp = 56,
	       .pc = 64,
	       .bp = 96,
	       .syscall_sp = 104,
	       .syscall_pc = 112,
	       .status = 144,
	       .goid = 152,
	       .wait_since = 168,
	       .wait_reason = 176,
	       .tracking_seq = 191,
	       .locked_m = 208,
	       .go_pc = 288,
	       .start_pc = 304,
	       .labels = 352,
	       .parent = 280,
	       .running_cleanups = 220,
	       .bubble = 392 },
	.m = { .bytes = 1824,
	       .id = 232,
	       .g0 = 0,
	       .gsignal = 72,
	       .curg = 184,
	       .procid = 64,
	       .all_link = 352,
	       .create_stack = 392,
	       .vdso_sp = 896,
	       .vdso_pc = 904 },
};

static void check_places(const struct goplaces *p, const struct image *image)
{
	const uint64_t *all = &p->all_gs;

	for (size_t i = 0; i < sizeof(*p) / sizeof(*all); i++)
		if (all[i] && !gouses_variable(image, all[i]))
			abort();
}

static void check_live(struct golive *g, const struct head *h)
{
	uint32_t *fields = &g->fields.g.bytes;
	struct error err = { 0, "" };
	int rc;

	g->fields = known;
	fields[h->fields % (sizeof(known) / sizeof(*fields))] += h->by;
	g->places = (struct goplaces){ .all_gs = START + h->gs,
				       .all_ms = START + h->ms,
				       .wait_reasons = START + h->reasons };
	rc = gocheck(g, &err);
	if (rc && rc != ERR_FORMAT)
		abort();
	if (!rc != !*err.text)
		abort();
}

static void open_as(const struct head *h, const struct image *image, const struct memory *memory)
{
	static struct process self;
	static struct modmap *maps;
	struct golive g = { .process = &self, .memory = memory };
	char version[16];

	if (!self.pid && process_open(&self, getpid(), NULL))
		abort();
	self.own_pid = 1; /* a thread id that exists for any user */
	if (!maps && modmap_new(&maps, NULL))
		abort();
	snprintf(version, sizeof(version), "go1.%u", 18u + h->minor % 10);
	g.vars.layout = golayout_of(version);
	g.maps = maps;
	g.rt.image = image;
	if (gopclntab_open(image, &g.table))
		return;
	if (!goplaces_by_code(&g.places, g.table, image, 0, &g.vars))
		check_places(&g.places, image);
	check_live(&g, h);
	gopclntab_close(g.table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_bytes memory;
	struct image *image;
	struct head h;

	if (size < sizeof(h))
		return 0;
	memcpy(&h, data, sizeof(h));
	data += sizeof(h);
	size -= sizeof(h);
	if (h.image > size || image_open_bytes(data, h.image, "/fuzz", &image, NULL))
		return 0;
	memory_bytes_init(&memory, data + h.image, START, size - h.image);
	open_as(&h, image, &memory.memory);
	image_free(image);
	return 0;
}
