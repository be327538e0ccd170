/*
 * The header of a CodeBlob and of an nmethod, in the layouts of 8, 9 to 22, 23 and 24, and 25:
 *
 *                   8               9 to 22               23, 24                25
 *   code            _code_offset    _code_begin           _code_offset          _code_offset
 *   code's end      _data_offset    _code_end             _data_offset          _data_offset
 *   scopes, PcDescs behind the code behind the code       _immutable_data       _immutable_data
 *   metadata        behind the code behind the code       behind the code       _mutable_data
 *   entries         pointers        pointers              offsets               offsets
 *
 * Which one it is, is told by the fields that the VM's tables have.
 */
#include "runtimes/hotspot/vm/blobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/room.h"
#include "runtimes/common/text.h"
#include "runtimes/hotspot/vm/heaps.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum {
	HEADER_MAX = 1024,	  /* bytes of an nmethod's header */
	BLOB_MAX = 64 << 20,	  /* bytes */
	ENTRIES_MAX = 1 << 16,	  /* blobs that are kept */
	DESCS_MAX = 1 << 20,	  /* of an nmethod */
	KEPT_MAX = 64 << 20,	  /* bytes of PcDescs that are kept */
	BLOB_FRAME_MAX = 1 << 20, /* words */
};

struct hotspot_blob_layout {
	/* CodeBlob */
	int32_t name, size, frame_size, complete, blob_bytes;
	int32_t code_begin, code_end, code_offset, data_offset;
	int32_t mutable_data, mutable_size, relocation_size;
	/* nmethod; those of CompiledMethod (9 to 22) are second */
	int32_t nmethod_bytes;
	int32_t compile_id, entry_bci, orig_pc;
	int32_t method, method2;
	int32_t osr_point;
	int32_t deopt_point, deopt_mh_point, deopt_offset, deopt_mh_offset, deopt8, deopt_mh8;
	int32_t deopt26; /* the only one from then on */
	int32_t scopes_data_point, scopes_data, scopes_pcs, dependencies, metadata;
	int32_t immutable;
	bool complete_is_short, metadata_is_short;
};

struct hotspot_blob_entry {
	struct hotspot_blob blob;
	uint64_t name;	      /* address of its name */
	struct pcdesc *descs; /* owned; NULL: not read */
	size_t desc_count;
};

#define OFFSET(type_, name_, at_, needed_) \
	{ VMPLACE_OFFSET, type_, name_, offsetof(struct hotspot_blob_layout, at_), needed_ }
#define SIZE(type_, at_) \
	{ VMPLACE_SIZE, type_, NULL, offsetof(struct hotspot_blob_layout, at_), true }

static const struct vmplace places[] = {
	OFFSET("CodeBlob", "_name", name, true),
	OFFSET("CodeBlob", "_size", size, true),
	OFFSET("CodeBlob", "_frame_size", frame_size, true),
	OFFSET("CodeBlob", "_frame_complete_offset", complete, true),
	SIZE("CodeBlob", blob_bytes),
	OFFSET("CodeBlob", "_code_begin", code_begin, false),
	OFFSET("CodeBlob", "_code_end", code_end, false),
	OFFSET("CodeBlob", "_code_offset", code_offset, false),
	OFFSET("CodeBlob", "_data_offset", data_offset, true),
	OFFSET("CodeBlob", "_mutable_data", mutable_data, false),
	OFFSET("CodeBlob", "_mutable_data_size", mutable_size, false),
	OFFSET("CodeBlob", "_relocation_size", relocation_size, false),
	SIZE("nmethod", nmethod_bytes),
	OFFSET("nmethod", "_compile_id", compile_id, true),
	OFFSET("nmethod", "_entry_bci", entry_bci, true),
	OFFSET("nmethod", "_orig_pc_offset", orig_pc, true),
	OFFSET("nmethod", "_method", method, false),
	OFFSET("CompiledMethod", "_method", method2, false),
	OFFSET("nmethod", "_osr_entry_point", osr_point, true),
	OFFSET("CompiledMethod", "_deopt_handler_begin", deopt_point, false),
	OFFSET("CompiledMethod", "_deopt_mh_handler_begin", deopt_mh_point, false),
	OFFSET("nmethod", "_deopt_handler_offset", deopt_offset, false),
	OFFSET("nmethod", "_deopt_mh_handler_offset", deopt_mh_offset, false),
	OFFSET("nmethod", "_deopt_handler_entry_offset", deopt26, false),
	OFFSET("nmethod", "_deoptimize_offset", deopt8, false),
	OFFSET("nmethod", "_deoptimize_mh_offset", deopt_mh8, false),
	OFFSET("CompiledMethod", "_scopes_data_begin", scopes_data_point, false),
	OFFSET("nmethod", "_scopes_data_offset", scopes_data, false),
	OFFSET("nmethod", "_scopes_pcs_offset", scopes_pcs, true),
	OFFSET("nmethod", "_dependencies_offset", dependencies, false),
	OFFSET("nmethod", "_metadata_offset", metadata, false),
	OFFSET("nmethod", "_immutable_data", immutable, false),
};

