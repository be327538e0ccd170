/*
 * The library's public interface, which other programs may rely on, on top of the model
 * (pprof/profile.h), which may change. This file has creation, reading, writing, merging and the
 * header; samples are in api_samples.c.
 *
 * All public functions, and no others, have names that begin with pprof_: the installed archive
 * keeps only these symbols global (Makefile).
 */
#include "pprof/library/api.h"

#include <stdlib.h>

#include "base/file/outfile.h"
#include "pprof/file/read.h"
#include "pprof/merge.h"
#include "pprof/validate.h"
#include "pprof/wire/encode.h"

_Static_assert(PPROF_NOMEM == (int)ERR_NOMEM && PPROF_IO == (int)ERR_IO &&
		       PPROF_FORMAT == (int)ERR_FORMAT && PPROF_USAGE == (int)ERR_USAGE &&
		       PPROF_PERM == (int)ERR_PERM && PPROF_LIMIT == (int)ERR_LIMIT,
	       "codes are handed through");

struct pprof *pprof_new(void)
{
	struct pprof *p = calloc(1, sizeof(*p));

	if (p && profile_init(&p->profile)) {
		free(p);
		return NULL;
	}
	return p;
}

void pprof_free(struct pprof *p)
{
	if (!p)
		return;
	profile_release(&p->profile);
	hashindex_release(&p->mapping_index);
	buffer_release(&p->mappings);
	buffer_release(&p->frames);
	buffer_release(&p->labels);
	buffer_release(&p->lines);
	buffer_release(&p->stack);
	buffer_release(&p->values);
	buffer_release(&p->marks);
	free(p);
}

const char *pprof_message(const struct pprof *p)
{
	return p->error.text;
}

/* Reading, writing, merging */

/* Replaces p's profile by *next and clears the index and the list of mappings. If `rc` is an error
 * or *next is not valid, releases *next instead. */
static int api_take(struct pprof *p, struct profile *next, int rc)
{
	if (!rc)
		rc = profile_validate(next, &p->error);
	if (rc) {
		profile_release(next);
		return rc;
	}
	profile_release(&p->profile);
	hashindex_release(&p->mapping_index);
	p->profile = *next;
	p->mappings.len = 0;
	p->mappings_indexed = 0;
	return 0;
}

int pprof_read(struct pprof *p, const char *path, size_t max_size)
{
	struct profile next;

	if (profile_init(&next))
		return error_nomem(&p->error);
	return api_take(p, &next, profile_read(&next, path, max_size, &p->error));
}

int pprof_parse(struct pprof *p, const void *data, size_t len, size_t max_size)
{
	struct profile next;

	if (profile_init(&next))
		return error_nomem(&p->error);
	return api_take(p, &next, profile_parse(&next, data, len, max_size, &p->error));
}

int pprof_write(struct pprof *p, const char *path)
{
	struct outfile file = OUTFILE_NONE;
	int rc = outfile_open(&file, path, &p->error);

	if (!rc)
		rc = profile_write(&p->profile, &file, &p->error);
	if (!rc)
		rc = outfile_commit(&file, &p->error);
	outfile_abort(&file);
	return rc;
}

int pprof_encode(struct pprof *p, bool gzip, void **data, size_t *len)
{
	struct buffer bytes = { 0 };
	int rc = gzip ? profile_pack(&p->profile, &bytes, &p->error) :
			profile_encode(&p->profile, &bytes, &p->error);

	if (rc) {
		buffer_release(&bytes);
		return rc;
	}
	*data = bytes.data;
	*len = bytes.len;
	return 0;
}

int pprof_merge(struct pprof *p, struct pprof *const *others, size_t count)
{
	struct profile sum;
	struct merge *m;
	int rc = merge_new(&m, &p->error);

	if (rc)
		return rc;
	if (p->profile.type_count)
		rc = merge_add(m, &p->profile, &p->error);
	for (size_t i = 0; !rc && i < count; i++)
		rc = merge_add(m, &others[i]->profile, &p->error);
	if (rc) {
		merge_free(m);
		return rc;
	}
	return api_take(p, &sum, merge_finish(m, &sum, &p->error));
}

/* Header, comments, sample types */

static const char *api_text(const struct pprof *p, uint32_t string)
{
	return strset_get(&p->profile.strings, string);
}

void pprof_header(const struct pprof *p, struct pprof_header *header)
{
	const struct profile *from = &p->profile;

	*header = (struct pprof_header){
		.time_nanos = from->time_nanos,
		.duration_nanos = from->duration_nanos,
		.period = from->period,
		.period_type = api_text(p, from->period_type.type),
		.period_unit = api_text(p, from->period_type.unit),
		.default_type = api_text(p, from->default_type),
		.drop_frames = api_text(p, from->drop_frames),
		.keep_frames = api_text(p, from->keep_frames),
		.doc_url = api_text(p, from->doc_url),
	};
}

int pprof_set_header(struct pprof *p, const struct pprof_header *header)
{
	struct profile *to = &p->profile;
	uint32_t type, unit, first, drop, keep, url;

	if (profile_string(to, header->period_type, &type) ||
	    profile_string(to, header->period_unit, &unit) ||
	    profile_string(to, header->default_type, &first) ||
	    profile_string(to, header->drop_frames, &drop) ||
	    profile_string(to, header->keep_frames, &keep) ||
	    profile_string(to, header->doc_url, &url))
		return error_nomem(&p->error);
	to->time_nanos = header->time_nanos;
	to->duration_nanos = header->duration_nanos;
	to->period = header->period;
	to->period_type = (struct profile_type){ type, unit };
	to->default_type = first;
	to->drop_frames = drop;
	to->keep_frames = keep;
	to->doc_url = url;
	return 0;
}

const char *pprof_comment(const struct pprof *p, size_t index)
{
	return index < p->profile.comment_count ? api_text(p, p->profile.comments[index]) : NULL;
}

int pprof_add_comment(struct pprof *p, const char *comment)
{
	return profile_add_comment(&p->profile, comment) ? error_nomem(&p->error) : 0;
}

const char *pprof_type(const struct pprof *p, size_t index, const char **unit)
{
	if (index >= p->profile.type_count)
		return NULL;
	if (unit)
		*unit = api_text(p, p->profile.types[index].unit);
	return api_text(p, p->profile.types[index].type);
}

int pprof_add_type(struct pprof *p, const char *type, const char *unit)
{
	if (p->profile.sample_count)
		return error_set(&p->error, ERR_USAGE, "sample type '%s' comes after samples",
				 type ? type : "");
	return profile_add_type(&p->profile, type, unit) ? error_nomem(&p->error) : 0;
}
