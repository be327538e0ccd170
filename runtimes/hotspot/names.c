/*
 * The functions of a frame.
 *
 * A method is called as Java's own stack traces call it: "com.example.Shop$Inner.total", with the
 * source file's name beside it. Where a class has several methods of that name, the parameters'
 * types follow, as in the source: "Shop.total(int, String)". async-profiler and perf-map-agent give
 * all methods or none a signature, in the form of class files; in a flame graph the one is long,
 * and the other adds up different methods.
 *
 * A compiled method's frame has the functions that are inlined where it is, and lines as the
 * compiler recorded them: for a return address exactly, for an interrupted one those of the next
 * place that the VM may look at. Native methods have no line.
 *
 * The VM's own code goes by the VM's names (vmcode.c).
 *
 * Whatever is read is read again afterwards: a method by its id (methods.c), a compiled one by its
 * blob (blobs.h).
 */
#include "runtimes/hotspot/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/hotspot/vm/blobs.h"
#include "runtimes/hotspot/vm/javatext.h"
#include "runtimes/hotspot/vm/javalines.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/scopes.h"

enum {
	ACC_NATIVE = 0x100,
	JDK_NO_ZERO = 20, /* the first release with UNSIGNED5_NO_ZERO */
	LINES_MAX = 1 << 20,

	SUFFIX_ROOM = 32,
};

int hotspot_names_init(struct hotspot *hs, struct error *why)
{
	struct hotspot_name_state *n = calloc(1, sizeof(*n));
	int rc;

	if (!n)
		return error_nomem(why);
	hs->names = n;
	n->form = hs->release >= JDK_NO_ZERO ? UNSIGNED5_NO_ZERO : UNSIGNED5_WITH_ZERO;
	rc = hotspot_vm_code_init(hs);
	if (!rc)
		rc = hotspot_threads_init(hs);
	return rc ? rc : hotspot_monitors_init(hs);
}

void hotspot_names_free(struct hotspot *hs)
{
	struct hotspot_name_state *n = hs->names;

	if (!n)
		return;
	hotspot_vm_code_free(n->code);
	hotspot_threads_free(n->threads);
	free(n->monitors);
	free(n);
	hs->names = NULL;
}

/* A symbol as `convert` writes it. NULL: rc tells why. */
static char *hotspot_names_text_of(const struct hotspot *hs, uint64_t symbol, struct arena *arena,
				   size_t (*convert)(const uint8_t *bytes, size_t len, char *to),
				   size_t growth, int *rc)
{
	uint8_t *bytes;
	size_t len;
	char *text;

	*rc = hotspot_symbol_read(hs, symbol, arena, &bytes, &len);
	if (*rc)
		return NULL;
	text = arena_alloc(arena, growth * len + 1);
	if (!text)
		*rc = ERR_NOMEM;
	else
		text[convert(bytes, len, text)] = '\0';
	return text;
}

/* Up to JDK 14 the classes of lambdas were anonymous to the VM, and Java writes their names with
 * their addresses. In JDK 8 it is a hash instead, and nothing in the VM's tables tells such a
 * class: there nothing is added. */
static void read_suffix(const struct hotspot *hs, uint64_t klass, char suffix[SUFFIX_ROOM])
{
	const struct hotspot_method_layout *l = &hs->methods->l;
	uint8_t anonymous = 0;
	uint64_t loader;

	if (l->klass_loader >= 0 && l->loader_anonymous >= 0 &&
	    !memory_read_u64(hs->memory, klass + (uint64_t)l->klass_loader, &loader))
		hs->memory->read(hs->memory, loader + (uint64_t)l->loader_anonymous, &anonymous, 1);
	*suffix = '\0';
	if (anonymous == 1)
		snprintf(suffix, SUFFIX_ROOM, "/0x%016lx", klass);
}

int hotspot_class_name(const struct hotspot *hs, uint64_t klass, struct arena *arena,
		       const char **name)
{
	char suffix[SUFFIX_ROOM], *class, *all;
	uint64_t symbol;
	size_t len;
	int rc;

	if (!klass ||
	    memory_read_u64(hs->memory, klass + (uint64_t)hs->methods->l.klass_name, &symbol))
		return ERR_FORMAT;
	class = hotspot_names_text_of(hs, symbol, arena, javatext_class, JAVATEXT_GROWTH, &rc);
	if (rc)
		return rc;
	read_suffix(hs, klass, suffix);
	len = strlen(class) + strlen(suffix) + 1;
	all = arena_alloc(arena, len);
	if (!all)
		return ERR_NOMEM;
	snprintf(all, len, "%s%s", class, suffix);
	*name = all;
	return 0;
}

/* "Class.method", and the parameters. */
static int hotspot_names_read_name(struct hotspot *hs, const struct hotspot_parts *p,
				   struct arena *arena, const char **name)
{
	const char *parameters = "";
	char suffix[SUFFIX_ROOM], *class, *method, *all;
	int rc;

