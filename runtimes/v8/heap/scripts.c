/*
 * A function is called as V8's own profiler calls it: by its name, or by what the parser inferred
 * from where it stands ("shop.total" of "shop.total = function () {}"); without both by its place,
 * as "(anonymous shop.js:5:183)", in eval()'s code "eval".
 * A script is called by its sourceURL comment or its name, as in stack traces; eval()'s without
 * such a comment is "<anonymous>" there.
 */
#include "runtimes/v8/heap/scripts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "base/utf8.h"
#include "runtimes/v8/heap/layout.h"
#include "runtimes/v8/heap/look.h"
#include "runtimes/v8/heap/strings.h"

enum {
	SOURCE_AT_ONCE = 32 << 10, /* bytes */
	LINES_MAX = 1 << 25,
	ENDS_AT_ONCE = 4096,
	SCRIPT_HEAD = 128,
	PLACE_NAME = 200, /* bytes */
	EVAL = 1,	  /* in a script's flags */

	/* ScopeInfo's flags, the same in all releases so far. */
	SCOPE_KIND = 15,
	SCOPE_RECEIVER_SHIFT = 7, /* of two bits: 1 on the stack, 2 in a context */
	SCOPE_CLASS_VARIABLE = 1 << 10,
	SCOPE_FUNCTION_NAME = 3 << 12,
	SCOPE_INFERRED_NAME = 1 << 14,
	SCOPE_HEAD = 48,
	SCOPE_LOCALS_MAX = 1 << 20,
	SCOPE_NAMES_INLINE = 75, /* kScopeInfoMaxInlinedLocalNamesSize */
	SCOPE_POSITIONS = 3,	 /* slot, where they come first */
};

/* Lines. */

struct scripts_scan {
	const struct v8_runtime *rt;
	struct v8_lines *lines;
	uint8_t *bytes;
};

static int take_source(void *own, const struct v8_chars *chars)
{
	struct scripts_scan *s = own;
	uint32_t most = SOURCE_AT_ONCE >> chars->wide;

	for (uint32_t done = 0; done < chars->count;) {
		uint32_t some = chars->count - done < most ? chars->count - done : most;
		uint64_t at = chars->at + ((uint64_t)done << chars->wide);

		/* Past the cache, which a long text would fill. */
		if (s->rt->live->read(s->rt->live, at, s->bytes, (size_t)some << chars->wide))
			return ERR_FORMAT;
		if (v8_lines_scan(s->lines, s->bytes, some, chars->wide))
			return ERR_NOMEM;
		done += some;
	}
	return 0;
}

static int scan_source(struct v8_look *look, uint64_t source, struct v8_lines *lines)
{
	struct scripts_scan s = { look->rt, lines, NULL };
	uint32_t length;
	int rc;

	if (v8_string_length(look, source, &length) || length > V8_SOURCE_MAX)
		return 0; /* it has none */
	s.bytes = malloc(SOURCE_AT_ONCE);
	if (!s.bytes)
		return ERR_NOMEM;
	rc = v8_string_each(look, source, V8_SOURCE_MAX, take_source, &s);
	rc = rc ? rc : v8_lines_finish(lines);
	free(s.bytes);
	return rc;
}

/* The ends that V8 has computed itself. ERR_NOTFOUND: it has not. */
static int read_ends(struct v8_look *look, uint64_t array, struct v8_lines *lines)
{
	const struct v8_layout *l = look->layout;
	uint8_t head[16];
	uint64_t ends[ENDS_AT_ONCE];
	int type, rc = 0;
	int32_t count;

	if (!v8_is_object(array) || v8_look_head(look, array, head, sizeof(head), &type) ||
	    type != l->fixed_array_type)
		return ERR_NOTFOUND;
	count = v8_smi(memory_word(head, (size_t)l->array_length));
	if (count <= 0 || count > LINES_MAX)
		return ERR_NOTFOUND;
	for (int32_t done = 0; done < count && !rc;) {
		int32_t some = count - done < ENDS_AT_ONCE ? count - done : ENDS_AT_ONCE;

		if (!v8_bytes(look->rt, v8_field(array, l->array_data + 8 * done), ends,
			      (size_t)some * sizeof(*ends)))
			return ERR_FORMAT;
		for (int32_t i = 0; i < some && !rc; i++)
			rc = v8_lines_add(lines, (uint32_t)v8_smi(ends[i]));
		done += some;
	}
	return rc;
}

