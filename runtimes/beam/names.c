/*
 * The names of frames, as the languages' own stack traces have them: Erlang's lists:sort/1,
 * Elixir's Enum.map/2, whose module is the atom 'Elixir.Enum', and in Elixir's modules "anonymous
 * fn/1 in Enum.map/2" for the function '-map/2-fun-0-'. Atoms are not quoted.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "runtimes/beam/functions.h"

enum { NAME_BYTES = 3 * BEAM_ATOM_BYTES, FILE_BYTES = BEAM_FILE_BYTES };

static const char ELIXIR[] = "Elixir.";

static bool is_elixir(const char *module)
{
	return !strncmp(module, ELIXIR, sizeof(ELIXIR) - 1);
}

/* "-map/2-fun-0-": *inside is "map/2", of `len` bytes. */
static bool is_anonymous(const char *function, const char **inside, int *len)
{
	const char *end = strstr(function, "-fun-");

	if (*function != '-' || !end || end == function)
		return false;
	*inside = function + 1;
	*len = (int)(end - *inside);
	return *len > 0;
}

static void beam_names_write_name(char *name, const char *module, const char *function,
				  unsigned arity)
{
	const char *inside;
	int len;

	if (!is_elixir(module))
		snprintf(name, NAME_BYTES, "%s:%s/%u", module, function, arity);
	else if (is_anonymous(function, &inside, &len))
		snprintf(name, NAME_BYTES, "anonymous fn/%u in %s.%.*s", arity,
			 module + sizeof(ELIXIR) - 1, len, inside);
	else
		snprintf(name, NAME_BYTES, "%s.%s/%u", module + sizeof(ELIXIR) - 1, function,
			 arity);
}

/* Without another name, a module's file is called like the module. */
static void write_file(const struct beam_runtime *rt, const struct beam_key *key,
		       const char *module, char *file)
{
	*file = '\0';
	if (key->file == BEAM_FILE_OF_MODULE)
		snprintf(file, FILE_BYTES, "%s.erl", module);
	else if (key->file != BEAM_NO_FILE)
		snprintf(file, FILE_BYTES, "%s", strset_get(&rt->files, key->file));
}

static int function_names(const struct beam_runtime *rt, const struct managed_frame *frame,
			  struct arena *arena, struct managed_names *names)
{
	char module[BEAM_ATOM_BYTES], function[BEAM_ATOM_BYTES], name[NAME_BYTES], file[FILE_BYTES];
	struct managed_name *to = &names->at[0];
	struct beam_key key;

	beam_key_unpack(frame, &key);
	if (!beam_atom_text(rt, key.module, module) || !beam_atom_text(rt, key.function, function))
		return ERR_FORMAT;
	write_file(rt, &key, module, file);
	beam_names_write_name(name, module, function, key.arity);
	to->name = arena_copy(arena, name, strlen(name));
	to->file = arena_copy(arena, file, strlen(file));
	to->line = key.line;
	names->count = 1;
	return to->name && to->file ? 0 : ERR_NOMEM;
}

int beam_names(void *rt, const struct managed_frame *frame, struct arena *arena,
	       struct managed_names *names)
{
	switch ((enum beam_frame_kind)frame->kind) {
	case BEAM_UNKNOWN:
		return ERR_FORMAT;
	case BEAM_HIDDEN:
		return 0;
	case BEAM_FUNCTION:
		return function_names(rt, frame, arena, names);
	}
	return ERR_FORMAT;
}
