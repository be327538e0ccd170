/* A block of 64 KiB is filled from the source whenever the inflater has used it up. The offset of
 * an error is that in the compressed bytes. */
#include "pprof/wire/gunzip.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/inflater.h"

enum { BLOCK = 64 << 10 };

struct gunzip {
	struct inflater inflater;
	gunzip_source *source;
	void *ctx;
	uint64_t offset;   /* of the block's end, in the compressed bytes */
	const uint8_t *at; /* the rest of the block */
	size_t left;
	uint8_t block[BLOCK];
};

int gunzip_new(struct gunzip **out, gunzip_source *source, void *ctx, struct error *err)
{
	struct gunzip *g = calloc(1, sizeof(*g));

	if (!g || inflater_init(&g->inflater)) {
		free(g);
		return error_nomem(err);
	}
	g->inflater.member = true;
	g->source = source;
	g->ctx = ctx;
	*out = g;
	return 0;
}

void gunzip_free(struct gunzip *g)
{
	if (!g)
		return;
	inflater_release(&g->inflater);
	free(g);
}

static int gunzip_fill(struct gunzip *g, struct error *err)
{
	size_t got;
	int rc = g->source(g->ctx, g->block, BLOCK, &got, err);

	if (rc)
		return rc;
	g->at = g->block;
	g->left = got;
	g->offset += got;
	return got || !g->inflater.member ? 0 : inflater_explain(0, g->offset, err);
}

int gunzip_read(struct gunzip *g, void *buf, size_t len, size_t *got, struct error *err)
{
	int rc;

	do {
		rc = inflater_read(&g->inflater, &g->at, &g->left, buf, len, got);
		if (rc)
			return inflater_explain(rc, g->offset - g->left, err);
		if (*got)
			return 0;
		rc = gunzip_fill(g, err);
	} while (!rc && g->left);
	return rc;
}
