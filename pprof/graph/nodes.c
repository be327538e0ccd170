/*
 * One pass over the locations' lines (by thread: over the samples) makes the keys, a second pass
 * over the nodes makes the labels. A label that is just a string of the profile, as nearly all are,
 * is not copied.
 */
#include "pprof/graph/nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/graph/paths.h"
#include "base/printer.h"
#include "pprof/profile.h"

static bool same_key(const void *owner, uint32_t id, const void *key)
{
	const struct nodes *n = owner;

	return !memcmp(&n->list[id].key, key, sizeof(struct node_key));
}

static int nodes_find_or_add(struct nodes *n, const struct node_key *key, uint32_t *id)
{
	uint64_t hash = hash_bytes(key, sizeof(*key));

	*id = hashindex_find(&n->index, hash, same_key, n, key);
	if (*id != HASHINDEX_NONE)
		return 0;
	if (room_for((void **)&n->list, &n->room, n->count + 1, sizeof(*n->list)) ||
	    hashindex_add(&n->index, hash, (uint32_t)n->count))
		return ERR_NOMEM;
	*id = (uint32_t)n->count;
	n->list[n->count++] = (struct node){ .key = *key };
	return 0;
}

/* The file that a string of the profile names, as a number in n->files. */
static int file_number(struct nodes *n, uint32_t string, uint32_t *file)
{
	const struct strset_entry *e = &n->p->strings.entries[string];
	size_t len = e->len;
	const char *path = path_trim(e->text, &len);
	char *clean;
	int rc;

	*file = n->file_of[string];
	if (*file)
		return (*file)--, 0;
	if (!len)
		return 0;
	clean = malloc(len + 1);
	rc = clean ? strset_add(&n->files, clean, path_clean(path, len, clean), file) : ERR_NOMEM;
	free(clean);
	n->file_of[string] = *file + 1;
	return rc;
}

static int module_key(struct nodes *n, const struct profile_location *l, struct node_key *key)
{
	const struct strset_entry *e;
	const char *base;
	size_t len;

	if (!l->mapping || !n->p->mappings[l->mapping - 1].filename)
		return 0;
	e = &n->p->strings.entries[n->p->mappings[l->mapping - 1].filename];
	base = path_base(e->text, e->len, &len);
	return strset_add(&n->files, base, len, &key->file);
}

/* graph.go, nodeInfo(), applied after driver.go, aggregate(). */
static int line_key(struct nodes *n, const struct profile_location *l,
		    const struct profile_line *line, struct node_key *key)
{
	const struct profile_function *f = line && line->function ?
						   &n->p->functions[line->function - 1] :
						   NULL;
	int rc = 0;

	if (n->by == REPORT_BY_ADDRESS)
		key->address = l->address;
	if (f && n->by != REPORT_BY_FILE)
		key->name = f->name;
	if (f && n->by != REPORT_BY_FUNCTION)
		rc = file_number(n, f->filename, &key->file);
	if (f && n->by != REPORT_BY_FUNCTION && n->by != REPORT_BY_FILE)
		key->line = line->line;
	if (f && n->by == REPORT_BY_ADDRESS)
		key->column = line->column;
	if (!key->name && l->mapping)
		key->objfile = n->p->mappings[l->mapping - 1].filename;
	if (!key->name && f)
		key->start_line = f->start_line;
	return rc;
}

static int nodes_add_location(struct nodes *n, const struct profile_location *l, size_t *at)
{
	size_t lines = n->by == REPORT_BY_MODULE || !l->lines ? 1 : l->lines;
	int rc = 0;

	for (size_t i = 0; i < lines && !rc; i++) {
		const struct profile_line *line = l->lines ? &n->p->lines[l->first_line + i] : NULL;
		struct node_key key = { 0 };

		rc = n->by == REPORT_BY_MODULE ? module_key(n, l, &key) :
						 line_key(n, l, line, &key);
		rc = rc ? rc : nodes_find_or_add(n, &key, &n->frames[(*at)++]);
	}
	return rc;
}

static int nodes_add_locations(struct nodes *n)
{
	size_t frames = n->p->line_count + n->p->location_count, at = 0;
	int rc = 0;

	n->first = malloc((n->p->location_count + 1) * sizeof(*n->first));
	n->frames = malloc((frames + 1) * sizeof(*n->frames));
	n->file_of = calloc(n->p->strings.count + 1, sizeof(*n->file_of));
	if (!n->first || !n->frames || !n->file_of)
		return ERR_NOMEM;
	for (size_t i = 0; i < n->p->location_count && !rc; i++) {
		n->first[i] = at;
		rc = nodes_add_location(n, &n->p->locations[i], &at);
	}
	n->first[n->p->location_count] = at;
	return rc;
}

