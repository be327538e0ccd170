/*
 * V8's embedded builtins: interpreter, stubs, the library's functions. Their code is in the text of
 * the executable or of libnode, without CFI. A symbol for each is in .symtab, if that was not
 * stripped; else V8's own tables have their places and names.
 */
#ifndef RUNTIMES_V8_HEAP_BUILTINS_H
#define RUNTIMES_V8_HEAP_BUILTINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct v8_place;

struct v8_builtin {
	uint64_t start; /* image address */
	uint32_t size;	/* bytes */
	uint32_t name;	/* where in `names`; 0: a symbol has it */
	bool continues; /* it is jumped to, with a frame set up */
	bool hidden;	/* V8's own business: no function that a program calls */
};

struct v8_builtins {
	struct v8_builtin *all; /* owned; by start */
	size_t count, room;
	char *names; /* owned */
	size_t names_len, names_room;
};

/* Finds them in V8 of a release. {0} has none. ERR_NOTFOUND: nothing tells where they are;
 * ERR_BUSY: V8 has not been set up yet; ERR_NOMEM. */
int v8_builtins_read(struct v8_builtins *b, const struct v8_place *at, int release);
void v8_builtins_release(struct v8_builtins *b);

/* The builtin that holds an image address; NULL: none does. */
const struct v8_builtin *v8_builtins_find(const struct v8_builtins *b, uint64_t addr);

/* Adds one, whose name is without its prefix "Builtins_"; if `keep`, its name is kept. ERR_NOMEM.
 * For v8_builtins_read and the next one only. */
int v8_builtins_add(struct v8_builtins *b, uint64_t start, uint64_t size, const char *name,
		    bool keep);

/* As v8_builtins_read, by V8's own tables. */
int v8_builtins_read_tables(struct v8_builtins *b, const struct v8_place *at, int release);

#endif
