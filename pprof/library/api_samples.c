/*
 * Samples in the public interface: a list of frames with names. The model has locations, each
 * with a list of inlined calls. So the address and mapping of a location are repeated here in
 * each of its frames.
 */
#include "pprof/library/api.h"

/* A small file can have a stack of a million frames: 1,000 times a location of 1,000 lines. */
enum { FRAMES_MAX = 1000 * 1000 + 1 };

static const char *api_samples_text(const struct profile *of, uint32_t string)
{
	return strset_get(&of->strings, string);
}

/* From the model */

static int list_mappings(struct pprof *p)
{
	const struct profile *of = &p->profile;

	for (size_t i = p->mappings.len / sizeof(struct pprof_mapping); i < of->mapping_count;
	     i++) {
		const struct profile_mapping *m = &of->mappings[i];
		struct pprof_mapping mapping = {
			.start = m->start,
			.limit = m->limit,
			.offset = m->offset,
			.file = api_samples_text(of, m->filename),
			.build_id = api_samples_text(of, m->build_id),
			.has_functions = m->has_functions,
			.has_filenames = m->has_filenames,
			.has_line_numbers = m->has_line_numbers,
			.has_inline_frames = m->has_inline_frames,
		};

		if (buffer_add(&p->mappings, &mapping, sizeof(mapping)))
			return error_nomem(&p->error);
	}
	return 0;
}

static struct pprof_frame api_samples_frame_of(const struct pprof *p,
					       const struct profile_location *l)
{
	const struct pprof_mapping *mappings = (const struct pprof_mapping *)p->mappings.data;

	return (struct pprof_frame){
		.system_name = "",
		.file = "",
		.address = l->address,
		.folded = l->is_folded,
		.mapping = l->mapping ? &mappings[l->mapping - 1] : NULL,
	};
}

static int list_location(struct pprof *p, const struct profile_location *l)
{
	const struct profile *of = &p->profile;
	struct pprof_frame frame = api_samples_frame_of(p, l);

	for (size_t i = 0; i < l->lines; i++) {
		const struct profile_line *line = &of->lines[l->first_line + i];
		const struct profile_function *fn = &of->functions[line->function - 1];

		frame.function = api_samples_text(of, fn->name);
		frame.system_name = api_samples_text(of, fn->system_name);
		frame.file = api_samples_text(of, fn->filename);
		frame.start_line = fn->start_line;
		frame.line = line->line;
		frame.column = line->column;
		frame.inlined = i + 1 < l->lines;
		if (buffer_add(&p->frames, &frame, sizeof(frame)))
			return error_nomem(&p->error);
	}
	if (!l->lines && buffer_add(&p->frames, &frame, sizeof(frame)))
		return error_nomem(&p->error);
	return 0;
}

static int api_samples_list_frames(struct pprof *p, const struct profile_sample *s)
{
	const struct profile *of = &p->profile;
	size_t count = 0;
	int rc = 0;

	p->frames.len = 0;
	for (size_t i = 0; !rc && i < s->locations; i++) {
		const struct profile_location *l =
			&of->locations[of->stack[s->first_location + i] - 1];

		count += l->lines ? l->lines : 1;
		if (count >= FRAMES_MAX)
			return error_set(&p->error, ERR_LIMIT, "a sample has %zu frames or more",
					 count);
		rc = list_location(p, l);
	}
	return rc;
}

static int list_labels(struct pprof *p, const struct profile_sample *s)
{
	const struct profile *of = &p->profile;

	p->labels.len = 0;
	for (size_t i = 0; i < s->labels; i++) {
		const struct profile_label *l = &of->labels[s->first_label + i];
		struct pprof_label label = {
			.key = api_samples_text(of, l->key),
			.text = l->str ? api_samples_text(of, l->str) : NULL,
			.number = l->num,
			.unit = api_samples_text(of, l->num_unit),
		};

		if (buffer_add(&p->labels, &label, sizeof(label)))
			return error_nomem(&p->error);
	}
	return 0;
}

static int list_values(struct pprof *p, const struct profile_sample *s)
{
	p->values.len = 0;
	if (buffer_add(&p->values, p->profile.values + s->first_value,
		       p->profile.type_count * sizeof(int64_t)))
		return error_nomem(&p->error);
	return 0;
}

size_t pprof_samples(const struct pprof *p)
{
	return p->profile.sample_count;
}

int pprof_sample(struct pprof *p, size_t index, struct pprof_sample *sample)
{
	const struct profile_sample *s;

	if (index >= p->profile.sample_count)
		return error_set(&p->error, ERR_USAGE, "there is no sample %zu", index);
	s = &p->profile.samples[index];
	if (list_mappings(p) || api_samples_list_frames(p, s) || list_labels(p, s) ||
	    list_values(p, s))
		return p->error.code;
	*sample = (struct pprof_sample){
		.values = (const int64_t *)p->values.data,
		.frames = (const struct pprof_frame *)p->frames.data,
		.frame_count = p->frames.len / sizeof(struct pprof_frame),
		.labels = (const struct pprof_label *)p->labels.data,
		.label_count = p->labels.len / sizeof(struct pprof_label),
	};
	return 0;
}

/* To the model */