static bool is_short(const struct vmstructs *tables, const char *type, const char *name)
{
	struct vmfield f;

	return vmstructs_field(tables, type, name, &f) &&
	       (!strcmp(f.type_string, "int16_t") || !strcmp(f.type_string, "u2") ||
		!strcmp(f.type_string, "uint16_t"));
}

/* Does each layout have all that it consists of? */
static bool blobs_is_whole(const struct hotspot_blob_layout *l)
{
	bool code = l->code_begin >= 0 ? l->code_end >= 0 : l->code_offset >= 0;
	bool scopes = l->immutable >= 0		? l->scopes_data >= 0 :
		      l->scopes_data_point >= 0 ? l->dependencies >= 0 :
						  l->scopes_data >= 0 && l->dependencies >= 0;
	bool metadata = l->metadata >= 0 ||
			(l->mutable_data >= 0 && l->relocation_size >= 0 && l->mutable_size >= 0);

	return code && scopes && metadata && (l->method >= 0 || l->method2 >= 0) &&
	       l->nmethod_bytes > 0 && l->nmethod_bytes <= HEADER_MAX && l->blob_bytes > 0 &&
	       l->blob_bytes <= l->nmethod_bytes;
}

int hotspot_blobs_init(struct hotspot_blobs *b, const struct vmstructs *tables, struct error *why)
{
	struct hotspot_blob_layout *l = calloc(1, sizeof(*l));

	b->layout = l;
	if (!l)
		return error_nomem(why);
	if (vmstructs_resolve(tables, places, sizeof(places) / sizeof(*places), l, why))
		return ERR_FORMAT;
	l->complete_is_short = is_short(tables, "CodeBlob", "_frame_complete_offset");
	l->metadata_is_short = is_short(tables, "nmethod", "_metadata_offset");
	return blobs_is_whole(l) ?
		       0 :
		       error_set(why, ERR_FORMAT, "HotSpot's code blobs have an unknown layout");
}

static void blobs_forget_all(struct hotspot_blobs *b)
{
	for (size_t i = 0; i < b->count; i++)
		free(b->entries[i].descs);
	b->count = b->bytes = 0;
	hashindex_clear(&b->index);
}

void hotspot_blobs_release(struct hotspot_blobs *b)
{
	blobs_forget_all(b);
	hashindex_release(&b->index);
	free(b->entries);
	free(b->layout);
	*b = (struct hotspot_blobs){ 0 };
}

/* Reading a header. */

struct blobs_header {
	const struct hotspot_blob_layout *l;
	uint8_t bytes[HEADER_MAX + 8];
	size_t len;
};

/* A field, 0 if it is outside. */
static uint64_t blobs_word(const struct blobs_header *h, int32_t at)
{
	return at >= 0 && (size_t)at + 8 <= h->len ? memory_word(h->bytes, (size_t)at) : 0;
}

static int32_t blobs_number(const struct blobs_header *h, int32_t at)
{
	int32_t value = 0;

	if (at >= 0 && (size_t)at + 4 <= h->len)
		memcpy(&value, h->bytes + at, sizeof(value));
	return value;
}

