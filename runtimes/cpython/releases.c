/* Each field is a row with a number for each release; NO marks a field that the release lacks. The
 * offsets that 3.13 and later publish (_Py_DebugOffsets) replace these. */
#include "runtimes/cpython/releases.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"

enum { NO = CPYTHON_NONE, RELEASES = CPYTHON_3_15 - CPYTHON_3_6 + 1 };

enum {
	HEADER = 16,	  /* bytes by which an object's head is longer in a free-threaded build */
	FIELD_MAX = 4096, /* larger than a thread's state, a frame, a code object's fields */
	STATE_MAX = 1 << 20,
};

#define AT(member) offsetof(struct cpython_layout, member)

/*
 * One row for each field, one column for each release, 3.6 to 3.15. The numbers were printed by a
 * debugger from the debug information of 3.6.15, 3.7.16, 3.8.18, 3.9.18, 3.10.13, 3.11.7, 3.12.1
 * and 3.13.0, and by a compiler from the headers of 3.14.10 and 3.15.2 (Include/cpython/pystate.h,
 * Include/internal/pycore_{frame,interp,runtime,gil}.h, Include/cpython/code.h). The fields are the
 * same in all patch levels; where the GIL is in 3.7's and 3.8's _PyRuntime is not, so live data has
 * to confirm it.
 */
/* clang-format off */
static const struct releases_row {
	uint32_t field;
	uint32_t at[RELEASES];
} rows[] = {
{ AT(runtime.interpreters),  {  NO,   24,   32,  32,  32,  40,  40,  632,  808,  936 } },
{ AT(runtime.gil),           {  NO, 1264, 1152, 352, 352, 360,  NO,   NO,   NO,   NO } },
{ AT(interp.next),           {   0,    0,    0,   0,   0,   0,   0, 7264, 7272, 7264 } },
{ AT(interp.threads),        {   8,    8,    8,   8,   8,  16,  72, 7344, 7344, 7336 } },
{ AT(interp.gil),            {  NO,   NO,   NO,  NO,  NO,  NO, 384,   16,   16,   16 } },
{ AT(thread.prev),           {   0,    0,    0,   0,   0,   0,   0,    0,    0,    0 } },
{ AT(thread.next),           {   8,    8,    8,   8,   8,   8,   8,    8,    8,    8 } },
{ AT(thread.interp),         {  16,   16,   16,  16,  16,  16,  16,   16,   16,   16 } },
{ AT(thread.id),             { 152,  176,  176, 176, 176, 152, 136,  152,  152,  176 } },
{ AT(thread.native_id),      {  NO,   NO,   NO,  NO,  NO, 160, 144,  160,  160,  184 } },
{ AT(thread.frame),          {  24,   24,   24,  24,  24,  NO,  NO,   72,   72,   72 } },
{ AT(thread.cframe),         {  NO,   NO,   NO,  NO,  48,  56,  56,   NO,   NO,   NO } },
{ AT(thread.root_cframe),    {  NO,   NO,   NO,  NO, 264, 336, 272,   NO,   NO,   NO } },
{ AT(thread.chunk),          {  NO,   NO,   NO,  NO,  NO, 296, 232,  232,  232,  256 } },
{ AT(thread.chunk_top),      {  NO,   NO,   NO,  NO,  NO, 304, 240,  240,  240,  264 } },
{ AT(thread.holds_gil),      {  NO,   NO,   NO,  NO,  NO,  NO,  NO,   NO,   NO,   36 } },
{ AT(thread.gil_requested),  {  NO,   NO,   NO,  NO,  NO,  NO,  NO,   NO,   NO,   40 } },
{ AT(frame.code),            {  32,   32,   32,  32,  32,  32,   0,    0,    0,    0 } },
{ AT(frame.previous),        {  24,   24,   24,  24,  24,  48,   8,    8,    8,    8 } },
{ AT(frame.at),              { 120,  104,  104, 104,  96,  56,  56,   56,   56,   56 } },
{ AT(frame.owner),           {  NO,   NO,   NO,  NO,  NO,  69,  70,   70,   74,   74 } },
{ AT(frame.is_entry),        {  NO,   NO,   NO,  NO,  NO,  68,  NO,   NO,   NO,   NO } },
{ AT(frame.tlbc),            {  NO,   NO,   NO,  NO,  NO,  NO,  NO,   NO,   NO,   NO } },
{ AT(code.firstlineno),      {  36,   36,   40,  40,  40,  72,  68,   68,   68,   68 } },
{ AT(code.filename),         {  96,   96,  104, 104, 104, 112, 112,  112,  112,  112 } },
{ AT(code.name),             { 104,  104,  112, 112, 112, 120, 120,  120,  120,  120 } },
{ AT(code.qualname),         {  NO,   NO,   NO,  NO,  NO, 128, 128,  128,  128,  128 } },
{ AT(code.lines),            { 112,  112,  120, 120, 120, 136, 136,  136,  136,  136 } },
{ AT(code.adaptive),         {  NO,   NO,   NO,  NO,  NO, 184, 192,  200,  208,  208 } },
{ AT(code.firsttraceable),   {  NO,   NO,   NO,  NO,  NO, 168, 176,  184,  192,  192 } },
{ AT(code.version),          {  NO,   NO,   NO,  NO,  NO,  NO,  92,   92,   92,   92 } },
{ AT(code.tlbc),             {  NO,   NO,   NO,  NO,  NO,  NO,  NO,   NO,   NO,   NO } },
{ AT(object.type),           {   8,    8,    8,   8,   8,   8,   8,    8,    8,    8 } },
{ AT(object.var_size),       {  16,   16,   16,  16,  16,  16,  16,   16,   16,   16 } },
{ AT(object.bytes_hash),     {  24,   24,   24,  24,  24,  24,  24,   24,   24,   24 } },
{ AT(object.bytes_data),     {  32,   32,   32,  32,  32,  32,  32,   32,   32,   32 } },
{ AT(object.text_length),    {  16,   16,   16,  16,  16,  16,  16,   16,   16,   16 } },
{ AT(object.text_hash),      {  24,   24,   24,  24,  24,  24,  24,   24,   24,   24 } },
{ AT(object.text_state),     {  32,   32,   32,  32,  32,  32,  32,   32,   32,   32 } },
{ AT(object.text_ascii),     {  48,   48,   48,  48,  48,  48,  40,   40,   40,   40 } },
{ AT(object.text_compact),   {  72,   72,   72,  72,  72,  72,  56,   56,   56,   56 } },
{ AT(object.type_name),      {  24,   24,   24,  24,  24,  24,  24,   24,   24,   24 } },
{ AT(cframe_current),        {  NO,   NO,   NO,  NO,  NO,   8,   0,   NO,   NO,   NO } },
{ AT(cframe_previous),       {  NO,   NO,   NO,  NO,   8,  16,   8,   NO,   NO,   NO } },
{ AT(gil_holder),            {  NO,    8,    8,   8,   8,   8,   8,    8,    8,    8 } },
{ AT(gil_locked),            {  NO,   16,   16,  16,  16,  16,  16,   16,   16,   16 } },
};