static bool api_samples_same_mapping(const void *owner, uint32_t i, const void *key)
{
	const struct profile_mapping *a = &((const struct profile *)owner)->mappings[i];
	const struct profile_mapping *b = key;

	return a->start == b->start && a->limit == b->limit && a->offset == b->offset &&
	       a->filename == b->filename && a->build_id == b->build_id &&
	       a->has_functions == b->has_functions && a->has_filenames == b->has_filenames &&
	       a->has_line_numbers == b->has_line_numbers &&
	       a->has_inline_frames == b->has_inline_frames;
}

static uint64_t hash_mapping(const struct profile_mapping *m)
{
	uint64_t words[4] = { m->start, m->limit, m->offset,
			      (uint64_t)m->filename << 32 | m->build_id };

	return hash_bytes(words, sizeof(words));
}

/* Indexes the mappings that are not in the index yet: after reading, all of the file's. */
static int index_mappings(struct pprof *p)
{
	for (; p->mappings_indexed < p->profile.mapping_count; p->mappings_indexed++)
		if (hashindex_add(&p->mapping_index,
				  hash_mapping(&p->profile.mappings[p->mappings_indexed]),
				  (uint32_t)p->mappings_indexed))
			return ERR_NOMEM;
	return 0;
}

static int api_samples_put_mapping(struct pprof *p, const struct pprof_mapping *from, uint32_t *id)
{
	struct profile_mapping m = {
		.start = from->start,
		.limit = from->limit,
		.offset = from->offset,
		.has_functions = from->has_functions,
		.has_filenames = from->has_filenames,
		.has_line_numbers = from->has_line_numbers,
		.has_inline_frames = from->has_inline_frames,
	};
	uint32_t found;

	if (profile_string(&p->profile, from->file, &m.filename) ||
	    profile_string(&p->profile, from->build_id, &m.build_id) || index_mappings(p))
		return ERR_NOMEM;
	found = hashindex_find(&p->mapping_index, hash_mapping(&m), api_samples_same_mapping,
			       &p->profile, &m);
	if (found == HASHINDEX_NONE)
		return profile_add_mapping(&p->profile, &m, id);
	*id = found + 1;
	return 0;
}

static int api_samples_put_line(struct pprof *p, const struct pprof_frame *frame)
{
	struct profile_function fn = { .start_line = frame->start_line };
	struct profile_line line = { .line = frame->line, .column = frame->column };

	if (profile_string(&p->profile, frame->function, &fn.name) ||
	    profile_string(&p->profile, frame->system_name, &fn.system_name) ||
	    profile_string(&p->profile, frame->file, &fn.filename) ||
	    profile_add_function(&p->profile, &fn, &line.function))
		return ERR_NOMEM;
	return buffer_add(&p->lines, &line, sizeof(line));
}

/* Adds a location with the lines collected so far. `frame` is its outermost frame: the others were
 * inlined into it. */
static int api_samples_put_location(struct pprof *p, const struct pprof_frame *frame)
{
	struct profile_location l = { .address = frame->address, .is_folded = frame->folded };
	uint32_t id;

	if ((frame->mapping && api_samples_put_mapping(p, frame->mapping, &l.mapping)) ||
	    profile_add_location(&p->profile, &l, (const struct profile_line *)p->lines.data,
				 p->lines.len / sizeof(struct profile_line), &id))
		return ERR_NOMEM;
	p->lines.len = 0;
	return buffer_add(&p->stack, &id, sizeof(id));
}

static int put_frames(struct pprof *p, const struct pprof_sample *sample)
{
	p->lines.len = p->stack.len = 0;
	for (size_t i = 0; i < sample->frame_count; i++) {
		const struct pprof_frame *frame = &sample->frames[i];

		if ((frame->function && api_samples_put_line(p, frame)) ||
		    (!frame->inlined && api_samples_put_location(p, frame)))
			return ERR_NOMEM;
	}
	return 0;
}

static int api_samples_put_labels(struct pprof *p, const struct pprof_sample *sample)
{
	p->marks.len = 0;
	for (size_t i = 0; i < sample->label_count; i++) {
		const struct pprof_label *from = &sample->labels[i];
		struct profile_label l = { .num = from->number };

		if (profile_string(&p->profile, from->key, &l.key) ||
		    profile_string(&p->profile, from->text, &l.str) ||
		    profile_string(&p->profile, from->unit, &l.num_unit) ||
		    buffer_add(&p->marks, &l, sizeof(l)))
			return ERR_NOMEM;
	}
	return 0;
}

static int api_samples_check_sample(struct pprof *p, const struct pprof_sample *sample)
{
	if (!p->profile.type_count)
		return error_set(&p->error, ERR_USAGE, "a sample comes before the sample types");
	for (size_t i = 0; i < sample->frame_count; i++) {
		const struct pprof_frame *frame = &sample->frames[i];
		bool last = i + 1 == sample->frame_count;

		if (frame->inlined && (last || !frame->function || !frame[1].function))
			return error_set(&p->error, ERR_USAGE, "frame %zu is inlined into nothing",
					 i);
	}
	return 0;
}

int pprof_add_sample(struct pprof *p, const struct pprof_sample *sample)
{
	int rc = api_samples_check_sample(p, sample);

	if (rc)
		return rc;
	if (put_frames(p, sample) || api_samples_put_labels(p, sample) ||
	    profile_add_sample(&p->profile, (const uint32_t *)p->stack.data,
			       p->stack.len / sizeof(uint32_t), sample->values,
			       (const struct profile_label *)p->marks.data,
			       p->marks.len / sizeof(struct profile_label)))
		return error_nomem(&p->error);
	return 0;
}
