// links: goparse/log
/*
 * Logs that hold dumps. However the input comes in pieces, the same comes out, not longer than the
 * input but for the ends of values, and all of it can be parsed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "goparse/goparse.h"
#include "goparse/log/unlog.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct pieces {
	const uint8_t *at;
	size_t left, most;
};

static int give(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	struct pieces *p = ctx;

	(void)err;
	*got = len < p->most ? len : p->most;
	*got = *got < p->left ? *got : p->left;
	if (*got)
		memcpy(buf, p->at, *got);
	p->at += *got;
	p->left -= *got;
	return 0;
}

static void read_all(struct unlog *u, struct buffer *out)
{
	size_t got = 1;
	char piece[4096];

	while (got) {
		int rc = unlog_read(u, piece, sizeof(piece), &got, NULL);

		must(!rc || (rc == ERR_FORMAT && !got)); /* the newest line is the first */
		must(!buffer_add(out, piece, got));
	}
}

static struct buffer unlogged(const uint8_t *data, size_t size, size_t most)
{
	struct pieces pieces = { data, size, most };
	struct buffer out = { 0 };
	struct unlog *u;
	char told[64];

	must(!unlog_new(&u, give, &pieces, NULL));
	read_all(u, &out);
	if (unlog_tell(u, told, sizeof(told)))
		must(memchr(told, '\0', sizeof(told)) != NULL);
	if (unlog_clue(u, told, sizeof(told)))
		must(memchr(told, '\0', sizeof(told)) != NULL);
	unlog_free(u);
	return out;
}

static int each(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	(void)ctx, (void)g, (void)err;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer whole = unlogged(data, size, SIZE_MAX), drops = unlogged(data, size, 3);
	struct goparse *p;

	must(whole.len == drops.len && (!whole.len || !memcmp(whole.data, drops.data, whole.len)));
	must(whole.len <= 2 * size + 2);
	must(!goparse_new(&p, NULL) && !goparse_memory(p, whole.data, whole.len, each, NULL, NULL));
	goparse_free(p);
	buffer_release(&whole);
	buffer_release(&drops);
	return 0;
}
