// links: runtimes/cpython
/*
 * Any bytes as the memory in which a code object and an asyncio task lie. The first byte chooses the
 * release.
 */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/utf8.h"
#include "runtimes/cpython/code.h"
#include "runtimes/cpython/layout.h"
#include "runtimes/cpython/unicode.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 1, START = 0x1000, TASK = START + 0x100 };

static void use(struct cpython *python, unsigned choice)
{
	static const struct cpython_object_layout object = {
		.type = 8,
		.var_size = 16,
		.bytes_hash = 24,
		.bytes_data = 32,
		.text_length = 16,
		.text_hash = 24,
		.text_state = 32,
		.text_ascii = 40,
		.text_compact = 56,
		.type_name = 24,
	};
	static const struct cpython_code_layout old = {
		.firstlineno = 40,
		.filename = 104,
		.name = 112,
		.lines = 120,
		.qualname = CPYTHON_NONE,
	};
	static const struct cpython_code_layout new = {
		.firstlineno = 68,
		.filename = 112,
		.name = 120,
		.qualname = 128,
		.lines = 136,
		.firsttraceable = 184,
	};
	static const uint16_t versions[] = { CPYTHON_3_8, CPYTHON_3_10, CPYTHON_3_11,
					     CPYTHON_3_14 };

	*python = (struct cpython){ .version = versions[choice % 4],
				    .free_threaded = choice / 4 % 2 };
	python->layout.object = object;
	python->layout.code = choice % 4 < 2 ? old : new;
	if (choice % 4 < 3) {
		python->layout.object.text_ascii = 48;
		python->layout.object.text_compact = 72;
	}
	python->asyncio = choice / 8 % 2 ? 40ull << 32 | 872 : 0;
}

static void check_text(const char *text, size_t max)
{
	size_t size = strlen(text), len;

	must(size <= max);
	for (size_t i = 0; i < size; i += len)
		must(utf8_next(text + i, size - i, &len) != UTF8_REPLACEMENT || len == 3);
}

static void check_code(const struct cpython *python, const struct memory *memory)
{
	struct arena arena = { 0 };
	struct interp_code code;
	uint32_t line, column;
	int rc = cpython_resolve(python, memory, &(struct interp_identity){ .code = START }, &arena,
				 &code);

	must(!rc || rc == ERR_FORMAT);
	if (!rc) {
		check_text(code.name, PYUNICODE_MAX);
		check_text(code.file, PYUNICODE_MAX);
		for (uint64_t at = 0; at < 64; at++)
			cpython_line(python, &code, at, &line, &column);
	}
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct interp_identity ids[] = { { .code = START }, { .code = START + 8 }, { .code = 0 } };
	struct memory_bytes memory;
	struct cpython python;
	char name[16];

	if (size < HEAD)
		return 0;
	use(&python, data[0]);
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	check_code(&python, &memory.memory);
	cpython_identify(&python, &memory.memory, ids, 3);
	must(!ids[2].valid);
	cpython_task_name(&python, &memory.memory, &memory.memory, TASK, name, sizeof(name));
	check_text(name, sizeof(name) - 1);
	return 0;
}
