/* Keys and values are copied into an arena. The list has at most ATTRIBUTES_MAX, so it is searched
 * from its beginning. */
#include "rounds/resource/attributes.h"

#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

void attributes_release(struct attributes *l)
{
	arena_release(&l->arena);
	l->count = 0;
}

bool attribute_key_ok(const char *key, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (key[i] <= ' ' || key[i] > '~')
			return false;
	return len && len <= ATTRIBUTE_KEY_MAX;
}

bool attribute_value_ok(const char *value, size_t len)
{
	size_t left = len, size;

	if (!len || len > ATTRIBUTE_VALUE_MAX)
		return false;
	for (; left; value += size, left -= size) {
		uint32_t c = utf8_next(value, left, &size);

		if (c < ' ' || (c >= 0x7f && c < 0xa0) || (c == UTF8_REPLACEMENT && size == 1))
			return false;
	}
	return true;
}

static bool attributes_has(const struct attributes *l, const char *key, size_t len)
{
	for (size_t i = 0; i < l->count; i++)
		if (strlen(l->list[i].key) == len && !memcmp(l->list[i].key, key, len))
			return true;
	return false;
}

int attributes_add(struct attributes *l, const char *key, size_t key_len, const char *value,
		   size_t value_len)
{
	struct attribute made;

	if (l->count == ATTRIBUTES_MAX || !attribute_key_ok(key, key_len) ||
	    !attribute_value_ok(value, value_len) || attributes_has(l, key, key_len))
		return 0;
	made.key = arena_copy(&l->arena, key, key_len);
	made.value = arena_copy(&l->arena, value, value_len);
	if (!made.key || !made.value)
		return ERR_NOMEM;
	l->list[l->count++] = made;
	return 0;
}

int attributes_addz(struct attributes *l, const char *key, const char *value)
{
	return attributes_add(l, key, strlen(key), value, strlen(value));
}

int attributes_add_all(struct attributes *l, const struct attributes *from)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < from->count; i++)
		rc = attributes_addz(l, from->list[i].key, from->list[i].value);
	return rc;
}

const char *attributes_find(const struct attributes *l, const char *key)
{
	for (size_t i = 0; i < l->count; i++)
		if (!strcmp(l->list[i].key, key))
			return l->list[i].value;
	return NULL;
}