	class = hotspot_names_text_of(hs, p->class_symbol, arena, javatext_class, JAVATEXT_GROWTH,
				      &rc);
	if (rc)
		return rc;
	method = hotspot_names_text_of(hs, p->name_symbol, arena, javatext_symbol, JAVATEXT_GROWTH,
				       &rc);
	if (rc)
		return rc;
	if (hotspot_is_overloaded(hs, p))
		parameters = hotspot_names_text_of(hs, p->signature_symbol, arena,
						   javatext_parameters, JAVATEXT_PARAMETERS_GROWTH,
						   &rc);
	if (rc)
		return rc;
	read_suffix(hs, p->holder, suffix);
	size_t len = strlen(class) + strlen(suffix) + strlen(method) + strlen(parameters) + 2;

	all = arena_alloc(arena, len);
	if (!all)
		return ERR_NOMEM;
	snprintf(all, len, "%s%s.%s%s", class, suffix, method, parameters);
	*name = all;
	return 0;
}

static int hotspot_names_read_file(struct hotspot *hs, const struct hotspot_parts *p,
				   struct arena *arena, const char **file)
{
	uint64_t entry;
	int rc = 0;

	*file = "";
	if (!p->source_index)
		return 0;
	if (memory_read_u64(hs->memory, hotspot_pool_entry(hs, p->pool, p->source_index), &entry))
		return ERR_FORMAT;
	*file = hotspot_names_text_of(hs, entry & ~1ull, arena, javatext_symbol, JAVATEXT_GROWTH,
				      &rc);
	return rc;
}

static int hotspot_names_read_lines(const struct hotspot *hs, const struct hotspot_parts *p,
				    int32_t bci, struct arena *arena, struct managed_name *name)
{
	uint64_t skipped = (uint64_t)hs->methods->l.const_bytes + p->code_size;
	size_t len = p->const_size - skipped;
	struct cursor c;
	uint8_t *bytes;

	if (!p->has_lines || p->access & ACC_NATIVE)
		return 0;
	if (len > LINES_MAX)
		return ERR_FORMAT;
	bytes = arena_alloc(arena, len + 1);
	if (!bytes)
		return ERR_NOMEM;
	if (hs->memory->read(hs->memory, p->const_method + skipped, bytes, len))
		return ERR_FORMAT;
	cursor_init(&c, bytes, len, "line table");
	if (javalines_find(&c, hs->names->form, bci, &name->line, &name->first_line))
		return ERR_FORMAT;
	if (bci == HOTSPOT_NO_PLACE)
		name->line = 0;
	return 0;
}

static int add_method(struct hotspot *hs, const struct hotspot_place *place, struct arena *arena,
		      struct managed_names *names)
{
	struct managed_name *name = &names->at[names->count];
	const struct hotspot_parts *now;
	struct hotspot_parts p;
	int rc = hotspot_parts_read(hs, hs->memory, place->method, &now);

	if (rc)
		return rc;
	p = *now;
	if ((place->id && p.id != place->id) || place->bci >= (p.code_size ? p.code_size : 1))
		return ERR_FORMAT;
	memset(name, 0, sizeof(*name));
	rc = hotspot_names_read_name(hs, &p, arena, &name->name);
	if (!rc)
		rc = hotspot_names_read_file(hs, &p, arena, &name->file);
	if (!rc)
		rc = hotspot_names_read_lines(hs, &p, place->bci, arena, name);
	if (!rc)
		rc = hotspot_parts_read(hs, hs->memory, place->method, &now);
	if (!rc && now->id != p.id)
		rc = ERR_FORMAT;
	names->count += !rc;
	return rc;
}

/* The PcDesc of a frame, or NULL. The compilers record none for calls of the VM's own routines that
 * no collection can happen in, such as those that copy arrays: what comes next counts there, as for
 * an interrupted address. */
static const struct pcdesc *desc_of(const struct pcdesc *descs, size_t count, uint64_t at)
{
	uint32_t offset = hotspot_offset(at);
	const struct pcdesc *d = pcdesc_find(descs, count, offset, hotspot_interrupted(at));

	return d || hotspot_interrupted(at) ? d : pcdesc_find(descs, count, offset, true);
}

/* The scopes where the frame is. *count is 0 where the compiler recorded none. */
static int read_scopes(struct hotspot *hs, const struct hotspot_blob *blob, uint64_t at,
		       struct scope scopes[MANAGED_NAMES_MAX], size_t *count)
{
	struct scopes_range data = { blob->scopes_data, blob->scopes_data_end };
	const struct pcdesc *descs, *desc;
	size_t desc_count;
	int rc = hotspot_blob_pcdescs(hs, blob, &descs, &desc_count);

	*count = 0;
	if (rc)
		return rc == ERR_NOMEM ? rc : ERR_FORMAT;
	desc = desc_of(descs, desc_count, at);
	if (!desc || desc->scope <= 0)
		return 0;
	rc = scopes_read(hs->memory, &data, hs->names->form, desc->scope, scopes, MANAGED_NAMES_MAX,
			 count);
	return rc ? ERR_FORMAT : 0;
}

