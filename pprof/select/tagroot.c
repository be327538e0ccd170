/* Each value of a label becomes a location with a function of its name. A sample's stack is made
 * anew: leaves, its frames, roots. */
#include "pprof/select/tagroot.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/units.h"

struct tagroot_keys {
	uint32_t *strings; /* innermost frame first */
	size_t count;
};

struct tagging {
	struct profile *p;
	const char *unit;
	struct buffer name;
	struct buffer stack; /* location ids */
};

/* Reads "a,,b" as b, a. */
static int read_keys(struct profile *p, const char *text, struct tagroot_keys *keys)
{
	size_t room = text ? strlen(text) : 0, n = 0;

	*keys = (struct tagroot_keys){ calloc(room + 1, sizeof(*keys->strings)), 0 };
	if (!keys->strings)
		return ERR_NOMEM;
	while (text && *text) {
		size_t len = strcspn(text, ",");

		if (len && strset_add(&p->strings, text, len, &keys->strings[n++]))
			return ERR_NOMEM;
		text += len + (text[len] == ',');
	}
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t key = keys->strings[i];

		keys->strings[i] = keys->strings[n - 1 - i];
		keys->strings[n - 1 - i] = key;
	}
	keys->count = n;
	return 0;
}

/* measurement.ScaledLabel: two decimals unless both are 0. */
static int tagroot_add_number(struct buffer *out, int64_t value, const char *from, const char *to)
{
	const char *unit;
	double scaled = units_scale(value, from, to, &unit);
	char text[64];
	int len = snprintf(text, sizeof(text), "%.2f", scaled);

	if (len > 3 && !strcmp(text + len - 3, ".00"))
		text[len - 3] = '\0';
	if (!strcmp(text, "0") || !strcmp(text, "-0"))
		return buffer_add(out, "0", 1);
	return buffer_addf(out, "%s", text) || buffer_add(out, unit, strlen(unit)) ? ERR_NOMEM : 0;
}

static bool tagroot_has_units(const struct profile *p, const struct profile_sample *s, uint32_t key)
{
	for (size_t i = 0; i < s->labels; i++) {
		const struct profile_label *l = &p->labels[s->first_label + i];

		if (l->key == key && !l->str && l->num_unit)
			return true;
	}
	return false;
}

/* Appends the key's values of one kind, strings or numbers, to the frame's name. */
static int tagroot_add_values(struct tagging *t, const struct profile_sample *s, uint32_t key,
			      bool numbers, size_t *count)
{
	const struct profile *p = t->p;
	bool scaled = numbers && tagroot_has_units(p, s, key);
	int rc = 0;

	for (size_t i = 0; i < s->labels && !rc; i++) {
		const struct profile_label *l = &p->labels[s->first_label + i];
		const struct strset_entry *e = &p->strings.entries[l->str];

		if (l->key != key || label_is_empty(l) || numbers != !l->str)
			continue;
		if ((*count)++)
			rc = buffer_add(&t->name, ",", 1);
		if (rc)
			return rc;
		rc = numbers ?
			     tagroot_add_number(&t->name, l->num,
						scaled ? strset_get(&p->strings, l->num_unit) : "",
						scaled ? t->unit : "") :
			     buffer_add(&t->name, e->text, e->len);
	}
	return rc;
}

static int tagroot_add_frame(struct tagging *t, const struct profile_sample *s, uint32_t key,
			     bool *found)
{
	struct profile_function f = { .filename = key };
	struct profile_line line = { 0 };
	struct profile_location location = { 0 };
	size_t count = 0;
	uint32_t id;

	t->name.len = 0;
	if (tagroot_add_values(t, s, key, false, &count) ||
	    tagroot_add_values(t, s, key, true, &count) ||
	    strset_add(&t->p->strings, t->name.len ? (const char *)t->name.data : "", t->name.len,
		       &f.name) ||
	    profile_add_function(t->p, &f, &line.function) ||
	    profile_add_location(t->p, &location, &line, 1, &id) ||
	    buffer_add(&t->stack, &id, sizeof(id)))
		return ERR_NOMEM;
	*found = *found || count > 0;
	return 0;
}

static int tagroot_add_frames(struct tagging *t, const struct profile_sample *s,
			      const struct tagroot_keys *keys, bool *found)
{
	int rc = 0;

	for (size_t i = 0; i < keys->count && !rc; i++)
		rc = tagroot_add_frame(t, s, keys->strings[i], found);
	return rc;
}

static int tag_sample(struct tagging *t, size_t i, const struct tagroot_keys *roots,
		      const struct tagroot_keys *leaves, struct tagroot_found *found)
{
	const struct profile_sample *s = &t->p->samples[i];

	t->stack.len = 0;
	if (tagroot_add_frames(t, s, leaves, &found->leaf) ||
	    buffer_add(&t->stack, t->p->stack + s->first_location,
		       s->locations * sizeof(uint32_t)) ||
	    tagroot_add_frames(t, s, roots, &found->root))
		return ERR_NOMEM;
	return profile_set_stack(t->p, i, (const uint32_t *)(void *)t->stack.data,
				 t->stack.len / sizeof(uint32_t));
}

int tagroot_add(struct profile *p, const char *roots, const char *leaves, const char *unit,
		struct tagroot_found *found, struct error *err)
{
	struct tagging t = { .p = p, .unit = unit ? unit : "minimum" };
	struct tagroot_keys root = { 0 }, leaf = { 0 };
	int rc = read_keys(p, roots, &root) || read_keys(p, leaves, &leaf) ? ERR_NOMEM : 0;

	*found = (struct tagroot_found){ 0 };
	for (size_t i = 0; i < p->sample_count && !rc && root.count + leaf.count; i++)
		rc = tag_sample(&t, i, &root, &leaf, found);
	free(root.strings);
	free(leaf.strings);
	buffer_release(&t.name);
	buffer_release(&t.stack);
	return rc ? error_nomem(err) : 0;
}
