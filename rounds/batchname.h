/*
 * Names in a folder of batches: "000017-20261121T175900Z" is a batch, its number and when it
 * began; ".tmp-KEY-3" one that is being made, or removed; ".lock-KEY" says that somebody is
 * at work. KEY is a form of batches_options.key that may be part of a file's name.
 */
#ifndef ROUNDS_BATCHNAME_H
#define ROUNDS_BATCHNAME_H

#include <stdbool.h>
#include <stdint.h>

enum {
	BATCH_NAME_ROOM = 48, /* with the NUL, whatever the numbers are */
	BATCH_KEY_ROOM = 88,
	BATCH_HIDDEN_ROOM = 128,
};

enum batch_hidden { BATCH_VISIBLE, BATCH_LOCK, BATCH_TEMPORARY };

struct batch_name {
	uint64_t sequence;
	int64_t start_s; /* unix time */
};

/* The name of a batch. */
void batch_name_text(const struct batch_name *n, char text[BATCH_NAME_ROOM]);

/* Is it one, exactly as batch_name_text writes it? Numbers of more than 15 digits are not:
 * they are nobody's count of rounds, and one more than they must stay a number. */
bool batch_name_parse(const char *text, struct batch_name *n);

/* Letters, digits and "._@+-" of the key stay, up to 64 of them; a hash of the whole tells
 * those apart that look the same then. */
void batch_key_text(const char *key, char text[BATCH_KEY_ROOM]);

/* Names of the lock, and of the n-th temporary folder, of a key's text. */
void batch_lock_name(const char *key_text, char name[BATCH_HIDDEN_ROOM]);
void batch_temporary_name(const char *key_text, uint64_t n, char name[BATCH_HIDDEN_ROOM]);

/* What kind of name is it, and the text of whose key? */
enum batch_hidden batch_hidden_parse(const char *name, char key_text[BATCH_KEY_ROOM]);

/* May a file in a batch have this name? One that is no path and does not hide. */
bool batch_file_name_ok(const char *name);

#endif
