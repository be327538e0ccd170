/*
 * HotSpot: finding it, and what the walker calls.
 *
 * All that is needed of its tables is taken when it is found, so a VM whose tables lack something
 * is refused as a whole, with a reason. While libjvm is loaded, but its code cache, its interpreter
 * or its stubs are not there, the VM is starting.
 */
#include "runtimes/hotspot/hotspot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/common/text.h"
#include "runtimes/common/walkview.h"
#include "runtimes/hotspot/chunks.h"
#include "runtimes/hotspot/monitors.h"
#include "runtimes/hotspot/names.h"
#include "runtimes/hotspot/steps.h"
#include "runtimes/hotspot/vm/blobs.h"
#include "runtimes/hotspot/vm/heaps.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum { RELEASE_MAX = 60 };

/* All that a VM has, in one piece. */
struct whole {
	struct hotspot hs; /* first: what `find` returns */
	struct hotspot_heaps heaps;
	struct hotspot_blobs blobs;
	struct hotspot_methods methods;
};

static struct hotspot *hotspot_make(const struct memory *memory)
{
	struct whole *whole = calloc(1, sizeof(*whole));
	struct hotspot *hs = whole ? &whole->hs : NULL;

	if (!hs || walkview_new(&hs->view, memory)) {
		free(whole);
		return NULL;
	}
	hs->heaps = &whole->heaps;
	hs->blobs = &whole->blobs;
	hs->methods = &whole->methods;
	hs->memory = memory;
	hs->seen = walkview_memory(hs->view);
	return hs;
}

static void hotspot_free(void *rt)
{
	struct hotspot *hs = rt;

	if (!hs)
		return;
	hotspot_names_free(hs);
	hotspot_chunks_free(hs->chunks);
	hotspot_steps_free(hs);
	hotspot_blobs_release(hs->blobs);
	hotspot_methods_release(hs->methods);
	walkview_free(hs->view);
	free(hs);
}

/* JDK 8's tables call HotSpot's own version 25; only JDK_Version tells there. */
static int release_of(const struct hotspot *hs)
{
	struct vmfield current, major;
	uint8_t byte = 0;
	int32_t value = 0;

	if (vmstructs_field(hs->tables, "JDK_Version", "_current", &current) &&
	    vmstructs_field(hs->tables, "JDK_Version", "_major", &major)) {
		hs->memory->read(hs->memory, current.offset + major.offset, &byte, sizeof(byte));
		return byte;
	}
	if (vmstructs_field(hs->tables, "Abstract_VM_Version", "_vm_major_version", &major))
		hs->memory->read(hs->memory, major.offset, &value, sizeof(value));
	return value;
}

/* "17.0.15+6-Debian-1deb12u1": JDK 8 has its VM's own number there, 25.504-b01 for 8u504. */
static void hotspot_set_version(struct hotspot *hs)
{
	char text[RELEASE_MAX] = "";
	struct vmfield f;
	uint64_t addr;

	if (vmstructs_field(hs->tables, "Abstract_VM_Version", "_s_vm_release", &f) &&
	    f.is_static && !memory_read_u64(hs->memory, f.offset, &addr))
		text_read(hs->memory, addr, text, sizeof(text));
	for (char *c = text; *c; c++)
		if (*c < '+' || *c > 'z')
			*c = '\0';
	if (vmstructs_field(hs->tables, "CodeCache", "_heap", &f) && !strncmp(text, "25.", 3))
		snprintf(hs->version, sizeof(hs->version), "HotSpot 8u%s", text + 3);
	else
		snprintf(hs->version, sizeof(hs->version), "HotSpot%s%s", *text ? " " : "", text);
}

static int resolve(struct hotspot *hs, struct error *why)
{
	int rc;

	hs->release = release_of(hs);
	if (!hs->release)
		return error_set(why, ERR_BUSY, "HotSpot has not set its version yet");
	rc = hotspot_heaps_init(hs->heaps, hs->tables, hs->memory, why);
	if (!rc)
		rc = hotspot_blobs_init(hs->blobs, hs->tables, why);
	if (!rc)
		rc = hotspot_methods_init(hs->methods, hs->tables, why);
	if (!rc)
		rc = hotspot_steps_init(hs, why);
	if (!rc)
		rc = hotspot_names_init(hs, why);
	if (!rc)
		rc = hotspot_chunks_init(hs);
	if (!rc)
		hotspot_set_version(hs);
	return rc;
}

static int hotspot_find(void **rt, const struct image *image, uint64_t bias,
			const struct memory *memory, struct error *why)
{
	struct vmsymbols symbols;
	struct vmstructs *tables = NULL;
	struct hotspot *hs;
	int rc = vmstructs_find(image, bias, &symbols);

	if (rc)
		return rc;
	hs = hotspot_make(memory);
	if (!hs)
		return error_nomem(why);
	hs->image = image;
	hs->bias = bias;
	rc = vmstructs_read(&symbols, memory, &tables, why);
	hs->tables = tables;
	if (!rc)
		rc = resolve(hs, why);
	vmstructs_free(tables);
	hs->tables = NULL;
	hs->image = NULL;
	if (rc)
		hotspot_free(hs);
	else
		*rt = hs;
	return rc;
}

static void hotspot_begin(void *rt)
{
	struct hotspot *hs = rt;

	walkview_begin(hs->view);
	hotspot_chunks_begin(hs);
}

const struct managed_ops hotspot_ops = { .mapping = "[java]",
					 .find = hotspot_find,
					 .free = hotspot_free,
					 .begin = hotspot_begin,
					 .step = hotspot_step,
					 .names = hotspot_names,
					 .thread = hotspot_thread,
					 .wait = hotspot_wait };
