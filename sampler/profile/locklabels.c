/* What kind a lock is, its futex does not tell. It is proven by the names of the inner functions of
 * the stack that waits (sampler/lock), so places are symbolized before their labels are made. */
#include "sampler/profile/locklabels.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/image.h"
#include "pprof/profile.h"
#include "sampler/lock/lockset.h"
#include "sampler/member/member.h"
#include "sampler/profile/locations.h"
#include "sampler/recorded/recorded.h"
#include "sampler/thread/threads.h"

int locklabels_init(struct locklabels *l, struct locations *places)
{
	struct profile *p = places->profile;

	if (!places->recorded->locks.count)
		return 0;
	return profile_string(p, "lock", &l->lock) ||
			       profile_string(p, "waits_for", &l->waits_for) ||
			       profile_string(p, "held_at", &l->held_at) ?
		       ERR_NOMEM :
		       0;
}

/* The location of a frame, whose lines are its functions, the innermost one first. NULL: out of
 * memory. */
static const struct profile_location *locklabels_location_of(struct locations *places,
							     const struct frame *f)
{
	uint32_t id;

	return locations_get(places, f, &id) ? NULL : &places->profile->locations[id - 1];
}

static const struct profile_function *locklabels_function_at(const struct locations *places,
							     const struct profile_location *l,
							     size_t i)
{
	const struct profile *p = places->profile;

	return &p->functions[p->lines[l->first_line + i].function - 1];
}

/* Appends the functions of a frame to those that may prove a lock. ERR_NOMEM. */
static int locklabels_add_functions(struct locations *places, const struct frame *f, bool inside,
				    struct lock_site *site)
{
	const struct profile_location *l = locklabels_location_of(places, f);

	if (!l)
		return ERR_NOMEM;
	if (!l->lines)
		lock_site_add(site, NULL, inside); /* its name is pending */
	for (size_t i = 0; i < l->lines; i++) {
		const char *name = strset_get(&places->profile->strings,
					      locklabels_function_at(places, l, i)->system_name);

		lock_site_add(site, locations_is_nameless(f->image, name) ? NULL : name, inside);
	}
	return 0;
}

/* Sets *kind. The kernel's frames, if there are any, come before those of the library. */
static int locklabels_prove(struct locations *places, const struct stackset_entry *e,
			    const struct lock_wait *wait, enum lock_kind *kind)
{
	const struct recorded *r = places->recorded;
	const struct frame *f = r->stacks.frames + e->first, *end = f + e->count;
	struct lock_site site = { .count = 0 };
	const struct image *image;

	*kind = LOCK_NONE;
	while (f < end && r->kernel.image && f->image == r->kernel.image)
		f++;
	image = f < end ? f->image : NULL;
	if (!image)
		return 0;
	for (; f < end && site.caller_count < LOCK_SITE; f++)
		if (locklabels_add_functions(places, f, f->image == image, &site))
			return ERR_NOMEM;
	site.module = image_name(image);
	site.has_symbols = locations_has_symbols(places, image);
	*kind = lock_prove(wait, &site);
	return 0;
}

/* "mutex table_lock+0x28" or "mutex 0x7f12…": with the variable in place of the address, runs of a
 * program can be merged. */
static int locklabels_name_lock(struct locations *places, const struct lockset_entry *lock,
				enum lock_kind kind, uint32_t *string)
{
	uint64_t before = lock->wait.as[kind].before, offset = 0;
	const char *variable = NULL;
	struct buffer text = { 0 };
	int rc = 0;

	if (lock->image)
		rc = locations_variable(places, lock->image, lock->at - before, &variable, &offset);
	if (!rc)
		rc = buffer_addf(&text, "%s ", lock_kind_name(kind));
	if (!rc && !variable)
		rc = buffer_addf(&text, "0x%lx", lock->wait.futex - before);
	if (!rc && variable)
		rc = buffer_addf(&text, offset ? "%s+0x%lx" : "%s", variable, offset);
	if (!rc)
		rc = profile_text(places->profile, (char *)text.data, text.len, string);
	buffer_release(&text);
	return rc ? ERR_NOMEM : 0;
}

/* Appends the functions of a frame, the outermost one first. */
static int locklabels_add_frame(struct locations *places, const struct frame *f,
				struct buffer *text)
{
	const struct profile_location *l = locklabels_location_of(places, f);

	if (!l)
		return ERR_NOMEM;
	for (size_t i = l->lines; i-- > 0;) {
		const char *name = strset_get(&places->profile->strings,
					      locklabels_function_at(places, l, i)->name);

		if ((text->len && buffer_add(text, ";", 1)) || buffer_add(text, name, strlen(name)))
			return ERR_NOMEM;
	}
	return 0;
}

static int name_stack(struct locations *places, uint32_t stack, uint32_t *string)
{
	const struct stackset *stacks = &places->recorded->stacks;
	const struct stackset_entry *e = &stacks->entries[stack];
	struct buffer text = { 0 };
	int rc = 0;

	for (size_t i = e->count; !rc && i-- > 0;)
		rc = locklabels_add_frame(places, &stacks->frames[e->first + i], &text);
	if (!rc)
		rc = profile_text(places->profile, (char *)text.data, text.len, string);
	buffer_release(&text);
	return rc ? ERR_NOMEM : 0;
}

int locklabels_add(const struct locklabels *l, struct locations *places,
		   const struct stackset_entry *e, struct profile_label *labels, size_t *count)
{
	struct recorded *r = places->recorded;
	const struct stack_context *c = &e->context;
	const struct lockset_entry *lock = c->lock ? lockset_get(&r->locks, c->lock) : NULL;
	struct profile_label *to = &labels[*count];
	enum lock_kind kind = LOCK_NONE;
	const struct thread *owner;

	if (!lock || c->state != THREAD_BLOCKED)
		return 0;
	if (locklabels_prove(places, e, &lock->wait, &kind))
		return ERR_NOMEM;
	if (!kind)
		return 0;
	*to = (struct profile_label){ .key = l->lock };
	(*count)++;
	if (locklabels_name_lock(places, lock, kind, &to->str))
		return ERR_NOMEM;
	if (!lock->owners[kind])
		return 0;
	owner = member_thread(r->members[lock->member], lock->owners[kind] - 1);
	*++to = (struct profile_label){ .key = l->waits_for, .num = owner->tid };
	(*count)++;
	if (!c->owner_stack)
		return 0;
	*++to = (struct profile_label){ .key = l->held_at };
	(*count)++;
	return name_stack(places, c->owner_stack - 1, &to->str);
}