static int scripts_read_lines(struct v8_look *look, const uint8_t *head, struct v8_lines *lines)
{
	const struct v8_layout *l = look->layout;
	uint64_t array = v8_moved(look->rt, memory_word(head, (size_t)l->script_ends));
	int rc = read_ends(look, array, lines);

	if (rc != ERR_NOTFOUND)
		return rc;
	return scan_source(look, memory_word(head, (size_t)l->script_source), lines);
}

bool v8_script_line(const struct v8_script *script, int32_t offset, uint32_t *line,
		    uint32_t *column)
{
	int64_t in_file, in_line;
	uint32_t l, c;

	if (offset < 0 || !v8_lines_find(&script->lines, (uint32_t)offset, &l, &c))
		return false;
	in_file = 1 + (int64_t)l + script->first_line;
	in_line = 1 + (int64_t)c + (l ? 0 : script->first_column);
	if (in_file < 1) /* vm.Script takes a lineOffset below 0 */
		return false;
	*line = (uint32_t)in_file;
	*column = in_line < 1 ? 0 : (uint32_t)in_line;
	return true;
}

/* Scripts. */

/* A string's text if there is one and it is not empty. */
static int scripts_read_text(struct v8_look *look, uint64_t string, char text[V8_TEXT_MAX])
{
	uint32_t length;

	text[0] = '\0';
	if (!v8_is_object(string) || v8_string_length(look, string, &length))
		return 0; /* undefined, or a symbol */
	return v8_string_text(look, string, text);
}

static int read_script_name(struct v8_look *look, const uint8_t *head, char **name)
{
	const struct v8_layout *l = look->layout;
	char text[V8_TEXT_MAX];
	int rc = scripts_read_text(look, memory_word(head, (size_t)l->script_url), text);

	if (!rc && !*text)
		rc = scripts_read_text(look, memory_word(head, (size_t)l->script_name), text);
	if (rc)
		return rc;
	*name = strdup(*text ? text : "<anonymous>");
	return *name ? 0 : ERR_NOMEM;
}

static int read_script(struct v8_look *look, struct v8_script *script, const uint8_t *head)
{
	const struct v8_layout *l = look->layout;
	int rc;

	script->first_line = v8_smi(memory_word(head, (size_t)l->script_line));
	script->first_column = v8_smi(memory_word(head, (size_t)l->script_column));
	script->eval = v8_smi(memory_word(head, (size_t)l->script_flags)) & EVAL;
	rc = read_script_name(look, head, &script->name);
	rc = rc ? rc : scripts_read_lines(look, head, &script->lines);
	look->kept += script->lines.room * sizeof(*script->lines.ends);
	return rc;
}

static void free_script(struct v8_script *script)
{
	free(script->name);
	v8_lines_release(&script->lines);
	free(script);
}

static bool scripts_is_at(const void *owner, uint32_t id, const void *key)
{
	return !memcmp(((const struct v8_objects *)owner)->all[id], key, sizeof(uint64_t));
}

static uint32_t scripts_find(const struct v8_objects *o, uint64_t addr)
{
	return hashindex_find(&o->index, hash_bytes(&addr, sizeof(addr)), scripts_is_at, o, &addr);
}

/* Adds an object. The one that was at its address before, number `before`, stays, but is not found
 * any more: the two change places. */
static int scripts_add(struct v8_objects *o, void *object, uint32_t before)
{
	if (room_for((void **)&o->all, &o->room, o->count + 1, sizeof(*o->all)))
		return ERR_NOMEM;
	o->all[o->count] = object;
	if (before != HASHINDEX_NONE) {
		o->all[o->count] = o->all[before];
		o->all[before] = object;
	} else if (hashindex_add(&o->index, hash_bytes(object, sizeof(uint64_t)),
				 (uint32_t)o->count)) {
		return ERR_NOMEM;
	}
	o->count++;
	return 0;
}

