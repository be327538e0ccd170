/*
 * One pass over the locations finds the frames of each; for a sample, frame numbers are then only
 * copied. Locations can share a frame, because the view ignores what distinguishes them. The frames
 * of a sample are counted before memory is allocated: if a file's sample names a location with a
 * million inlined calls a million times, it has 10^12 frames.
 */
#include "pprof/flame/frames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/room.h"
#include "pprof/profile.h"

enum { NONE = UINT32_MAX };

/* At most 1 GiB is read. A file of that size has fewer frames unless they are repeated. */
static const uint64_t FRAMES_MAX = 1u << 30, STACK_MAX = 1u << 26;
static const size_t NAMES_MAX = 1u << 30;

struct flame_frames_entry {
	struct report_frame frame;
	uint64_t address; /* 0 unless by address */
};

struct frames {
	const struct profile *p;
	enum report_by by;
	struct strset strings;
	struct flame_frames_entry *list;
	size_t count, room;
	struct hashindex index;
	uint32_t *of_lines; /* frames of all locations, outermost first */
	size_t *first;	    /* by location: its first index in of_lines; and one entry more */
	uint32_t *stack;    /* of the current sample */
	size_t stack_room;
	uint64_t asked;	      /* frames of all samples so far */
	uint32_t thread, tid; /* the profile's strings with these texts, or NONE */
	struct buffer text;   /* the name that is being made */
};

const char *frames_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

int frames_title(const struct profile *p, const struct report_view *v, struct buffer *text)
{
	const char *type = strset_get(&p->strings, p->types[v->type].type);
	const char *file = p->mapping_count ? strset_get(&p->strings, p->mappings[0].filename) : "";

	return buffer_addf(text, "%s", *file ? frames_base_name(file) : type);
}

static const char *flame_frames_string(const struct frames *f, uint32_t id)
{
	return strset_get(&f->p->strings, id);
}

static bool flame_frames_same_entry(const void *owner, uint32_t id, const void *key)
{
	return !memcmp(&((const struct frames *)owner)->list[id], key,
		       sizeof(struct flame_frames_entry));
}

static int flame_frames_find_or_add(struct frames *f, const struct flame_frames_entry *e,
				    uint32_t *id)
{
	uint64_t hash = hash_bytes(e, sizeof(*e));

	*id = hashindex_find(&f->index, hash, flame_frames_same_entry, f, e);
	if (*id != HASHINDEX_NONE)
		return 0;
	if (room_for((void **)&f->list, &f->room, f->count + 1, sizeof(*f->list)) ||
	    hashindex_add(&f->index, hash, (uint32_t)f->count))
		return ERR_NOMEM;
	*id = (uint32_t)f->count;
	f->list[f->count++] = *e;
	return 0;
}

/* Adds the name that is in f->text to f->strings. */
static int flame_frames_take_name(struct frames *f, uint32_t *id)
{
	if (f->strings.arena.total + f->text.len > NAMES_MAX)
		return ERR_LIMIT;
	return strset_add(&f->strings, (const char *)f->text.data, f->text.len, id);
}

static int name_unknown(struct frames *f, const struct profile_location *l)
{
	const struct profile_mapping *m = l->mapping ? &f->p->mappings[l->mapping - 1] : NULL;
	const char *module = m ? frames_base_name(flame_frames_string(f, m->filename)) : "";

	if (!*module)
		return l->address ? buffer_addf(&f->text, "0x%" PRIx64, l->address) :
				    buffer_add(&f->text, "<unknown>", 9);
	if (!l->address)
		return buffer_addf(&f->text, "[%s]", module);
	/* Some profiles have file addresses, which are below the start of the mapping. */
	return buffer_addf(&f->text, "[%s]+0x%" PRIx64, module,
			   l->address >= m->start ? l->address - m->start + m->offset : l->address);
}

static int flame_frames_name_function(struct frames *f, const struct profile_location *l,
				      const struct profile_function *fn)
{
	const char *name = fn ? flame_frames_string(f, fn->name ? fn->name : fn->system_name) : "";

	return *name ? buffer_add(&f->text, name, strlen(name)) : name_unknown(f, l);
}