static int32_t half(const struct blobs_header *h, int32_t at)
{
	int16_t value = 0;

	if (at >= 0 && (size_t)at + 2 <= h->len)
		memcpy(&value, h->bytes + at, sizeof(value));
	return value;
}

static enum hotspot_blob_kind blobs_kind_of(const char *name)
{
	static const struct {
		const char *name;
		enum hotspot_blob_kind kind;
	} kinds[] = {
		{ "nmethod", BLOB_NMETHOD },	      { "native nmethod", BLOB_NATIVE },
		{ "Interpreter", BLOB_INTERPRETER },  { "I2C/C2I adapters", BLOB_ADAPTER },
		{ "StubRoutines", BLOB_STUBS },	      { "SafepointBlob", BLOB_SAFEPOINT },
		{ "DeoptimizationBlob", BLOB_DEOPT }, { "UncommonTrapBlob", BLOB_UNCOMMON_TRAP },
		{ "ExceptionBlob", BLOB_EXCEPTION },  { "upcall_stub", BLOB_UPCALL },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (begins_with(name, kinds[i].name))
			return kinds[i].kind;
	return BLOB_OTHER;
}

static void blobs_read_entries(const struct blobs_header *h, struct hotspot_blob *b)
{
	const struct hotspot_blob_layout *l = h->l;

	b->osr_entry = b->entry_bci >= 0 ? blobs_word(h, l->osr_point) : 0;
	if (l->deopt_point >= 0) {
		b->deopt = blobs_word(h, l->deopt_point);
		b->deopt_mh = blobs_word(h, l->deopt_mh_point);
	} else if (l->deopt_offset >= 0) {
		b->deopt = hotspot_plus(b->start, blobs_number(h, l->deopt_offset));
		b->deopt_mh = hotspot_plus(b->start, blobs_number(h, l->deopt_mh_offset));
	} else if (l->deopt26 >= 0) {
		b->deopt = hotspot_plus(b->start, blobs_number(h, l->deopt26));
	} else if (l->deopt8 >= 0) {
		b->deopt = hotspot_plus(b->start, blobs_number(h, l->deopt8));
		b->deopt_mh = hotspot_plus(b->start, blobs_number(h, l->deopt_mh8));
	}
	if (b->deopt <= b->code || b->deopt >= b->end)
		b->deopt = 0;
	if (b->deopt_mh <= b->code || b->deopt_mh >= b->end)
		b->deopt_mh = 0;
}

static void blobs_read_tables(const struct blobs_header *h, struct hotspot_blob *b)
{
	const struct hotspot_blob_layout *l = h->l;

	if (l->immutable >= 0) {
		uint64_t data = blobs_word(h, l->immutable);

		b->pcdescs = hotspot_plus(data, blobs_number(h, l->scopes_pcs));
		b->scopes_data = hotspot_plus(data, blobs_number(h, l->scopes_data));
		b->pcdescs_end = b->scopes_data;
		b->scopes_data_end = b->scopes_data + BLOB_MAX; /* its end is not told */
	} else {
		b->scopes_data = l->scopes_data_point >= 0 ?
					 blobs_word(h, l->scopes_data_point) :
					 hotspot_plus(b->start, blobs_number(h, l->scopes_data));
		b->pcdescs = hotspot_plus(b->start, blobs_number(h, l->scopes_pcs));
		b->pcdescs_end = hotspot_plus(b->start, blobs_number(h, l->dependencies));
		b->scopes_data_end = b->pcdescs;
	}
	if (l->mutable_data >= 0) {
		b->metadata = hotspot_plus(blobs_word(h, l->mutable_data),
					   blobs_number(h, l->relocation_size));
		b->metadata_end = hotspot_plus(blobs_word(h, l->mutable_data),
					       blobs_number(h, l->mutable_size));
	} else if (l->metadata_is_short) {
		b->metadata = hotspot_plus(hotspot_plus(b->start, blobs_number(h, l->data_offset)),
					   (uint16_t)half(h, l->metadata));
		b->metadata_end = b->end;
	} else {
		b->metadata = hotspot_plus(b->start, blobs_number(h, l->metadata));
		b->metadata_end = b->scopes_data;
	}
}

static bool read_nmethod(const struct blobs_header *h, struct hotspot_blob *b)
{
	const struct hotspot_blob_layout *l = h->l;

	b->compile_id = blobs_number(h, l->compile_id);
	b->entry_bci = blobs_number(h, l->entry_bci);
	b->id = (uint64_t)(uint32_t)b->entry_bci << 32 | (uint32_t)b->compile_id;
	b->orig_pc = blobs_number(h, l->orig_pc);
	b->method = blobs_word(h, l->method >= 0 ? l->method : l->method2);
	blobs_read_entries(h, b);
	blobs_read_tables(h, b);
	return b->orig_pc >= 0 && b->orig_pc <= b->frame_size;
}

static bool read_extent(const struct blobs_header *h, struct hotspot_blob *b)
{
	const struct hotspot_blob_layout *l = h->l;
	int32_t size = blobs_number(h, l->size), words = blobs_number(h, l->frame_size);

	if (size <= 0 || size > BLOB_MAX || words > BLOB_FRAME_MAX)
		return false;
	b->end = hotspot_plus(b->start, size);
	b->code = l->code_begin >= 0 ? blobs_word(h, l->code_begin) :
				       hotspot_plus(b->start, blobs_number(h, l->code_offset));
	b->code_end = l->code_end >= 0 ? blobs_word(h, l->code_end) :
					 hotspot_plus(b->start, blobs_number(h, l->data_offset));
	b->frame_size = words > 0 ? words * 8 : 0;
	b->frame_complete = l->complete_is_short ? half(h, l->complete) :
						   blobs_number(h, l->complete);
	return b->code > b->start && b->code <= b->code_end && b->code_end <= b->end;
}

/* Reads the header at b->start. The name is only read if it is another one than `known`. */
static int read_blob(const struct hotspot_blob_layout *l, const struct memory *memory,
		     const struct hotspot_blob_entry *known, struct hotspot_blob_entry *e)
{
	struct blobs_header h = { .l = l, .len = (size_t)l->blob_bytes };
	struct hotspot_blob *b = &e->blob;

	if (memory->read(memory, b->start, h.bytes, h.len) || !read_extent(&h, b))
		return ERR_NOTFOUND;
	e->name = blobs_word(&h, l->name);
	if (known && known->name == e->name)
		memcpy(b->name, known->blob.name, sizeof(b->name));
	else
		text_read(memory, e->name, b->name, sizeof(b->name));
	b->kind = blobs_kind_of(b->name);
	b->id = hash_bytes(b->name, sizeof(b->name)) ^ (b->end - b->start);
	if (b->kind != BLOB_NMETHOD && b->kind != BLOB_NATIVE)
		return 0;
	h.len = (size_t)l->nmethod_bytes;
	if (memory->read(memory, b->start, h.bytes, h.len) || !read_nmethod(&h, b))
		return ERR_NOTFOUND;
	return 0;
}

/* Those that are known. */

static struct hotspot_blob_entry *known_at(struct hotspot_blobs *b, uint64_t start)
{
	uint32_t id = HASHINDEX_NUMBER(&b->index, b->entries, blob.start, start);