static int get_script(struct v8_scripts *s, struct v8_look *look, uint64_t object,
		      const struct v8_script **script)
{
	const struct v8_layout *l = look->layout;
	uint32_t id = scripts_find(&s->scripts, object);
	struct v8_script now = { .addr = object }, *made;
	const struct v8_script *before = id == HASHINDEX_NONE ? NULL : s->scripts.all[id];
	uint8_t head[SCRIPT_HEAD];
	int type, rc;

	if (v8_look_head(look, object, head, (size_t)l->script_bytes, &type) ||
	    type != l->script_type)
		return ERR_FORMAT;
	now.source = memory_word(head, (size_t)l->script_source);
	now.name_object = memory_word(head, (size_t)l->script_name);
	now.id = v8_smi(memory_word(head, (size_t)l->script_id));
	if (before && before->source == now.source && before->name_object == now.name_object &&
	    before->id == now.id) {
		*script = before;
		return 0;
	}
	made = malloc(sizeof(*made));
	if (!made)
		return ERR_NOMEM;
	*made = now;
	rc = read_script(look, made, head);
	rc = rc || v8_look_holds(look) ? rc : ERR_FORMAT;
	rc = rc ? rc : scripts_add(&s->scripts, made, id);
	if (rc)
		free_script(made);
	else
		*script = made;
	return rc;
}

/* Functions. */

static uint64_t scripts_slot(struct v8_look *look, uint64_t scope, uint32_t i)
{
	uint64_t word = 0;

	return v8_load(look->rt, scope, (int32_t)(8 + 8 * i), &word) ? word : 0;
}

/* Where a function starts is in two Smis, start and end. */
static int32_t read_start(struct v8_look *look, uint64_t scope, uint32_t i)
{
	uint64_t start = scripts_slot(look, scope, i), end = scripts_slot(look, scope, i + 1);

	if (!v8_is_smi(start) || !v8_is_smi(end) || v8_smi(start) < 0 ||
	    v8_smi(end) < v8_smi(start))
		return -1;
	return v8_smi(start);
}

static bool has_receiver(uint32_t flags)
{
	uint32_t where = flags >> SCOPE_RECEIVER_SHIFT & 3;

	return where == 1 || where == 2;
}

/* What a ScopeInfo tells of its function. */
static int read_scope(struct v8_look *look, uint64_t scope, char text[V8_TEXT_MAX], int32_t *start)
{
	const struct v8_layout *l = look->layout;
	uint8_t head[SCOPE_HEAD];
	int type, rc = 0;
	uint64_t word;
	uint32_t flags, locals, i = (uint32_t)l->scope_first;

	text[0] = '\0';
	if (v8_look_head(look, scope, head, sizeof(head), &type) || type != l->scope_type)
		return ERR_FORMAT;
	word = memory_word(head, 8); /* a Smi, later 32 bits */
	flags = (uint32_t)word ? (uint32_t)word : (uint32_t)(word >> 32);
	locals = (uint32_t)v8_smi(memory_word(head, (size_t)(8 + 8 * l->scope_locals)));
	if (locals > SCOPE_LOCALS_MAX)
		return ERR_FORMAT;
	i += (flags & SCOPE_KIND) == (uint32_t)l->scope_module;
	i += locals + (l->scope_names_hashed && locals >= SCOPE_NAMES_INLINE ? 1 : locals);
	i += flags & SCOPE_CLASS_VARIABLE ? 1 : 0;
	i += l->scope_has_receiver && has_receiver(flags);
	if (flags & SCOPE_FUNCTION_NAME) { /* and where the variable of that name is */
		rc = scripts_read_text(look, scripts_slot(look, scope, i), text);
		i += 2;
	}
	if (flags & SCOPE_INFERRED_NAME) {
		if (!rc && !*text)
			rc = scripts_read_text(look, scripts_slot(look, scope, i), text);
		i++;
	}
	*start = read_start(look, scope, l->scope_positions_first ? SCOPE_POSITIONS : i);
	return rc;
}

/* In a table each function without a name is to have a row of its own. */
static void call_by_place(const struct v8_shared *shared, char text[V8_TEXT_MAX])
{
	const char *base = strrchr(shared->script->name, '/');
	const char *name = base ? base + 1 : shared->script->name;
	int whole = (int)utf8_fit(name, strlen(name), PLACE_NAME);
	uint32_t line, column;

	if (shared->script->eval)
		strcpy(text, "eval");
	else if (shared->start < 0 ||
		 !v8_script_line(shared->script, shared->start, &line, &column))
		strcpy(text, "(anonymous)");
	else
		snprintf(text, V8_TEXT_MAX, "(anonymous %.*s:%u:%u)", whole, name, line, column);
}

