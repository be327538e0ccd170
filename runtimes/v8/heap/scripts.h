/*
 * Scripts, and the functions in them: V8's Script and SharedFunctionInfo.
 *
 * Both are kept by address, and are the same as before if the script's number is, and the
 * function's in it. The collector may move them; then they are read anew.
 */
#ifndef RUNTIMES_V8_HEAP_SCRIPTS_H
#define RUNTIMES_V8_HEAP_SCRIPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "runtimes/v8/heap/lines.h"

struct v8_look;

struct v8_script {
	uint64_t addr; /* tagged, as all addresses here */
	uint64_t source, name_object;
	int32_t id;
	bool eval;
	int32_t first_line, first_column; /* of its first character in the file, both from 0 on */
	char *name;			  /* owned */
	struct v8_lines lines;		  /* empty: not known */
};

/* A function, as often as it may be instantiated or compiled. */
struct v8_shared {
	uint64_t addr;
	uint64_t name_object;
	int32_t literal;
	char *name; /* owned */
	const struct v8_script *script;
	int32_t start; /* in the source; -1: not known */
};

/* Structures of one kind, each of which begins with the address of its object. */
struct v8_objects {
	void **all; /* owned */
	size_t count, room;
	struct hashindex index; /* of the newest ones at their addresses */
};

/* {0} is empty. */
struct v8_scripts {
	struct v8_objects scripts, functions; /* struct v8_script, struct v8_shared */
};

void v8_scripts_release(struct v8_scripts *s);

/* The function of a SharedFunctionInfo; valid until v8_scripts_release, if the look holds.
 * ERR_FORMAT: it cannot be read; ERR_NOMEM. */
int v8_shared_get(struct v8_scripts *s, struct v8_look *look, uint64_t object,
		  const struct v8_shared **shared);

/* The number of a Script, or of the one that a DebugInfo is about. V8 gives no number twice. 0: it
 * is neither. */
uint32_t v8_script_number(struct v8_look *look, uint64_t object);

/* The line and column of a character of the script, both from 1 on. False: they are not known, or
 * the line is in front of the file (vm.Script's lineOffset may be below 0; so may columnOffset: 0
 * then). */
bool v8_script_line(const struct v8_script *script, int32_t offset, uint32_t *line,
		    uint32_t *column);

#endif