static uint32_t nodes_thread_of(const struct profile *p, const struct profile_sample *s)
{
	for (size_t i = 0; i < s->labels; i++) {
		const struct profile_label *l = &p->labels[s->first_label + i];

		if (l->str && !strcmp(strset_get(&p->strings, l->key), "thread"))
			return l->str;
	}
	return 0;
}

static int add_threads(struct nodes *n)
{
	int rc = 0;

	n->threads = malloc((n->p->sample_count + 1) * sizeof(*n->threads));
	if (!n->threads)
		return ERR_NOMEM;
	for (size_t i = 0; i < n->p->sample_count && !rc; i++) {
		struct node_key key = { .name = nodes_thread_of(n->p, &n->p->samples[i]) };

		rc = nodes_find_or_add(n, &key, &n->threads[i]);
	}
	return rc;
}

/* Writes NodeInfo.NameComponents() to `text`, which has room for it. Returns the length. */
static size_t write_label(const struct nodes *n, const struct node_key *k, char *text)
{
	const struct strset_entry *name = &n->p->strings.entries[k->name];
	const struct strset_entry *file = &n->files.entries[k->file];
	const struct strset_entry *objfile = &n->p->strings.entries[k->objfile];
	char *end = text;

	if (k->address)
		end += sprintf(end, "%016" PRIx64 " ", k->address);
	end = mempcpy(end, name->text, name->len);
	if (name->len && (k->line || file->len))
		*end++ = ' ';
	end = mempcpy(end, file->text, file->len);
	if (k->line)
		end += sprintf(end, ":%" PRId64, k->line);
	if (k->line && k->column)
		end += sprintf(end, ":%" PRId64, k->column);
	if (k->line || file->len || name->len)
		return (size_t)(end - text);
	if (objfile->len) {
		size_t len;
		const char *base = path_base(objfile->text, objfile->len, &len);

		*end++ = '[';
		end = mempcpy(end, base, len);
		*end++ = ']';
	} else {
		end = mempcpy(end, "<unknown>", 9);
	}
	return (size_t)(end - text);
}

static int make_label(struct nodes *n, struct node *node, char **scratch, size_t *room)
{
	const struct strset_entry *name = &n->p->strings.entries[node->key.name];
	size_t need = name->len + n->files.entries[node->key.file].len +
		      n->p->strings.entries[node->key.objfile].len + 96;

	node->label = name->text;
	node->label_len = name->len;
	if (name->len && !node->key.address && !node->key.line && !node->key.file)
		return 0;
	if (room_for((void **)scratch, room, need, 1))
		return ERR_NOMEM;
	node->label_len = write_label(n, &node->key, *scratch);
	if (n->labels.total + node->label_len > PRINTER_MAX)
		return ERR_LIMIT;
	node->label = arena_copy(&n->labels, *scratch, node->label_len);
	return node->label ? 0 : ERR_NOMEM;
}

static int nodes_make_labels(struct nodes *n)
{
	char *scratch = NULL;
	size_t room = 0;
	int rc = 0;

	for (size_t i = 0; i < n->count && !rc; i++)
		rc = make_label(n, &n->list[i], &scratch, &room);
	free(scratch);
	return rc;
}

int nodes_init(struct nodes *n, const struct profile *p, enum report_by by)
{
	int rc;

	*n = (struct nodes){ .p = p, .by = by };
	rc = strset_init(&n->files);
	if (!rc)
		rc = by == REPORT_BY_THREAD ? add_threads(n) : nodes_add_locations(n);
	return rc ? rc : nodes_make_labels(n);
}

void nodes_release(struct nodes *n)
{
	free(n->list);
	free(n->frames);
	free(n->first);
	free(n->threads);
	free(n->file_of);
	strset_release(&n->files);
	hashindex_release(&n->index);
	arena_release(&n->labels);
}

const uint32_t *nodes_at(const struct nodes *n, size_t sample, size_t i, size_t *count)
{
	uint32_t id;

	if (n->threads) {
		*count = 1;
		return &n->threads[sample];
	}
	id = n->p->stack[n->p->samples[sample].first_location + i];
	*count = n->first[id] - n->first[id - 1];
	return &n->frames[n->first[id - 1]];
}

size_t nodes_depth(const struct nodes *n, size_t sample)
{
	return n->threads ? 1 : n->p->samples[sample].locations;
}

int nodes_compare(const struct nodes *n, uint32_t a, uint32_t b)
{
	const struct node *x = &n->list[a], *y = &n->list[b];
	size_t len = x->label_len < y->label_len ? x->label_len : y->label_len;
	int order = a == b ? 0 : memcmp(x->label, y->label, len);

	if (order)
		return order;
	if (x->label_len != y->label_len)
		return x->label_len < y->label_len ? -1 : 1;
	return memcmp(&x->key, &y->key, sizeof(x->key));
}
