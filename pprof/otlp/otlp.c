/*
 * Samples that differ in nothing but their values are added up, since in OTLP stack and attributes
 * identify a sample. Each is kept once, as its encoded identity, with the sums of all types; then
 * each type becomes a Profile of the samples that have a value of it.
 */
#include "pprof/otlp/otlp.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/room.h"
#include "pprof/columns.h"
#include "pprof/otlp/dictionary.h"
#include "pprof/otlp/fields.h"
#include "pprof/profile.h"
#include "pprof/wire/writer.h"

struct otlp_encoder {
	const struct profile *p;
	struct dictionary dictionary;
	struct strset samples; /* encoded without values; 0 is a sample without stack and labels */
	uint64_t *sums;	       /* by sample, one for each type; wrap, as merged values do */
	size_t sums_room;
	struct indexes attributes; /* of the sample in work, then of all profiles */
	struct buffer identity;
	struct writer w;
};

static const size_t MESSAGE_MAX = INT32_MAX; /* protobuf.dev/programming-guides/proto-limits */

/* Samples. */

static bool has_value(const struct profile *p, const struct profile_sample *s)
{
	for (size_t i = 0; i < p->type_count; i++)
		if (p->values[s->first_value + i])
			return true;
	return false;
}

static int otlp_identify(struct otlp_encoder *e, const struct profile_sample *s, uint32_t *sample)
{
	struct writer w = { .out = &e->identity };
	uint32_t stack;
	int rc = dictionary_stack(&e->dictionary, s, &stack);

	e->attributes.count = 0;
	rc = rc ? rc : dictionary_labels(&e->dictionary, s, &e->attributes);
	if (rc)
		return rc;
	e->identity.len = 0;
	writer_number(&w, OTLP_SAMPLE_STACK, stack);
	writer_packed(&w, OTLP_SAMPLE_ATTRIBUTES, e->attributes.list, e->attributes.count);
	return w.rc ? w.rc :
		      strset_add(&e->samples, (const char *)e->identity.data, e->identity.len,
				 sample);
}

static int otlp_add_sample(struct otlp_encoder *e, const struct profile_sample *s)
{
	size_t types = e->p->type_count;
	uint32_t sample;
	int rc;

	if (!has_value(e->p, s))
		return 0;
	rc = otlp_identify(e, s, &sample);
	if (!rc)
		rc = room_for_zeros((void **)&e->sums, &e->sums_room, e->samples.count * types,
				    sizeof(*e->sums));
	for (size_t i = 0; !rc && i < types; i++)
		e->sums[sample * types + i] += (uint64_t)e->p->values[s->first_value + i];
	return rc;
}

static int otlp_add_samples(struct otlp_encoder *e)
{
	int rc = room_for_zeros((void **)&e->sums, &e->sums_room, e->p->type_count + 1,
				sizeof(*e->sums));

	for (size_t i = 0; !rc && i < e->p->sample_count; i++)
		rc = otlp_add_sample(e, &e->p->samples[i]);
	return rc;
}

static void otlp_put_sample(struct otlp_encoder *e, uint32_t sample, uint64_t value)
{
	const struct strset_entry *identity = &e->samples.entries[sample];
	size_t start = writer_begin(&e->w, OTLP_PROFILE_SAMPLES), values;

	if (!e->w.rc)
		e->w.rc = buffer_add(e->w.out, identity->text, identity->len);
	values = writer_begin(&e->w, OTLP_SAMPLE_VALUES);
	writer_item(&e->w, value);
	writer_end(&e->w, values);
	writer_end(&e->w, start);
}

/* Profiles. */

static void otlp_put_type(struct otlp_encoder *e, unsigned field, struct profile_type type)
{
	uint32_t name = 0, unit = 0;
	size_t start;

	if (!e->w.rc)
		e->w.rc = dictionary_string(&e->dictionary, type.type, &name);
	if (!e->w.rc)
		e->w.rc = dictionary_string(&e->dictionary, type.unit, &unit);
	start = writer_begin(&e->w, field);
	writer_number(&e->w, OTLP_TYPE_TYPE, name);
	writer_number(&e->w, OTLP_TYPE_UNIT, unit);
	writer_end(&e->w, start);
}

static void otlp_put_profile(struct otlp_encoder *e, size_t type)
{
	const struct profile *p = e->p;
	size_t start = writer_begin(&e->w, SCOPE_PROFILES_PROFILES);

	otlp_put_type(e, OTLP_PROFILE_SAMPLE_TYPE, p->types[type]);
	for (uint32_t i = 0; i < e->samples.count; i++)
		if (e->sums[i * p->type_count + type])
			otlp_put_sample(e, i, e->sums[i * p->type_count + type]);
	writer_fixed64(&e->w, OTLP_PROFILE_TIME, (uint64_t)p->time_nanos);
	if (p->duration_nanos > 0)
		writer_number(&e->w, OTLP_PROFILE_DURATION, (uint64_t)p->duration_nanos);
	otlp_put_type(e, OTLP_PROFILE_PERIOD_TYPE, p->period_type);
	writer_number(&e->w, OTLP_PROFILE_PERIOD, (uint64_t)p->period);
	writer_packed(&e->w, OTLP_PROFILE_ATTRIBUTES, e->attributes.list, e->attributes.count);
	writer_end(&e->w, start);
}