/* Where _Py_DebugOffsets of 3.13, 3.14 and 3.15 has them, in bytes (pycore_runtime.h in 3.13, then
 * pycore_debug_offsets.h). */
static const struct debug_row {
	uint32_t field;
	uint16_t at[3];
	bool only_free_threaded;
} debug_rows[] = {
{ AT(runtime.interpreters), {  40,  40,  40 }, false },
{ AT(interp.next),          {  64,  64,  64 }, false },
{ AT(interp.threads),       {  72,  72,  72 }, false },
{ AT(interp.gil),           { 112, 120, 120 }, false },
{ AT(gil_locked),           { 136, 144, 144 }, false },
{ AT(gil_holder),           { 144, 152, 152 }, false },
{ AT(thread.prev),          { 160, 184, 184 }, false },
{ AT(thread.next),          { 168, 192, 192 }, false },
{ AT(thread.interp),        { 176, 200, 200 }, false },
{ AT(thread.frame),         { 184, 208, 208 }, false },
{ AT(thread.id),            { 192, 216, 240 }, false },
{ AT(thread.native_id),     { 200, 224, 248 }, false },
{ AT(thread.chunk),         { 208, 232, 256 }, false },
{ AT(thread.holds_gil),     {   0,   0, 272 }, false },
{ AT(thread.gil_requested), {   0,   0, 280 }, false },
{ AT(frame.previous),       { 232, 256, 320 }, false },
{ AT(frame.code),           { 240, 264, 328 }, false },
{ AT(frame.at),             { 248, 272, 336 }, false },
{ AT(frame.owner),          { 264, 288, 352 }, false },
{ AT(frame.tlbc),           {   0, 304, 368 }, true },
{ AT(code.filename),        { 280, 320, 384 }, false },
{ AT(code.name),            { 288, 328, 392 }, false },
{ AT(code.qualname),        { 296, 336, 400 }, false },
{ AT(code.lines),           { 304, 344, 408 }, false },
{ AT(code.firstlineno),     { 312, 352, 416 }, false },
{ AT(code.adaptive),        { 344, 384, 448 }, false },
{ AT(code.tlbc),            {   0, 392, 456 }, true },
{ AT(object.type),          { 360, 408, 472 }, false },
{ AT(object.type_name),     { 376, 424, 488 }, false },
{ AT(object.var_size),      { 520, 600, 696 }, false },
{ AT(object.bytes_data),    { 528, 608, 704 }, false },
{ AT(object.text_state),    { 544, 624, 720 }, false },
{ AT(object.text_length),   { 552, 632, 728 }, false },
{ AT(object.text_ascii),    { 560, 640, 736 }, false },
};
/* clang-format on */