static int read_shared(struct v8_look *look, struct v8_shared *shared)
{
	char text[V8_TEXT_MAX];
	uint8_t head[16];
	int type, rc;

	shared->start = -1;
	if (v8_is_object(shared->name_object) &&
	    !v8_look_head(look, shared->name_object, head, sizeof(head), &type) &&
	    type == look->layout->scope_type)
		rc = read_scope(look, shared->name_object, text, &shared->start);
	else
		rc = scripts_read_text(look, shared->name_object, text);
	if (rc)
		return rc;
	if (!*text)
		call_by_place(shared, text);
	shared->name = strdup(text);
	return shared->name ? 0 : ERR_NOMEM;
}

/* With coverage or a debugger, up to Node 20, the script is behind a DebugInfo. */
static int find_script(struct v8_look *look, uint64_t *object)
{
	uint8_t head[64];
	int type;

	if (v8_look_head(look, *object, head, 8, &type))
		return ERR_FORMAT;
	if (type != look->layout->debug_info_type)
		return 0;
	if (v8_look_head(look, *object, head, sizeof(head), &type))
		return ERR_FORMAT;
	*object = v8_moved(look->rt, memory_word(head, (size_t)look->layout->debug_info_script));
	return 0;
}

uint32_t v8_script_number(struct v8_look *look, uint64_t object)
{
	uint64_t id;

	object = v8_moved(look->rt, object);
	return !find_script(look, &object) &&
			       v8_type(look->rt, object) == look->layout->script_type &&
			       v8_load(look->rt, object, look->layout->script_id, &id) ?
		       (uint32_t)v8_smi(id) :
		       0;
}

/* A function has a number of its own in its script, and the script in the program. Functions that
 * are made alike, and collected, have the same addresses. */
static bool scripts_is_same(const struct v8_shared *a, const struct v8_shared *b)
{
	return a->script == b->script && a->literal == b->literal &&
	       a->name_object == b->name_object;
}

int v8_shared_get(struct v8_scripts *s, struct v8_look *look, uint64_t object,
		  const struct v8_shared **shared)
{
	const struct v8_layout *l = look->layout;
	uint32_t id = scripts_find(&s->functions, object);
	struct v8_shared now = { .addr = object }, *made;
	const struct v8_shared *before = id == HASHINDEX_NONE ? NULL : s->functions.all[id];
	uint64_t script;
	uint8_t head[V8_HEAD_MAX];
	int type, rc;

	if (v8_look_head(look, object, head, (size_t)l->shared_bytes, &type) ||
	    type != look->rt->t.shared_type)
		return ERR_FORMAT;
	now.name_object = v8_moved(look->rt, memory_word(head, (size_t)l->shared_name));
	script = v8_moved(look->rt, memory_word(head, (size_t)l->shared_script));
	memcpy(&now.literal, head + l->shared_literal, sizeof(now.literal));
	rc = find_script(look, &script);
	rc = rc ? rc : get_script(s, look, script, &now.script);
	if (!rc && before && scripts_is_same(before, &now)) {
		*shared = before;
		return 0;
	}
	rc = rc ? rc : read_shared(look, &now);
	if (rc || !v8_look_holds(look)) {
		free(now.name);
		return rc ? rc : ERR_FORMAT;
	}
	made = malloc(sizeof(*made));
	if (made)
		*made = now;
	if (!made || scripts_add(&s->functions, made, id)) {
		free(now.name);
		free(made);
		return ERR_NOMEM;
	}
	*shared = made;
	return 0;
}

static void scripts_release(struct v8_objects *o)
{
	free(o->all);
	hashindex_release(&o->index);
	*o = (struct v8_objects){ 0 };
}

void v8_scripts_release(struct v8_scripts *s)
{
	for (size_t i = 0; i < s->scripts.count; i++)
		free_script(s->scripts.all[i]);
	for (size_t i = 0; i < s->functions.count; i++) {
		free(((struct v8_shared *)s->functions.all[i])->name);
		free(s->functions.all[i]);
	}
	scripts_release(&s->scripts);
	scripts_release(&s->functions);
}
