/* The bytes are a head with the program's identity, then the waits as waits_save has them. What
 * cannot be read is dropped: the next round then begins without it. */
#include "rounds/source/handover.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "runtimes/go/profile/waits.h"

/* The beginning of the bytes; the waits follow. */
struct handover_head {
	struct subject_program of;
	double frequency;
};

void handover_release(struct handover *h)
{
	buffer_release(&h->waits);
}

static bool handover_is_of(const struct handover *h, const struct subject_program *program)
{
	return subject_program_same(&h->of, program);
}

double handover_frequency(const struct handover *h, const struct subject_program *program)
{
	return handover_is_of(h, program) ? h->frequency : 0;
}

int handover_waits(const struct handover *h, const struct subject_program *program,
		   struct waits **w, struct error *err)
{
	int rc;

	if (waits_new(w))
		return error_nomem(err);
	if (!h->waits.len || !handover_is_of(h, program))
		return 0;
	rc = waits_load(*w, h->waits.data, h->waits.len, err);
	if (rc != ERR_FORMAT)
		return rc;
	waits_free(*w);
	return waits_new(w) ? error_nomem(err) : 0;
}

void handover_keep(struct handover *h, const struct subject_program *program, const struct waits *w)
{
	if (!handover_is_of(h, program))
		h->frequency = 0;
	h->of = *program;
	h->waits.len = 0;
	h->anew = !waits_save(w, &h->waits);
	if (!h->anew)
		h->waits.len = 0;
}

int handover_save(const struct handover *h, const struct subject_program *program, double frequency,
		  struct buffer *out)
{
	struct handover_head head = { .of = *program, .frequency = frequency };
	bool same = handover_is_of(h, program);

	if (!h->anew && (!frequency || (same && frequency == h->frequency)))
		return 0;
	if (buffer_add(out, &head, sizeof(head)) ||
	    (same && buffer_add(out, h->waits.data, h->waits.len)))
		return ERR_NOMEM;
	return 0;
}

/* On a busy machine, a collecting process may be forked before its predecessor has ended, and then
 * lacks what its predecessor hands over. Without merging, its waits would begin later than the
 * waits reported before. False: nothing was merged. */
static bool handover_merge(struct handover *h, const void *data, size_t len)
{
	struct waits *w;
	bool merged;

	if (!h->waits.len || waits_new(&w))
		return false;
	merged = !waits_load(w, h->waits.data, h->waits.len, NULL) &&
		 !waits_merge(w, data, len, NULL);
	if (merged) {
		h->waits.len = 0;
		merged = !waits_save(w, &h->waits);
	}
	waits_free(w);
	return merged;
}

void handover_load(struct handover *h, const void *data, size_t len)
{
	const uint8_t *waits = data;
	struct handover_head head;
	bool same;

	if (len < sizeof(head)) {
		h->waits.len = 0;
		return;
	}
	memcpy(&head, data, sizeof(head));
	waits += sizeof(head);
	len -= sizeof(head);
	same = handover_is_of(h, &head.of);
	h->of = head.of;
	if (!same || !h->frequency) /* one measurement for all rounds */
		h->frequency = head.frequency;
	if (same && (!len || handover_merge(h, waits, len)))
		return;
	h->waits.len = 0;
	if (buffer_add(&h->waits, waits, len))
		h->waits.len = 0;
}
