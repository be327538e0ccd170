#include "sampler/rounds/source/record.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "sampler/go/profile/waits.h"

/* The beginning of the bytes; the waits follow. */
struct head {
	struct subject_program of;
	double frequency;
};

void record_release(struct record *r)
{
	buffer_release(&r->waits);
}

static bool is_of(const struct record *r, const struct subject_program *program)
{
	return subject_program_same(&r->of, program);
}

double record_frequency(const struct record *r, const struct subject_program *program)
{
	return is_of(r, program) ? r->frequency : 0;
}

int record_waits(const struct record *r, const struct subject_program *program, struct waits **w,
		 struct error *err)
{
	int rc;

	if (waits_new(w))
		return error_nomem(err);
	if (!r->waits.len || !is_of(r, program))
		return 0;
	rc = waits_load(*w, r->waits.data, r->waits.len, err);
	if (rc != ERR_FORMAT)
		return rc;
	waits_free(*w);
	return waits_new(w) ? error_nomem(err) : 0;
}

void record_keep(struct record *r, const struct subject_program *program, const struct waits *w)
{
	if (!is_of(r, program))
		r->frequency = 0;
	r->of = *program;
	r->waits.len = 0;
	r->anew = !waits_save(w, &r->waits);
	if (!r->anew)
		r->waits.len = 0;
}

int record_save(const struct record *r, const struct subject_program *program, double frequency,
		struct buffer *out)
{
	struct head head = { .of = *program, .frequency = frequency };
	bool same = is_of(r, program);

	if (!r->anew && (!frequency || (same && frequency == r->frequency)))
		return 0;
	if (buffer_add(out, &head, sizeof(head)) ||
	    (same && buffer_add(out, r->waits.data, r->waits.len)))
		return ERR_NOMEM;
	return 0;
}

/* On a busy machine, a collecting process may be forked before its predecessor has ended, and then
 * lacks the predecessor's record. Without merging, its waits would begin later than the waits
 * reported before. False: nothing was merged. */
static bool merge(struct record *r, const void *data, size_t len)
{
	struct waits *w;
	bool merged;

	if (!r->waits.len || waits_new(&w))
		return false;
	merged = !waits_load(w, r->waits.data, r->waits.len, NULL) &&
		 !waits_merge(w, data, len, NULL);
	if (merged) {
		r->waits.len = 0;
		merged = !waits_save(w, &r->waits);
	}
	waits_free(w);
	return merged;
}

void record_load(struct record *r, const void *data, size_t len)
{
	const uint8_t *waits = data;
	struct head head;
	bool same;

	if (len < sizeof(head)) {
		r->waits.len = 0;
		return;
	}
	memcpy(&head, data, sizeof(head));
	waits += sizeof(head);
	len -= sizeof(head);
	same = is_of(r, &head.of);
	r->of = head.of;
	if (!same || !r->frequency) /* one measurement for all rounds */
		r->frequency = head.frequency;
	if (same && (!len || merge(r, waits, len)))
		return;
	r->waits.len = 0;
	if (buffer_add(&r->waits, waits, len))
		r->waits.len = 0;
}