/* Makes the attributes that each Profile of a pprof profile has. */
static int profile_attributes(struct otlp_encoder *e)
{
	const struct profile *p = e->p;
	const struct {
		const char *key;
		uint32_t string;
	} texts[] = { { "pprof.profile.doc_url", p->doc_url },
		      { "pprof.profile.drop_frames", p->drop_frames },
		      { "pprof.profile.keep_frames", p->keep_frames } };
	int rc = 0;

	e->attributes.count = 0;
	if (p->comment_count)
		rc = dictionary_texts(&e->dictionary, "pprof.profile.comment", p->comments,
				      p->comment_count, &e->attributes);
	for (size_t i = 0; !rc && i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].string)
			rc = dictionary_text(&e->dictionary, texts[i].key, texts[i].string,
					     &e->attributes);
	return rc;
}

/* The default type comes first: viewers show the first profile by default (profiles.proto). */
static void put_profiles(struct otlp_encoder *e)
{
	const struct profile *p = e->p;
	size_t first = p->type_count;

	if (p->default_type)
		first = profile_column(p, strset_get(&p->strings, p->default_type));
	if (first == p->type_count && first)
		first--; /* google/pprof, profile/index.go */
	if (!e->w.rc)
		e->w.rc = profile_attributes(e);
	if (p->type_count)
		otlp_put_profile(e, first);
	for (size_t i = 0; i < p->type_count; i++)
		if (i != first)
			otlp_put_profile(e, i);
}

/* Whose they are. Keys are written whole: Pyroscope 1.21 and Parca 0.28 read no others. */

static void put_clean(struct otlp_encoder *e, unsigned field, const char *text)
{
	e->identity.len = 0;
	if (!e->w.rc)
		e->w.rc = buffer_add_utf8(&e->identity, text, strlen(text));
	writer_bytes(&e->w, field, e->identity.data, e->identity.len);
}

static void put_attributes(struct otlp_encoder *e, unsigned field, const struct otlp_attributes *a)
{
	for (size_t i = 0; i < a->count; i++) {
		size_t start = writer_begin(&e->w, field), value;

		put_clean(e, KEY_VALUE_KEY, a->list[i].key);
		value = writer_begin(&e->w, KEY_VALUE_VALUE);
		if (a->list[i].text)
			put_clean(e, ANY_STRING, a->list[i].text);
		else
			writer_value(&e->w, ANY_INT, (uint64_t)a->list[i].number);
		writer_end(&e->w, value);
		writer_end(&e->w, start);
	}
}

static void put_data(struct otlp_encoder *e, const struct otlp_origin *origin)
{
	size_t whole = writer_begin(&e->w, DATA_RESOURCE_PROFILES), scope, start;

	start = writer_begin(&e->w, RESOURCE_PROFILES_RESOURCE);
	put_attributes(e, RESOURCE_ATTRIBUTES, &origin->resource);
	writer_end(&e->w, start);
	scope = writer_begin(&e->w, RESOURCE_PROFILES_SCOPES);
	start = writer_begin(&e->w, SCOPE_PROFILES_SCOPE);
	writer_bytes(&e->w, SCOPE_NAME, "sampler", strlen("sampler"));
	writer_bytes(&e->w, SCOPE_VERSION, SAMPLER_VERSION, strlen(SAMPLER_VERSION));
	put_attributes(e, SCOPE_ATTRIBUTES, &origin->scope);
	writer_end(&e->w, start);
	put_profiles(e);
	writer_end(&e->w, scope);
	writer_end(&e->w, whole);
	start = writer_begin(&e->w, DATA_DICTIONARY);
	dictionary_write(&e->dictionary, &e->w);
	writer_end(&e->w, start);
}

int otlp_encode(const struct profile *p, const struct otlp_origin *origin, struct buffer *out,
		struct error *err)
{
	struct otlp_encoder e = { .p = p, .w = { .out = out } };
	size_t before = out->len;
	int rc = dictionary_init(&e.dictionary, p);

	rc = rc ? rc : strset_init(&e.samples);
	rc = rc ? rc : otlp_add_samples(&e);
	if (!rc) {
		put_data(&e, origin);
		rc = e.w.rc;
	}
	dictionary_release(&e.dictionary);
	strset_release(&e.samples);
	free(e.sums);
	free(e.attributes.list);
	buffer_release(&e.identity);
	if (rc)
		return error_nomem(err);
	if (out->len - before > MESSAGE_MAX)
		return error_set(err, ERR_LIMIT, "the message takes more than 2 GiB");
	return 0;
}