enum { ROWS = sizeof(rows) / sizeof(*rows), DEBUG_ROWS = sizeof(debug_rows) / sizeof(*debug_rows) };

/* Where _Py_DebugOffsets has the place of struct _gil_runtime_state in an interpreter's state, by
 * release as in debug_rows. */
static const uint16_t debug_gil[] = { 120, 128, 128 };

static uint32_t *releases_field(struct cpython_layout *layout, uint32_t at)
{
	return (uint32_t *)((char *)layout + at);
}

static bool is_object_field(uint32_t at)
{
	return at >= AT(code) && at < AT(cframe_current);
}

static void set_from_table(struct cpython *python, unsigned release)
{
	for (size_t i = 0; i < ROWS; i++) {
		uint32_t *to = releases_field(&python->layout, rows[i].field);

		*to = rows[i].at[release];
		if (*to != NO && python->free_threaded && is_object_field(rows[i].field))
			*to += HEADER;
	}
}

static bool has_room(uint32_t at, uint64_t value)
{
	return value < (at >= AT(thread) ? FIELD_MAX : STATE_MAX);
}

static int set_from_debug(struct cpython *python, const uint64_t *debug, unsigned column)
{
	struct cpython_layout *l = &python->layout;
	uint64_t gil = debug[debug_gil[column] / 8];

	for (size_t i = 0; i < DEBUG_ROWS; i++) {
		const struct debug_row *row = &debug_rows[i];
		uint64_t value = debug[row->at[column] / 8];

		if (!row->at[column] || (row->only_free_threaded && !python->free_threaded))
			continue;
		if (row->field == AT(gil_locked) || row->field == AT(gil_holder))
			value -= gil;
		if (!has_room(row->field, value))
			return ERR_FORMAT;
		*releases_field(l, row->field) = (uint32_t)value;
	}
	/* datastack_top stands behind datastack_chunk. */
	l->thread.chunk_top = l->thread.chunk + 8;
	return 0;
}

static uint32_t releases_end_of(const uint32_t *fields, size_t count)
{
	uint32_t end = 0;

	for (size_t i = 0; i < count; i++)
		if (fields[i] != NO && fields[i] + 8 > end)
			end = fields[i] + 8;
	return end;
}

static void set_sizes(struct cpython_layout *l)
{
	const struct cpython_thread_layout *t = &l->thread;
	const struct cpython_frame_layout *f = &l->frame;
	const uint32_t thread[] = { t->prev,	  t->next,	t->interp,	 t->id,
				    t->native_id, t->frame,	t->cframe,	 t->chunk,
				    t->chunk_top, t->holds_gil, t->gil_requested };
	const uint32_t frame[] = { f->code, f->previous, f->at, f->owner, f->is_entry, f->tlbc };

	l->thread.size = releases_end_of(thread, sizeof(thread) / sizeof(*thread));
	l->frame.size = releases_end_of(frame, sizeof(frame) / sizeof(*frame));
}

int cpython_layout_set(struct cpython *python, const uint64_t *debug)
{
	uint16_t version = python->version;
	int rc = 0;

	python->is_new = version > CPYTHON_3_15;
	if (version < CPYTHON_3_6)
		return ERR_NOTFOUND;
	if (python->is_new && !debug)
		return ERR_FORMAT;
	if (python->is_new)
		version = CPYTHON_3_15;
	set_from_table(python, version - CPYTHON_3_6);
	if (version >= CPYTHON_3_13 && debug)
		rc = set_from_debug(python, debug, version - CPYTHON_3_13);
	set_sizes(&python->layout);
	return rc;
}

bool cpython_debug_version(const uint64_t *debug, uint32_t *hex, bool *free_threaded)
{
	if (memcmp(debug, "xdebugpy", 8) != 0)
		return false;
	*hex = (uint32_t)debug[1];
	*free_threaded = debug[2] != 0;
	return true;
}