	return id == HASHINDEX_NONE ? NULL : &b->entries[id];
}

static int blobs_keep(struct hotspot_blobs *b, const struct hotspot_blob_entry *e,
		      struct hotspot_blob_entry **kept)
{
	if (b->count >= ENTRIES_MAX || b->bytes > KEPT_MAX)
		blobs_forget_all(b);
	if (room_for((void **)&b->entries, &b->room, b->count + 1, sizeof(*b->entries)) ||
	    hashindex_add_number(&b->index, e->blob.start, (uint32_t)b->count))
		return ERR_NOMEM;
	*kept = &b->entries[b->count++];
	**kept = *e;
	return 0;
}

/* What is known of the blob at an address, as `memory` has it. */
static int blobs_look_at(struct hotspot *hs, const struct memory *memory, uint64_t start,
			 struct hotspot_blob_entry **out)
{
	struct hotspot_blobs *b = hs->blobs;
	struct hotspot_blob_entry e = { .blob.start = start }, *known = known_at(b, start);

	if (read_blob(b->layout, memory, known, &e))
		return ERR_NOTFOUND;
	if (!known)
		return blobs_keep(b, &e, out);
	if (known->blob.id == e.blob.id) {
		e.descs = known->descs;
		e.desc_count = known->desc_count;
	} else {
		b->bytes -= known->desc_count * sizeof(*known->descs);
		free(known->descs);
	}
	*known = e;
	*out = known;
	return 0;
}

int hotspot_blob_find(struct hotspot *hs, uint64_t pc, const struct hotspot_blob **blob)
{
	struct hotspot_blob_entry *e;
	uint64_t start;
	int rc = hotspot_block_find(hs->heaps, hs->seen, pc, &start);

	if (!rc)
		rc = blobs_look_at(hs, hs->seen, start, &e);
	if (!rc && (pc < e->blob.code || pc > e->blob.end))
		rc = ERR_NOTFOUND;
	if (!rc)
		*blob = &e->blob;
	return rc;
}

int hotspot_blob_of(struct hotspot *hs, uint64_t start, uint64_t id,
		    const struct hotspot_blob **blob)
{
	struct hotspot_blob_entry *e;
	int rc = blobs_look_at(hs, hs->memory, start, &e);

	if (!rc && e->blob.id != id)
		rc = ERR_NOTFOUND;
	if (!rc)
		*blob = &e->blob;
	return rc;
}

/* PcDescs. */

/* True if it is the same nmethod still. */
static bool is_still(struct hotspot *hs, const struct hotspot_blob *blob)
{
	const struct hotspot_blob_layout *l = hs->blobs->layout;
	uint32_t id[2] = { 0, 0 };

	return !hs->memory->read(hs->memory, hotspot_plus(blob->start, l->compile_id), &id[0], 4) &&
	       !hs->memory->read(hs->memory, hotspot_plus(blob->start, l->entry_bci), &id[1], 4) &&
	       ((uint64_t)id[1] << 32 | id[0]) == blob->id;
}

static bool are_sorted(const struct pcdesc *descs, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (descs[i].pc < descs[i - 1].pc)
			return false;
	return true;
}

static int read_descs(struct hotspot *hs, struct hotspot_blob_entry *e)
{
	const struct hotspot_blob *b = &e->blob;
	size_t bytes = b->pcdescs_end - b->pcdescs, count = bytes / sizeof(*e->descs);

	if (b->pcdescs_end < b->pcdescs || count > DESCS_MAX)
		return ERR_NOTFOUND;
	e->descs = malloc(bytes ? bytes : 1);
	if (!e->descs)
		return ERR_NOMEM;
	if (hs->memory->read(hs->memory, b->pcdescs, e->descs, count * sizeof(*e->descs)) ||
	    !is_still(hs, b) || !are_sorted(e->descs, count)) {
		free(e->descs);
		e->descs = NULL;
		return ERR_NOTFOUND;
	}
	e->desc_count = count;
	hs->blobs->bytes += bytes;
	return 0;
}

int hotspot_blob_pcdescs(struct hotspot *hs, const struct hotspot_blob *blob,
			 const struct pcdesc **descs, size_t *count)
{
	struct hotspot_blob_entry *e = known_at(hs->blobs, blob->start);
	int rc = 0;

	*count = 0;
	if (!e || e->blob.id != blob->id || blob->kind != BLOB_NMETHOD)
		return e ? 0 : ERR_NOTFOUND;
	if (!e->descs)
		rc = read_descs(hs, e);
	*descs = e->descs;
	*count = e->desc_count;
	return rc;
}

const struct pcdesc *pcdesc_find(const struct pcdesc *descs, size_t count, uint32_t offset,
				 bool interrupted)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (descs[middle].pc < (int64_t)offset)
			low = middle + 1;
		else
			high = middle;
	}
	/* The last one is a mark of the end. */
	if (low + 1 >= count || (!interrupted && descs[low].pc != (int64_t)offset))
		return NULL;
	return &descs[low];
}
