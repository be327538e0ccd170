/* A field is stored by its rule: an offset in the struct and a kind. Doubts are kept by the field's
 * number until the message ends. */
#include "pprof/wire/decoder.h"

#include "base/error.h"
#include "pprof/profile.h"
#include "pprof/wire/wire.h"

int decoder_fail(struct decoder *d, const struct wire_field *f, const char *field, const char *why)
{
	return error_set(d->err, ERR_FORMAT, "profile: '%s' %s at offset %zu", field, why, f->at);
}

static int no_such_string(struct decoder *d, size_t at, const char *field, uint64_t index)
{
	return error_set(d->err, ERR_FORMAT,
			 "profile: '%s' is string %lu of only %zu at offset %zu", field, index,
			 d->string_count, at);
}

int find_string(struct decoder *d, const struct wire_field *f, const char *field, uint64_t index,
		uint32_t *number)
{
	if (index >= d->string_count)
		return no_such_string(d, f->at, field, index);
	*number = d->strings[index];
	return 0;
}

int no_such_id(struct decoder *d, size_t at, const char *field, uint64_t id)
{
	return error_set(d->err, ERR_FORMAT,
			 "profile: '%s' names %lu, which is not there, at offset %zu", field, id,
			 at);
}

/* In a member whose reference is in doubt: no string and no function has this number. */
#define DOUBTFUL UINT32_MAX

static uint32_t doubt(struct decoder *d, const struct wire_field *f)
{
	d->doubts[f->number] = (struct doubt){ f->value, f->at };
	d->doubtful = true;
	return DOUBTFUL;
}

int settle(struct decoder *d, const struct rule rules[RULES], const void *into)
{
	if (!d->doubtful)
		return 0;
	for (size_t i = 0; i < RULES; i++) {
		const struct rule *r = &rules[i];
		const struct doubt *doubt = &d->doubts[i];

		if ((r->kind != STRING && r->kind != FUNCTION) ||
		    *(const uint32_t *)((const char *)into + r->offset) != DOUBTFUL)
			continue;
		return (r->kind == STRING ? no_such_string : no_such_id)(d, doubt->at, r->name,
									 doubt->value);
	}
	return 0;
}

static int read_numbers(struct decoder *d, const struct rule *rule, const struct wire_field *f)
{
	struct cursor c;
	int rc = 0;

	if (f->type == WIRE_VARINT)
		return rule->number(d, f, f->value);
	if (f->type != WIRE_BYTES)
		return decoder_fail(d, f, rule->name, "has a wrong wire type");
	if (rule->packed)
		return rule->packed(d, f);
	c = wire_inside(&d->file, f);
	while (!rc && cursor_left(&c)) {
		uint64_t value = wire_number(&c);

		rc = c.failed ? cursor_error(&c, d->err) : rule->number(d, f, value);
	}
	return rc;
}

static int read_single(struct decoder *d, const struct rule *rule, const struct wire_field *f,
		       void *into)
{
	void *member = (char *)into + rule->offset;
	uint32_t number;

	if (f->type != WIRE_VARINT)
		return decoder_fail(d, f, rule->name, "has a wrong wire type");
	switch (rule->kind) {
	case FLAG:
		*(bool *)member = f->value != 0;
		return 0;
	case STRING:
		*(uint32_t *)member = f->value < d->string_count ? d->strings[f->value] :
								   doubt(d, f);
		return 0;
	case MAPPING:
		*(uint32_t *)member = ids_find(&d->mappings, f->value);
		return 0;
	case FUNCTION:
		number = ids_find(&d->functions, f->value);
		*(uint32_t *)member = number ? number : doubt(d, f);
		return 0;
	default:
		*(uint64_t *)member = f->value;
		return 0;
	}
}

int read_field(struct decoder *d, const struct rule *rule, const struct wire_field *f, void *into)
{
	switch (rule->kind) {
	case SKIPPED:
		return 0;
	case NUMBERS:
		return read_numbers(d, rule, f);
	case MESSAGE:
		return f->type == WIRE_BYTES ?
			       rule->message(d, f) :
			       decoder_fail(d, f, rule->name, "has a wrong wire type");
	default:
		return read_single(d, rule, f, into);
	}
}

int read_message(struct decoder *d, const struct wire_field *message,
		 const struct rule rules[RULES], void *into)
{
	struct cursor c = wire_inside(&d->file, message);
	struct wire_field f;
	int rc = 0;

	while (!rc && wire_next(&c, &f))
		if (f.number < RULES)
			rc = read_field(d, &rules[f.number], &f, into);
	if (!rc)
		rc = cursor_error(&c, d->err);
	if (!rc && d->doubtful) {
		rc = settle(d, rules, into);
		d->doubtful = false;
	}
	return rc;
}
