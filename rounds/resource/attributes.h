/*
 * A list of attributes, "container.id" = "4c01db0b…", found in texts that the target may have
 * written. A text that is not plain is left out whole: a part of a name would be another name. The
 * first attribute of a key stays, so sources are read in the order of their trust.
 */
#ifndef ROUNDS_RESOURCE_ATTRIBUTES_H
#define ROUNDS_RESOURCE_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* In bytes. Pyroscope accepts values of 2,048, SDKs publish up to 4,096. */
enum { ATTRIBUTES_MAX = 64, ATTRIBUTE_KEY_MAX = 128, ATTRIBUTE_VALUE_MAX = 1024 };

struct attribute {
	const char *key, *value;
};

/* {0} is empty. */
struct attributes {
	struct attribute list[ATTRIBUTES_MAX];
	size_t count;
	struct arena arena; /* owns all texts */
};

void attributes_release(struct attributes *l);

/* May an attribute have this key: printable ASCII without a blank, 1 to ATTRIBUTE_KEY_MAX bytes? */
bool attribute_key_ok(const char *key, size_t len);

/* May an attribute have this value: UTF-8 without control characters (C0, DEL, C1), 1 to
 * ATTRIBUTE_VALUE_MAX bytes? */
bool attribute_value_ok(const char *value, size_t len);

/* Adds a copy of the attribute, unless its key is there already, key or value are not as above, or
 * the list is full. ERR_NOMEM. */
int attributes_add(struct attributes *l, const char *key, size_t key_len, const char *value,
		   size_t value_len);

/* The same for C strings. */
int attributes_addz(struct attributes *l, const char *key, const char *value);

/* Adds all attributes of `from`. ERR_NOMEM. */
int attributes_add_all(struct attributes *l, const struct attributes *from);

/* The value of a key, or NULL. Borrowed until attributes_release. */
const char *attributes_find(const struct attributes *l, const char *key);

#endif
