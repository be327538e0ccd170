/*
 * What the target's environment says of it: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
 *
 * No other variable is looked at: environments hold passwords.
 *
 * Source: OpenTelemetry specification, "Resource SDK", Specifying resource information via an
 * environment variable; "Environment Variable Specification", General SDK Configuration.
 */
#ifndef ROUNDS_RESOURCE_ENVIRON_H
#define ROUNDS_RESOURCE_ENVIRON_H

#include <stddef.h>

struct attributes;

/* Adds the attributes of an environment (process_read_environ). OTEL_SERVICE_NAME replaces a
 * service.name among the attributes. ERR_NOMEM. */
int environ_read(const void *data, size_t len, struct attributes *to);

/* Adds the attributes of "key=value,key=value", where keys and values may be percent-encoded. If
 * any part breaks this form, the whole text is left out, as the specification says. ERR_NOMEM. */
int environ_pairs(const char *text, size_t len, struct attributes *to);

#endif
