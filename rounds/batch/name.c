/* A name is parsed and then written again: only one that comes out equal is a batch's. A key has
 * its hash behind it, since characters that a file's name cannot have are replaced. */
#include "rounds/batch/name.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

enum { DIGITS_MIN = 6, DIGITS_MAX = 15, KEY_KEPT = 64, HASH_DIGITS = 16 };

static const char lock_prefix[] = ".lock-", temporary_prefix[] = ".tmp-", decimal[] = "0123456789",
		  hex[] = "0123456789abcdef",
		  safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@+-";

void batch_name_text(const struct batch_name *n, char text[BATCH_NAME_ROOM])
{
	time_t start = n->start_s;
	char when[24];
	struct tm tm;

	/* A clock beyond the year 9999 is broken, but the batch needs a valid name. */
	if (!gmtime_r(&start, &tm) || !strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &tm) ||
	    strlen(when) != strlen("YYYYmmddTHHMMSSZ"))
		strcpy(when, "00000101T000000Z");
	snprintf(text, BATCH_NAME_ROOM, "%0*lu-%s", DIGITS_MIN, n->sequence, when);
}

bool batch_name_parse(const char *text, struct batch_name *n)
{
	size_t digits = strspn(text, decimal);
	char again[BATCH_NAME_ROOM];
	struct tm tm = { 0 };
	const char *end;

	if (digits < DIGITS_MIN || digits > DIGITS_MAX || text[digits] != '-')
		return false;
	end = strptime(text + digits, "-%Y%m%dT%H%M%SZ", &tm);
	if (!end || *end)
		return false;
	n->sequence = strtoull(text, NULL, 10);
	n->start_s = timegm(&tm);
	batch_name_text(n, again);
	return !strcmp(text, again);
}

void batch_key_text(const char *key, char text[BATCH_KEY_ROOM])
{
	size_t len = 0;

	for (; key[len] && len < KEY_KEPT; len++)
		text[len] = strchr(safe, key[len]) ? key[len] : '_';
	snprintf(text + len, BATCH_KEY_ROOM - len, "-%0*lx", HASH_DIGITS,
		 XXH3_64bits(key, strlen(key)));
}

void batch_lock_name(const char *key_text, char name[BATCH_HIDDEN_ROOM])
{
	snprintf(name, BATCH_HIDDEN_ROOM, "%s%s", lock_prefix, key_text);
}

void batch_temporary_name(const char *key_text, uint64_t n, char name[BATCH_HIDDEN_ROOM])
{
	snprintf(name, BATCH_HIDDEN_ROOM, "%s%s-%lu", temporary_prefix, key_text, n);
}

static bool is_key_text(const char *text, size_t len)
{
	const char *hash = text + len - HASH_DIGITS;

	return len > HASH_DIGITS && len < BATCH_KEY_ROOM && strspn(text, safe) >= len &&
	       hash[-1] == '-' && strspn(hash, hex) >= HASH_DIGITS;
}

enum batch_hidden batch_hidden_parse(const char *name, char key_text[BATCH_KEY_ROOM])
{
	enum batch_hidden kind = BATCH_LOCK;
	const char *key = name + strlen(lock_prefix);
	size_t len;

	if (!strncmp(name, temporary_prefix, strlen(temporary_prefix))) {
		const char *dash = strrchr(name, '-');

		key = name + strlen(temporary_prefix);
		kind = BATCH_TEMPORARY;
		if (dash < key || !dash[1] || dash[1 + strspn(dash + 1, decimal)])
			return BATCH_VISIBLE;
		len = (size_t)(dash - key);
	} else if (!strncmp(name, lock_prefix, strlen(lock_prefix))) {
		len = strlen(key);
	} else {
		return BATCH_VISIBLE;
	}
	if (!is_key_text(key, len))
		return BATCH_VISIBLE;
	memcpy(key_text, key, len);
	key_text[len] = '\0';
	return kind;
}

bool batch_file_name_ok(const char *name)
{
	return *name && *name != '.' && strlen(name) <= NAME_MAX && !strchr(name, '/');
}