/* "function file:line", as pprof names lines. */
static int name_line(struct frames *f, const struct profile_location *l,
		     const struct profile_function *fn, const struct profile_line *line)
{
	const char *file = fn ? flame_frames_string(f, fn->filename) : "";
	int rc = flame_frames_name_function(f, l, fn);

	if (!rc && *file)
		rc = buffer_addf(&f->text, " %s", file);
	if (!rc && *file && line->line)
		rc = buffer_addf(&f->text, ":%" PRId64, line->line);
	return rc;
}

static int flame_frames_write_name(struct frames *f, const struct profile_location *l,
				   const struct profile_function *fn,
				   const struct profile_line *line)
{
	const char *file = fn ? flame_frames_string(f, fn->filename) : "";
	const char *module = l->mapping ? flame_frames_string(
						  f, f->p->mappings[l->mapping - 1].filename) :
					  "";

	f->text.len = 0;
	switch (f->by) {
	case REPORT_BY_LINE:
		return name_line(f, l, fn, line);
	case REPORT_BY_ADDRESS:
		if (buffer_addf(&f->text, "%016" PRIx64 " ", l->address))
			return ERR_NOMEM;
		return name_line(f, l, fn, line);
	case REPORT_BY_MODULE:
		return *module	? buffer_addf(&f->text, "%s", frames_base_name(module)) :
		       l->lines ? buffer_add(&f->text, "[no module]", 11) :
				  name_unknown(f, l);
	case REPORT_BY_FILE:
		return *file   ? buffer_add(&f->text, file, strlen(file)) :
		       *module ? buffer_addf(&f->text, "[%s]", frames_base_name(module)) :
				 name_unknown(f, l);
	default:
		return flame_frames_name_function(f, l, fn);
	}
}

/* Finds or adds the frame of a line; `line` is NULL for a location without lines. */
static int flame_frames_add_line(struct frames *f, const struct profile_location *l,
				 const struct profile_line *line, uint32_t *id)
{
	const struct profile_function *fn = line && line->function ?
						    &f->p->functions[line->function - 1] :
						    NULL;
	const struct profile_mapping *m = l->mapping ? &f->p->mappings[l->mapping - 1] : NULL;
	bool at_line = f->by == REPORT_BY_LINE || f->by == REPORT_BY_ADDRESS;
	struct flame_frames_entry e;
	int rc;

	memset(&e, 0, sizeof(e)); /* the comparison includes the padding */
	rc = flame_frames_write_name(f, l, fn, line);
	if (!rc)
		rc = flame_frames_take_name(f, &e.frame.name);
	if (!rc && m)
		rc = strset_addz(&f->strings, flame_frames_string(f, m->filename), &e.frame.module);
	if (!rc && fn && f->by != REPORT_BY_MODULE)
		rc = strset_addz(&f->strings, flame_frames_string(f, fn->filename), &e.frame.file);
	if (fn && f->by != REPORT_BY_MODULE && f->by != REPORT_BY_FILE)
		e.frame.line = at_line ? line->line : fn->start_line;
	if (f->by == REPORT_BY_FILE)
		e.frame.module = 0; /* code of a header is in several modules */
	e.address = f->by == REPORT_BY_ADDRESS ? l->address : 0;
	return rc ? rc : flame_frames_find_or_add(f, &e, id);
}

static int flame_frames_add_location(struct frames *f, const struct profile_location *l, size_t *at)
{
	const struct profile_line *lines = f->p->lines + l->first_line;
	bool whole = f->by == REPORT_BY_MODULE;
	int rc = 0;

	if (!l->lines)
		return flame_frames_add_line(f, l, NULL, &f->of_lines[(*at)++]);
	for (size_t i = l->lines; i > 0 && !rc && (!whole || i == l->lines); i--)
		rc = flame_frames_add_line(f, l, &lines[i - 1], &f->of_lines[(*at)++]);
	return rc;
}

static int flame_frames_add_locations(struct frames *f)
{
	size_t at = 0;
	int rc = 0;

	f->first = calloc(f->p->location_count + 1, sizeof(*f->first));
	f->of_lines = calloc(f->p->line_count + f->p->location_count + 1, sizeof(*f->of_lines));
	if (!f->first || !f->of_lines)
		return ERR_NOMEM;
	for (size_t i = 0; i < f->p->location_count && !rc; i++) {
		f->first[i] = at;
		rc = flame_frames_add_location(f, &f->p->locations[i], &at);
	}
	f->first[f->p->location_count] = at;
	return rc;
}

