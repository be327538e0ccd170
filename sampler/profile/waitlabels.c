/* Which of the keys an object stands under, its kind says. */
#include "sampler/profile/waitlabels.h"

#include <string.h>

#include "base/error.h"
#include "pprof/profile.h"
#include "sampler/awaited/waitset.h"

int waitlabels_init(struct waitlabels *l, struct profile *p, const struct waitset *waits)
{
	if (!waits->count)
		return 0;
	return profile_string(p, "waits_on", &l->waits_on) || profile_string(p, "peer", &l->peer) ||
			       profile_string(p, "file", &l->file) ?
		       ERR_NOMEM :
		       0;
}

static uint32_t waitlabels_key(const struct waitlabels *l, const struct waitset_entry *e)
{
	switch (e->kind) {
	case AWAITED_TCP:
	case AWAITED_UDP:
	case AWAITED_UNIX:
	case AWAITED_EVENTS:
		return l->peer;
	case AWAITED_FIFO:
	case AWAITED_TERMINAL:
	case AWAITED_FILE:
	case AWAITED_DEVICE:
	case AWAITED_FILE_LOCK:
		return l->file;
	default:
		return 0;
	}
}

int waitlabels_add(const struct waitlabels *l, struct profile *p, const struct waitset *waits,
		   uint32_t number, struct profile_label *labels, size_t *count)
{
	const struct waitset_entry *e;
	uint32_t key;

	if (!number)
		return 0;
	e = waitset_get(waits, number);
	labels[*count] = (struct profile_label){ .key = l->waits_on };
	if (profile_string(p, e->idle ? "connections" : awaited_kind_name(e->kind),
			   &labels[(*count)++].str))
		return ERR_NOMEM;
	key = waitlabels_key(l, e);
	if (!key || !e->object)
		return 0;
	labels[*count] = (struct profile_label){ .key = key };
	return profile_text(p, e->object, strlen(e->object), &labels[(*count)++].str) ? ERR_NOMEM :
											0;
}
