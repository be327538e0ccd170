/*
 * A file is a head and then a table as it is in memory (sampler/unwind/table/form.h). Checked are,
 * in this order: owner and mode (base/file/cachedir.c), version, digest of the bytes that the table
 * was made of, length, checksum, and that every number in the table leads to something that exists
 * (table_is_sound).
 *
 * The digest is XXH3 with a salt that the file holds. XXH3 is not a cryptographic hash. But to make
 * an image that passes for another one, an attacker would have to know the salt, and only our user
 * can read the file.
 *
 * Rejected: relying on the build ID, or on the file's inode and times, which would spare reading
 * the CFI: an image in a container, or an attacker's, may have any of them. Mapping the file: a
 * file that is truncated meanwhile would kill us.
 */
#include "sampler/unwind/tablecache.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/file/cachedir.h"
#include "base/process/image.h"
#include "base/process/machine.h"
#include "sampler/unwind/table/form.h"
#include "sampler/unwind/table/sections.h"
#include "sampler/unwind/table/table.h"

enum {
	/* Must be raised whenever the same bytes give another table, or the same table other
	 * bytes. */
	FORMAT = 1,
	NAME_MIN = 16, /* digits of a build ID; a shorter one is not genuine */
	NAME_ROOM = 2 * 64 + 1,
};

static const uint64_t BYTES_MAX = 256 << 20; /* of all files together */

struct head {
	char magic[32];
	uint32_t format, machine;
	uint32_t rule_size, row_size; /* bytes of the table's parts */
	uint64_t salt;
	uint64_t digest[2];	      /* of the source */
	uint64_t checksum;	      /* of this head, with 0 in this field, and all that follows */
	struct table_shape shape;
	char padding[TABLECACHE_HEAD - 80 - sizeof(struct table_shape)];
};

_Static_assert(sizeof(struct head) == TABLECACHE_HEAD, "no gaps");

static const char magic[32] = "sampler table " SAMPLER_VERSION;

/* A table to be written. */
struct unsaved {
	const struct cfi_table *table;
	struct head head;
	char name[NAME_ROOM];
};

struct tablecache {
	int dir;
	uint64_t salt;
	struct unsaved *unsaved;
	size_t count;
};

int tablecache_new(struct tablecache **c, int dir)
{
	*c = calloc(1, sizeof(**c));
	if (!*c) {
		close(dir);
		return ERR_NOMEM;
	}
	(*c)->dir = dir;
	if (getrandom(&(*c)->salt, sizeof((*c)->salt), GRND_NONBLOCK) < 0)
		(*c)->salt = (uint64_t)getpid();
	return 0;
}

void tablecache_free(struct tablecache *c)
{
	if (!c)
		return;
	close(c->dir);
	free(c->unsaved);
	free(c);
}

/* Computes a digest of everything that a table depends on. False when out of memory. */
static bool digest_source(const struct cfi_source *source, uint64_t salt, uint64_t digest[2])
{
	uint64_t code[] = { source->count, source->base, source->limit };
	XXH3_state_t *state = XXH3_createState();
	XXH128_hash_t hash;

	if (!state)
		return false;
	XXH3_128bits_reset_withSeed(state, salt);
	XXH3_128bits_update(state, code, sizeof(code));
	for (size_t i = 0; i < source->count; i++) {
		const struct cfi_section *s = &source->sections[i];
		uint64_t about[] = { s->len, s->vaddr, s->data_base, s->eh_frame };

		XXH3_128bits_update(state, about, sizeof(about));
		XXH3_128bits_update(state, s->ident, EI_NIDENT);
		XXH3_128bits_update(state, s->data, s->len);
	}
	hash = XXH3_128bits_digest(state);
	digest[0] = hash.low64;
	digest[1] = hash.high64;
	XXH3_freeState(state);
	return true;
}

static uint64_t checksum(const struct head *head, const struct cfi_table *t)
{
	struct head copy = *head;

	copy.checksum = 0;
	return XXH3_64bits_withSeed(t->data, t->len, XXH3_64bits(&copy, sizeof(copy)));
}