static int hotspot_names_place_of(struct hotspot *hs, const struct hotspot_blob *blob,
				  const struct scope *scope, struct hotspot_place *place)
{
	uint64_t entry = blob->metadata + (scope->method - 1ul) * sizeof(uint64_t);

	*place = (struct hotspot_place){ .bci = scope->bci };
	return entry >= blob->metadata_end || memory_read_u64(hs->memory, entry, &place->method) ?
		       ERR_FORMAT :
		       0;
}

/* Behind a compiled method's code are stubs that it calls on the way to interpreted methods: mov
 * rbx, METHOD; jmp. */
static bool is_in_call_stub(const struct hotspot *hs, uint64_t pc)
{
	enum { MOV = 10, JMP = 1 };
	uint8_t code[MOV + MOV + JMP]; /* the pc is in the middle */

	if (hs->memory->read(hs->memory, pc - MOV, code, sizeof(code)))
		return false;
	return (code[0] == 0x48 && code[1] == 0xbb && code[MOV] == 0xe9) ||
	       (code[MOV] == 0x48 && code[MOV + 1] == 0xbb && code[MOV + MOV] == 0xe9);
}

/* In such a stub the frame is on the stack as its caller, and is not shown twice. So it is in the
 * deopt handler, which begins with a call of its own next instruction. */
static bool is_doubled(const struct hotspot *hs, const struct hotspot_blob *blob, uint64_t at)
{
	uint64_t pc = blob->code + hotspot_offset(at);

	return hotspot_interrupted(at) &&
	       ((blob->deopt && pc > blob->deopt) || (blob->deopt_mh && pc > blob->deopt_mh) ||
		is_in_call_stub(hs, pc));
}

static int places_of_code(struct hotspot *hs, const struct managed_frame *frame,
			  struct hotspot_place places[MANAGED_NAMES_MAX], size_t *count)
{
	struct scope scopes[MANAGED_NAMES_MAX];
	const struct hotspot_blob *found;
	struct hotspot_blob blob;
	size_t n = 0;
	int rc = hotspot_blob_of(hs, frame->code, frame->id, &found);

	if (rc)
		return rc == ERR_NOMEM ? rc : ERR_FORMAT;
	blob = *found;
	if (frame->kind == HOTSPOT_COMPILED)
		rc = read_scopes(hs, found, frame->at, scopes, &n);
	for (*count = 0; !rc && *count < n; *count += !rc)
		rc = hotspot_names_place_of(hs, &blob, &scopes[*count], &places[*count]);
	if (!rc && !n && !is_doubled(hs, &blob, frame->at))
		places[(*count)++] = (struct hotspot_place){ blob.method, 0, HOTSPOT_NO_PLACE };
	return rc;
}

int hotspot_places(struct hotspot *hs, const struct managed_frame *frame,
		   struct hotspot_place places[MANAGED_NAMES_MAX], size_t *count)
{
	*count = 0;
	if (frame->kind == HOTSPOT_COMPILED || frame->kind == HOTSPOT_NATIVE)
		return places_of_code(hs, frame, places, count);
	if (frame->kind != HOTSPOT_INTERPRETED)
		return 0;
	places[0] = (struct hotspot_place){ frame->code, frame->id,
					    frame->at == HOTSPOT_NO_BCI ?
						    HOTSPOT_NO_PLACE :
						    (int32_t)(frame->at & 0xffff) };
	*count = 1;
	return 0;
}

static int name_methods(struct hotspot *hs, const struct managed_frame *frame, struct arena *arena,
			struct managed_names *names)
{
	struct hotspot_place places[MANAGED_NAMES_MAX];
	const struct hotspot_blob *blob;
	size_t count;
	int rc = hotspot_places(hs, frame, places, &count);

	for (size_t i = 0; !rc && i < count; i++)
		rc = add_method(hs, &places[i], arena, names);
	/* Is it still the same code, and so were they its methods? */
	if (!rc && frame->kind != HOTSPOT_INTERPRETED)
		rc = hotspot_blob_of(hs, frame->code, frame->id, &blob);
	return rc && rc != ERR_NOMEM ? ERR_FORMAT : rc;
}

static int name_vm_code(struct hotspot *hs, const struct managed_frame *frame, struct arena *arena,
			struct managed_names *names)
{
	const char *name;
	int rc = hotspot_vm_code_name(hs, frame, arena, &name);

	if (!rc && name)
		names->at[names->count++] = (struct managed_name){ .name = name, .file = "" };
	return rc;
}

int hotspot_names(void *rt, const struct managed_frame *frame, struct arena *arena,
		  struct managed_names *names)
{
	switch (frame->kind) {
	case HOTSPOT_INTERPRETED:
	case HOTSPOT_COMPILED:
	case HOTSPOT_NATIVE:
		return name_methods(rt, frame, arena, names);
	default:
		return name_vm_code(rt, frame, arena, names);
	}
}
