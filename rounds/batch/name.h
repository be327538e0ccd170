/*
 * Names in a folder of batches: "000017-20261121T175900Z" is a batch, its number and its start
 * time; ".tmp-KEY-3" is a batch that is being made or removed; ".lock-KEY" is the lock of a
 * sampler at work. KEY is batches_options.key in a form that may be part of a file's name.
 */
#ifndef ROUNDS_BATCH_NAME_H
#define ROUNDS_BATCH_NAME_H

#include <stdbool.h>
#include <stdint.h>

enum {
	BATCH_NAME_ROOM = 48, /* with the NUL, for any sequence and start */
	BATCH_KEY_ROOM = 88,
	BATCH_HIDDEN_ROOM = 128,
};

enum batch_hidden { BATCH_VISIBLE, BATCH_LOCK, BATCH_TEMPORARY };

struct batch_name {
	uint64_t sequence;
	int64_t start_s; /* unix time */
};

void batch_name_text(const struct batch_name *n, char text[BATCH_NAME_ROOM]);

/* True: `text` is a name exactly as batch_name_text writes it. Numbers of more than 15 digits
 * are rejected: no count of rounds reaches them, and one more must still be a valid number. */
bool batch_name_parse(const char *text, struct batch_name *n);

/* Keeps letters, digits and "._@+-" of the key, at most its first 64 characters; others become
 * "_". A hash of the whole key is appended, which tells apart keys that look the same then. */
void batch_key_text(const char *key, char text[BATCH_KEY_ROOM]);

/* The name of a key's lock file, and of its n-th temporary folder. */
void batch_lock_name(const char *key_text, char name[BATCH_HIDDEN_ROOM]);
void batch_temporary_name(const char *key_text, uint64_t n, char name[BATCH_HIDDEN_ROOM]);

/* Returns the kind of a name, and sets `key_text` unless that is BATCH_VISIBLE. */
enum batch_hidden batch_hidden_parse(const char *name, char key_text[BATCH_KEY_ROOM]);

/* May a file in a batch have this name? No slash, no dot in front, no more than NAME_MAX. */
bool batch_file_name_ok(const char *name);

#endif
