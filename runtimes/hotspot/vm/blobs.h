/*
 * HotSpot's pieces of code (class CodeBlob): compiled methods, wrappers, stubs, adapters, the
 * interpreter.
 *
 * What is known of a blob is kept by its address, and is the blob's only while the process has the
 * same compile id there, or, for other blobs, the same name and size: each time it is compared with
 * the header as it is then.
 */
#ifndef RUNTIMES_HOTSPOT_VM_BLOBS_H
#define RUNTIMES_HOTSPOT_VM_BLOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"

struct error;
struct hotspot;
struct vmstructs;

enum hotspot_blob_kind {
	BLOB_OTHER,
	BLOB_NMETHOD,
	BLOB_NATIVE, /* a native method's wrapper, also an nmethod */
	BLOB_INTERPRETER,
	BLOB_ADAPTER, /* I2C and C2I */
	BLOB_STUBS,   /* StubRoutines: several routines, without a frame size */
	BLOB_SAFEPOINT,
	BLOB_DEOPT,
	BLOB_UNCOMMON_TRAP,
	BLOB_EXCEPTION,
	BLOB_UPCALL, /* through which C calls Java: java.lang.foreign */
};

struct pcdesc {
	int32_t pc, scope, objects;
	uint32_t flags;
};

enum { BLOB_NAME_MAX = 64 };

struct hotspot_blob {
	uint64_t start, end;	 /* in the process */
	uint64_t code, code_end; /* of its instructions */
	uint64_t id;		 /* for the key */
	enum hotspot_blob_kind kind;
	int32_t frame_size;	/* bytes, with the return address; <= 0: none */
	int32_t frame_complete; /* bytes from `code` to the end of the prologue; -1: none */
	char name[BLOB_NAME_MAX];

	/* Of an nmethod only; addresses that it does not have are 0. */
	uint64_t method;
	uint64_t osr_entry, deopt, deopt_mh;
	int32_t orig_pc; /* where its frame keeps the pc that was deoptimised, from sp on */
	int32_t compile_id, entry_bci;
	uint64_t scopes_data, scopes_data_end, metadata, metadata_end;
	uint64_t pcdescs, pcdescs_end;
};

/* Those that are known. */
struct hotspot_blobs {
	struct hotspot_blob_layout *layout; /* owned */
	struct hotspot_blob_entry *entries; /* owned */
	size_t count, room, bytes;
	struct hashindex index; /* by start */
};

int hotspot_blobs_init(struct hotspot_blobs *b, const struct vmstructs *tables, struct error *why);
void hotspot_blobs_release(struct hotspot_blobs *b);

/* The blob that holds the address now. *blob is valid until the next call of these functions.
 * ERR_NOTFOUND: none, or not for certain; ERR_NOMEM. */
int hotspot_blob_find(struct hotspot *hs, uint64_t pc, const struct hotspot_blob **blob);

/* The blob with this address and id, for the names of a frame. */
int hotspot_blob_of(struct hotspot *hs, uint64_t start, uint64_t id,
		    const struct hotspot_blob **blob);

/* The PcDescs of an nmethod that is found, sorted by pc. *count is 0 where it has none. Valid as
 * long as the blob. ERR_NOTFOUND: they cannot be read; ERR_NOMEM. */
int hotspot_blob_pcdescs(struct hotspot *hs, const struct hotspot_blob *blob,
			 const struct pcdesc **descs, size_t *count);

/* HotSpot's rule: that of a return address must match; for an interrupted address it is the first
 * one that is not below it. NULL: none. */
const struct pcdesc *pcdesc_find(const struct pcdesc *descs, size_t count, uint32_t offset,
				 bool interrupted);

#endif
