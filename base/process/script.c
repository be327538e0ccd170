/* A table has each interpreter's options whose value is an argument of its own, and those after
 * which the code stands in the arguments. `-m module`, `-f file` and `-jar file` need no entry:
 * what follows them is the script. */
#include "base/process/script.h"

#include <stdbool.h>
#include <string.h>

static const struct script_interpreter {
	const char *name;   /* of its file, before the digits of a release */
	const char *valued; /* each between blanks */
	const char *code;
} script_interpreters[] = {
	{ "python", " -W -X --check-hash-based-pycs ", " -c " },
	{ "pypy", " -W -X ", " -c " },
	{ "ruby", " -C -E -I -r ", " -e " },
	{ "perl", " -I ", " -e -E " },
	{ "node", " -r --require --import -C --conditions ", " -e --eval -p --print -pe " },
	{ "php", " -c -d -z ", " -r -B -R -E " },
	{ "java", " -cp -classpath --class-path -p --module-path --add-modules ", "" },
	{ "bash", " -o +o -O --rcfile --init-file ", " -c " },
	{ "dash", " -o +o ", " -c " },
	{ "sh", " -o +o ", " -c " },
};

static const struct script_interpreter *script_interpreter(const char *program)
{
	for (size_t i = 0; i < sizeof(script_interpreters) / sizeof(*script_interpreters); i++) {
		const char *name = script_interpreters[i].name;
		size_t len = strlen(name);

		if (!strncmp(program, name, len) &&
		    !program[len + strspn(program + len, "0123456789.")])
			return &script_interpreters[i];
	}
	return NULL;
}

/* Is the word among those of a list of the table? */
static bool script_lists(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *at = list;

	while (len && (at = strstr(at, word)) && (at[-1] != ' ' || at[len] != ' '))
		at++;
	return len && at;
}

const char *script_find(const char *program, const char *arguments, size_t size)
{
	const struct script_interpreter *of = script_interpreter(program);
	const char *end = arguments + size;
	const char *at = arguments + strnlen(arguments, size) + 1;

	for (; of && at < end; at += strnlen(at, (size_t)(end - at)) + 1) {
		if (*at != '-' && *at != '+')
			return *at ? at : NULL;
		if (!at[1] || script_lists(of->code, at)) /* "-" is the standard input */
			return NULL;
		if (script_lists(of->valued, at))
			at += strnlen(at, (size_t)(end - at)) + 1;
	}
	return NULL;
}
