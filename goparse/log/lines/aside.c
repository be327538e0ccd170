/* Lines that were put aside are an input that is read before the real one goes on. How much is read
 * again has a bound, which grows with the input. */
#include "goparse/log/lines/aside.h"

/* What hostile input can have read again: this much, and a few times its length. */
enum { AGAIN_MAX = 8 * ASIDE_MAX, AGAIN_TIMES = 4 };

void aside_release(struct aside *a)
{
	buffer_release(&a->kept);
	buffer_release(&a->again);
}

int aside_keep(struct aside *a, struct goparse_text line)
{
	if (line.len >= ASIDE_MAX - a->kept.len ||
	    a->again_len > AGAIN_MAX + AGAIN_TIMES * a->read_len) {
		a->left_out++;
		return 0;
	}
	return buffer_add(&a->kept, line.at, line.len) || buffer_add(&a->kept, "\n", 1) ?
		       ERR_NOMEM :
		       0;
}

int aside_again(struct aside *a, struct goparse_text rest)
{
	struct buffer done = a->again;

	if (buffer_add(&a->kept, rest.at, rest.len) ||
	    buffer_add(&a->kept, done.data ? done.data + a->at : NULL, done.len - a->at))
		return ERR_NOMEM;
	a->again = a->kept;
	a->again_len += a->again.len;
	a->kept = done;
	a->kept.len = a->at = 0;
	return 0;
}

static void read_input(struct aside *a, void *buf, size_t len, size_t *got)
{
	*got = 0;
	if (!a->rc)
		a->rc = a->read(a->ctx, buf, len, got, &a->err);
	if (a->rc)
		*got = 0;
	a->read_len += *got;
}

int aside_read(void *aside, void *buf, size_t len, size_t *got, struct error *err)
{
	struct aside *a = aside;

	(void)err;
	*got = a->again.len - a->at < len ? a->again.len - a->at : len;
	if (!*got) {
		read_input(a, buf, len, got);
		return 0;
	}
	memcpy(buf, a->again.data + a->at, *got);
	a->at += *got;
	return 0;
}