/* Fills the head except for digest and checksum. */
static void start_head(struct head *head, uint64_t salt, const struct table_shape *shape)
{
	memset(head, 0, sizeof(*head));
	memcpy(head->magic, magic, sizeof(magic));
	head->format = FORMAT;
	head->machine = MACHINE_ELF;
	head->rule_size = sizeof(struct cfi_rule);
	head->row_size = sizeof(struct cfi_row) << 16 | sizeof(struct short_rule);
	head->salt = salt;
	/* Field by field: an assignment would also copy the padding between them. */
	head->shape.base = shape->base;
	head->shape.shift = shape->shift;
	head->shape.pages = shape->pages;
	head->shape.rows = shape->rows;
	head->shape.rules = shape->rules;
	head->shape.long_rules = shape->long_rules;
	head->shape.expressions = shape->expressions;
	head->shape.broken = shape->broken;
}

int tablecache_make_head(void *to, const struct cfi_source *source, uint64_t salt,
			 const struct cfi_table *table)
{
	struct head head;

	start_head(&head, salt, &table->shape);
	if (!digest_source(source, salt, head.digest))
		return ERR_NOMEM;
	head.checksum = checksum(&head, table);
	memcpy(to, &head, sizeof(head));
	return 0;
}

static bool read_all(int fd, void *to, size_t len)
{
	char *p = to;

	while (len) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* Was this head written by this version, for this source? */
static bool head_fits(const struct head *head, const struct cfi_source *source)
{
	struct head ours;

	start_head(&ours, head->salt, &head->shape);
	memcpy(ours.digest, head->digest, sizeof(ours.digest));
	ours.checksum = head->checksum;
	if (memcmp(&ours, head, sizeof(ours)))
		return false;
	return digest_source(source, head->salt, ours.digest) &&
	       !memcmp(ours.digest, head->digest, sizeof(ours.digest));
}

struct cfi_table *tablecache_read(int fd, uint64_t len, const struct cfi_source *source)
{
	struct cfi_table *t;
	struct head head;

	if (len < sizeof(head) || !read_all(fd, &head, sizeof(head)) || !head_fits(&head, source))
		return NULL;
	if (table_len(&head.shape) != len - sizeof(head))
		return NULL;
	t = table_new(&head.shape);
	if (t && read_all(fd, t->data, t->len) && checksum(&head, t) == head.checksum &&
	    table_is_sound(t))
		return t;
	cfi_table_free(t);
	return NULL;
}

/* The name of the file in which an image's table is kept; NULL: it is not kept. */
static const char *name_of(const struct image *image, const struct cfi_source *source)
{
	const char *id = image_build_id(image);
	size_t bytes = 0;

	for (size_t i = 0; i < source->count; i++)
		bytes += source->sections[i].len;
	return bytes >= TABLECACHE_WORTH && strlen(id) >= NAME_MIN && strlen(id) < NAME_ROOM ?
		       id : NULL;
}

static struct cfi_table *load(const struct tablecache *c, const char *name,
			      const struct cfi_source *source)
{
	struct cfi_table *t;
	uint64_t len;
	int fd = cachedir_open_file(c->dir, name, &len);

	if (fd < 0)
		return NULL;
	t = tablecache_read(fd, len, source);
	if (t)
		futimens(fd, NULL); /* marks the file as used now */
	close(fd);
	return t;
}

/* Notes a table that has to be written. If memory runs out, the table is not written. */
static void note_unsaved(struct tablecache *c, const char *name, const struct cfi_source *source,
			 const struct cfi_table *table)
{
	struct unsaved *more = realloc(c->unsaved, (c->count + 1) * sizeof(*more));

	if (!more)
		return;
	c->unsaved = more;
	more += c->count;
	more->table = table;
	strcpy(more->name, name);
	c->count += tablecache_make_head(&more->head, source, c->salt, table) == 0;
}

int tablecache_table(struct tablecache *c, const struct image *image, struct cfi_table **table,
		     bool *loaded, struct error *err)
{
	struct cfi_source source;
	const char *name;
	int rc = 0;

	cfi_source_open(&source, image);
	name = c ? name_of(image, &source) : NULL;
	*table = name ? load(c, name, &source) : NULL;
	*loaded = *table;
	if (!*table)
		rc = cfi_table_compile(source.sections, source.count, source.base, source.limit,
				       table, err);
	if (!rc && name && !*loaded)
		note_unsaved(c, name, &source, *table);
	cfi_source_close(&source);
	return rc;
}

int tablecache_save(struct tablecache *c, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct unsaved *u = &c->unsaved[i];
		struct iovec parts[] = { { &u->head, sizeof(u->head) },
					 { (void *)u->table->data, u->table->len } };

		if (cachedir_write(c->dir, u->name, parts, 2, err))
			rc = ERR_IO;
	}
	if (c->count)
		cachedir_trim(c->dir, BYTES_MAX);
	c->count = 0;
	return rc;
}
