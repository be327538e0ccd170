/* All profiles of the set are made anew in each hold. An error of one is kept with it; only one
 * that concerns the process ends the reading. */
#include "rounds/source/heldset.h"

#include "runtimes/go/profile/make.h"
#include "runtimes/go/profile/type.h"
#include "runtimes/go/profile/waits.h"
#include "rounds/source/capture.h"

static struct kept *heldset_find(struct heldset *t, const struct goprofile_id *id)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->kept[i].id && t->kept[i].id->type == id->type)
			return &t->kept[i];
	return NULL;
}

static int heldset_want_id(struct heldset *t, const struct goprofile_id *id)
{
	struct kept *k = &t->kept[t->count];

	if (heldset_find(t, id) || t->count == HELDSET_MAX)
		return 0;
	*k = (struct kept){ .id = id };
	if (profile_init(&k->profile))
		return ERR_NOMEM;
	t->count++;
	return 0;
}

int heldset_want(struct heldset *t, unsigned types)
{
	const unsigned last = CAPTURE_BIT(CAPTURE_GOROUTINE);
	int rc = 0;

	heldset_release(t);
	for (int i = 0; !rc && i < CAPTURE_TYPES; i++)
		if (types & CAPTURE_BIT(i) & ~last && captures[i].go_profile)
			rc = heldset_want_id(t, captures[i].go_profile);
	if (!rc && types & last)
		rc = heldset_want_id(t, captures[CAPTURE_GOROUTINE].go_profile);
	return rc;
}

void heldset_release(struct heldset *t)
{
	for (size_t i = 0; i < t->count; i++)
		profile_release(&t->kept[i].profile);
	waits_free(t->waits);
	*t = (struct heldset){ 0 };
}

static bool ends_all(int rc)
{
	return rc == ERR_SHORT || rc == ERR_GONE || rc == ERR_NOMEM;
}

static int make_one(struct kept *k, struct goprofile *g, struct error *err)
{
	profile_release(&k->profile);
	if (profile_init(&k->profile))
		return error_nomem(err);
	k->rc = goprofile_make(g, k->id, &k->profile, &k->error);
	if (!ends_all(k->rc))
		return 0;
	return error_set(err, k->rc, "%s", k->error.text);
}

int heldset_make(struct heldset *t, struct goprofile *g, struct error *err)
{
	int rc = 0;

	if (t->waits) {
		t->waits_rc = waits_make(t->waits, g, &t->waited, &t->waits_error);
		if (ends_all(t->waits_rc))
			rc = error_set(err, t->waits_rc, "%s", t->waits_error.text);
	}
	for (size_t i = 0; !rc && i < t->count; i++)
		rc = make_one(&t->kept[i], g, err);
	return rc;
}

bool heldset_take(struct heldset *t, const struct goprofile_id *id, struct profile **p, int *rc,
		  struct error *err)
{
	struct kept *k = heldset_find(t, id);

	if (!k)
		return false;
	k->id = NULL;
	*p = &k->profile;
	*rc = k->rc;
	if (k->rc && err)
		*err = k->error;
	return true;
}