static void find_labels(struct frames *f)
{
	f->thread = f->tid = NONE;
	for (uint32_t i = 1; i < f->p->strings.count; i++) {
		if (!strcmp(flame_frames_string(f, i), "thread"))
			f->thread = i;
		if (!strcmp(flame_frames_string(f, i), "tid"))
			f->tid = i;
	}
}

int frames_new(struct frames **out, const struct profile *p, const struct report_view *v,
	       struct error *err)
{
	struct frames *f = calloc(1, sizeof(*f));
	int rc = f ? strset_init(&f->strings) : ERR_NOMEM;

	if (!rc) {
		f->p = p;
		f->by = v->by;
		find_labels(f);
		rc = flame_frames_add_locations(f);
	}
	if (!rc) {
		*out = f;
		return 0;
	}
	frames_free(f);
	return error_set(err, rc,
			 rc == ERR_LIMIT ? "the names of all frames are more than 1 GiB" :
					   "out of memory");
}

void frames_free(struct frames *f)
{
	if (!f)
		return;
	strset_release(&f->strings);
	hashindex_release(&f->index);
	buffer_release(&f->text);
	free(f->list);
	free(f->of_lines);
	free(f->first);
	free(f->stack);
	free(f);
}

int frames_thread(struct frames *f, size_t sample, uint32_t *name)
{
	const struct profile_sample *s = &f->p->samples[sample];
	const struct profile_label *labels = f->p->labels + s->first_label;
	const char *thread = NULL;
	bool has_tid = false;
	int64_t tid = 0;

	*name = 0;
	for (size_t i = 0; i < s->labels; i++) {
		if (labels[i].key == f->thread && labels[i].str)
			thread = flame_frames_string(f, labels[i].str);
		if (labels[i].key == f->tid && !labels[i].str) {
			tid = labels[i].num;
			has_tid = true;
		}
	}
	if (!thread && !has_tid)
		return 0;
	f->text.len = 0;
	if (buffer_addf(&f->text, "%s", thread ? thread : "thread") ||
	    (has_tid && buffer_addf(&f->text, " (%" PRId64 ")", tid)))
		return ERR_NOMEM;
	return flame_frames_take_name(f, name);
}

static int flame_frames_add_thread(struct frames *f, size_t sample, uint32_t *id)
{
	struct flame_frames_entry e;
	int rc;

	memset(&e, 0, sizeof(e));
	rc = frames_thread(f, sample, &e.frame.name);
	if (!rc && !e.frame.name)
		rc = strset_addz(&f->strings, "[no thread]", &e.frame.name);
	return rc ? rc : flame_frames_find_or_add(f, &e, id);
}

static uint64_t count_frames(const struct frames *f, const uint32_t *stack, size_t depth)
{
	uint64_t n = 1; /* for the thread */

	for (size_t i = 0; i < depth; i++)
		n += f->first[stack[i]] - f->first[stack[i] - 1];
	return n;
}

int frames_of(struct frames *f, size_t sample, const uint32_t **ids, size_t *count,
	      struct error *err)
{
	const struct profile_sample *s = &f->p->samples[sample];
	const uint32_t *stack = f->p->stack + s->first_location;
	bool once = f->by == REPORT_BY_MODULE || f->by == REPORT_BY_FILE;
	uint64_t need = count_frames(f, stack, s->locations);
	size_t n = 0;

	if (need > STACK_MAX || (f->asked += need) > FRAMES_MAX)
		return error_set(err, ERR_LIMIT,
				 "the stacks have too many frames, counted to "
				 "sample %zu",
				 sample);
	if (room_for((void **)&f->stack, &f->stack_room, need, sizeof(*f->stack)) ||
	    (f->by == REPORT_BY_THREAD && flame_frames_add_thread(f, sample, &f->stack[n++])))
		return error_nomem(err);
	for (size_t i = s->locations; i > 0; i--)
		for (size_t j = f->first[stack[i - 1] - 1]; j < f->first[stack[i - 1]]; j++)
			if (!once || !n || f->stack[n - 1] != f->of_lines[j])
				f->stack[n++] = f->of_lines[j];
	*ids = f->stack;
	*count = n;
	return 0;
}

size_t frames_count(const struct frames *f)
{
	return f->count;
}

const struct report_frame *frames_get(const struct frames *f, uint32_t id)
{
	return &f->list[id].frame;
}

const struct strset *frames_strings(const struct frames *f)
{
	return &f->strings;
}
