// links: rounds/batch
/* The contents of a folder of batches: any names, and any first bytes of an event.json. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rounds/batch/event.h"
#include "rounds/batch/name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
	if (!good)
		abort();
}

static void check_hidden(const char *name)
{
	char key_text[BATCH_KEY_ROOM], again[BATCH_HIDDEN_ROOM];
	enum batch_hidden kind = batch_hidden_parse(name, key_text);

	if (kind == BATCH_VISIBLE)
		return;
	must(strlen(key_text) < BATCH_KEY_ROOM && !strchr(key_text, '/'));
	batch_lock_name(key_text, again);
	must(kind != BATCH_LOCK || !strcmp(name, again));
	batch_temporary_name(key_text, 0, again);
	must(kind != BATCH_TEMPORARY || !strncmp(name, again, strlen(again) - 1));
}

static void check_key(const char *key)
{
	char text[BATCH_KEY_ROOM], name[BATCH_HIDDEN_ROOM], again[BATCH_KEY_ROOM];

	batch_key_text(key, text);
	batch_lock_name(text, name);
	must(batch_hidden_parse(name, again) == BATCH_LOCK && !strcmp(text, again));
	must(batch_file_name_ok(text) || *text == '.');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[BATCH_NAME_ROOM], key_text[BATCH_KEY_ROOM], *name = malloc(size + 1);
	struct batch_name n;

	memcpy(name, data, size);
	name[size] = '\0';
	if (batch_name_parse(name, &n)) {
		batch_name_text(&n, text);
		must(!strcmp(name, text));
	}
	check_hidden(name);
	check_key(name);
	if (event_is_of(data, size, "s", key_text))
		must(strlen(key_text) < BATCH_KEY_ROOM);
	free(name);
	return 0;
}
