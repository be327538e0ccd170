/*
 * CheckValid has these rules, each of which is checked where the line says:
 *
 *	samples need a sample type			here; of a file, the decoder
 *	as many values in a sample as types		here; of a file, the decoder
 *	locations of samples, functions of lines and
 *	mappings of locations are in their tables	here; of a file, the decoder
 *	ids are not 0 and not duplicate			the decoder
 *
 * The model has no ids: an entry's number is its place. So errors in a file's ids are found
 * while it is decoded, and pprof/wire/place.h names the entry. The rules that are checked here
 * hold for every profile that was just decoded, but perhaps not for one that a caller has
 * built or changed. Therefore the numbers of strings and the bounds of each slice are
 * checked, too. CheckValid need not do that: Go's slices and strings are always in bounds.
 */
#include "pprof/validate.h"

#include "base/error.h"
#include "base/utf8.h"
#include "pprof/profile.h"

static bool in(size_t first, size_t count, size_t total)
{
	return first <= total && count <= total - first;
}

static int bad(struct error *err, const char *what, size_t index, const char *why)
{
	return error_set(err, ERR_FORMAT, "%s %zu %s", what, index + 1, why);
}

static int pprof_validate_names(struct error *err, const char *what, size_t index,
				const char *named, uint32_t number, size_t count)
{
	return error_set(err, ERR_FORMAT, "%s %zu names %s %u of only %zu", what, index + 1, named,
			 number, count);
}

/* Checks up to three strings. `what` and `index` name the entry that has them, for the message. */
static int check_strings(const struct profile *p, const uint32_t strings[3], const char *what,
			 size_t index, struct error *err)
{
	for (int i = 0; i < 3; i++)
		if (strings[i] >= p->strings.count)
			return pprof_validate_names(err, what, index, "string", strings[i],
						    p->strings.count);
	return 0;
}

static int check_head(const struct profile *p, struct error *err)
{
	const struct {
		const char *what;
		uint32_t string;
	} single[] = {
		{ "drop_frames", p->drop_frames },
		{ "keep_frames", p->keep_frames },
		{ "default_sample_type", p->default_type },
		{ "doc_url", p->doc_url },
	};
	const struct profile_type *t = &p->period_type;
	int rc = check_strings(p, (uint32_t[3]){ t->type, t->unit }, "period type", 0, err);

	for (size_t i = 0; !rc && i < sizeof(single) / sizeof(*single); i++)
		if (single[i].string >= p->strings.count)
			rc = error_set(err, ERR_FORMAT, "%s names string %u of only %u",
				       single[i].what, single[i].string, p->strings.count);
	for (size_t i = 0; !rc && i < p->comment_count; i++)
		rc = check_strings(p, (uint32_t[3]){ p->comments[i] }, "comment", i, err);
	for (size_t i = 0; !rc && i < p->type_count; i++) {
		t = &p->types[i];
		rc = check_strings(p, (uint32_t[3]){ t->type, t->unit }, "sample type", i, err);
	}
	return rc;
}

static int check_labels(const struct profile *p, size_t index, struct error *err)
{
	const struct profile_sample *s = &p->samples[index];
	int rc = 0;

	for (size_t i = 0; !rc && i < s->labels; i++) {
		const struct profile_label *l = &p->labels[s->first_label + i];

		rc = check_strings(p, (uint32_t[3]){ l->key, l->str, l->num_unit }, "sample", index,
				   err);
	}
	return rc;
}

static int pprof_validate_check_sample(const struct profile *p, size_t index, struct error *err)
{
	const struct profile_sample *s = &p->samples[index];

	if (!p->type_count)
		return bad(err, "sample", index, "is there without a sample type");
	if (!in(s->first_value, p->type_count, p->value_count))
		return bad(err, "sample", index, "has not a value for each sample type");
	if (!in(s->first_location, s->locations, p->stack_count))
		return bad(err, "sample", index, "has locations beyond their table");
	if (!in(s->first_label, s->labels, p->label_count))
		return bad(err, "sample", index, "has labels beyond their table");
	for (size_t i = 0; i < s->locations; i++) {
		uint32_t number = p->stack[s->first_location + i];

		if (number - 1 >= p->location_count)
			return pprof_validate_names(err, "sample", index, "location", number,
						    p->location_count);
	}
	return check_labels(p, index, err);
}

static int check_location(const struct profile *p, size_t index, struct error *err)
{
	const struct profile_location *l = &p->locations[index];

	if (l->mapping > p->mapping_count)
		return pprof_validate_names(err, "location", index, "mapping", l->mapping,
					    p->mapping_count);
	if (!in(l->first_line, l->lines, p->line_count))
		return bad(err, "location", index, "has lines beyond their table");
	for (size_t i = 0; i < l->lines; i++) {
		uint32_t number = p->lines[l->first_line + i].function;

		if (!number)
			return bad(err, "location", index, "has a line without a function");
		if (number > p->function_count)
			return pprof_validate_names(err, "location", index, "function", number,
						    p->function_count);
	}
	return 0;
}

int profile_validate(const struct profile *p, struct error *err)
{
	int rc = check_head(p, err);

	for (size_t i = 0; !rc && i < p->sample_count; i++)
		rc = pprof_validate_check_sample(p, i, err);
	for (size_t i = 0; !rc && i < p->mapping_count; i++) {
		const struct profile_mapping *m = &p->mappings[i];

		rc = check_strings(p, (uint32_t[3]){ m->filename, m->build_id }, "mapping", i, err);
	}
	for (size_t i = 0; !rc && i < p->function_count; i++) {
		const struct profile_function *f = &p->functions[i];

		rc = check_strings(p, (uint32_t[3]){ f->name, f->system_name, f->filename },
				   "function", i, err);
	}
	for (size_t i = 0; !rc && i < p->location_count; i++)
		rc = check_location(p, i, err);
	return rc;
}

int profile_validate_text(const struct profile *p, struct error *err)
{
	for (uint32_t i = 0; i < p->strings.count; i++) {
		const struct strset_entry *s = &p->strings.entries[i];
		size_t at = utf8_valid(s->text, s->len);

		if (at < s->len)
			return error_set(
				err, ERR_FORMAT,
				"profile: string %u is not UTF-8: byte 0x%02x at its offset %zu", i,
				(unsigned char)s->text[at], at);
	}
	return 0;
}
