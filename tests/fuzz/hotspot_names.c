// links: runtimes/hotspot
/*
 * Any bytes as the memory of a HotSpot VM, which begins at START: a class, its pool, methods, fields and
 * symbols, whose names, lines and scopes are read. The first byte chooses the release.
 */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/utf8.h"
#include "runtimes/hotspot/names.h"
#include "runtimes/hotspot/vm/fields.h"
#include "runtimes/hotspot/vm/javalines.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/scopes.h"
#include "tests/fuzz/must.h"
#include "tests/unit/runtimes/hotspot/made_up_methods.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	START = 0x10000,
	METHODS = 0x400, /* where the class's methods are */
	METHODS_LOOKED_AT = 8,
	SCOPES = 16,
	OLD = 1, /* bits of the first byte */
	ANONYMOUS = 2,
};

static void check_text(const char *text)
{
	size_t size = strlen(text), len;

	for (size_t i = 0; i < size; i += len)
		must(utf8_next(text + i, size - i, &len) != UTF8_REPLACEMENT || len == 3);
}

static void check_method(struct hotspot *hs, uint64_t method)
{
	struct managed_frame frame = { .kind = HOTSPOT_INTERPRETED, .code = method };
	struct arena arena = { 0 };
	struct hotspot_method m, again;

	if (hotspot_method_read(hs, method, &m))
		return;
	must(!hotspot_method_read(hs, method, &again) && m.id == again.id);
	frame.id = m.id;
	for (frame.at = 0; frame.at < m.code_size + 2; frame.at += 1 + frame.at / 2) {
		struct managed_names names = { .count = 0 };

		if (hotspot_names(hs, &frame, &arena, &names))
			continue;
		must(names.count == 1 && (!m.code_size || frame.at < m.code_size));
		check_text(names.at[0].name);
		check_text(names.at[0].file);
	}
	arena_release(&arena);
}

static void check_methods(struct hotspot *hs, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < METHODS_LOOKED_AT; i++)
		if (METHODS + (i + 2) * 8 <= size)
			check_method(hs, memory_word(data, METHODS + (i + 1) * 8));
}

static void check_fields(const struct hotspot *hs, bool old)
{
	const struct hotspot_field_layout l = { .array = old ? 40 : -1,
						.count = old ? 48 : -1,
						.stream = old ? -1 : 40,
						.constants = 56,
						.flags = START + 64,
						.flag_count = START + 72,
						.flag_name = 8,
						.flag_addr = 16,
						.flag_bytes = 24 };
	static const char *const names[] = { "UseZGC" };
	bool value;

	must(hotspot_field_find(hs, &l, START, "name", "Ljava/lang/String;") < 1 << 16);
	hotspot_flags_read(hs, &l, names, &value, 1);
}

static void check_bytes(const struct hotspot *hs, const uint8_t *data, size_t size)
{
	struct scopes_range range = { START, START + size };
	struct scope scopes[SCOPES];
	uint32_t line, first_line;
	struct cursor c;
	size_t count;

	for (int32_t at = 0; at < 64; at++)
		if (!scopes_read(hs->memory, &range, hs->names->form, at, scopes, SCOPES, &count))
			must(count <= SCOPES && (count || !at));
	for (int bci = -1; bci < 300; bci += 7) {
		cursor_init(&c, data, size, "line table");
		if (!javalines_find(&c, hs->names->form, bci, &line, &first_line))
			must(line <= 0xffff && first_line <= 0xffff);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hotspot_name_state names = { .form = UNSIGNED5_NO_ZERO };
	struct hotspot_methods methods = { .l = method_layout_17 };
	struct memory_bytes memory;
	struct hotspot hs = { .memory = &memory.memory,
			      .seen = &memory.memory,
			      .release = 17,
			      .methods = &methods,
			      .names = &names };
	unsigned choice;

	if (!size)
		return 0;
	choice = *data++;
	size--;
	memory_bytes_init(&memory, data, START, size);
	names.form = choice & OLD ? UNSIGNED5_WITH_ZERO : UNSIGNED5_NO_ZERO;
	if (choice & ANONYMOUS) {
		methods.l.klass_loader = 48;
		methods.l.loader_anonymous = 8;
	}
	check_methods(&hs, data, size);
	check_fields(&hs, choice & OLD);
	check_bytes(&hs, data, size);
	hotspot_methods_release(&methods);
	return 0;
}
