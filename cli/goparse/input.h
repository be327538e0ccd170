/* The input of goparse: a dump in a file, on the standard input or at a URL, gzip'd or not. */
#ifndef CLI_GOPARSE_INPUT_H
#define CLI_GOPARSE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct goinput;
struct httpoptions;

/* Opens a file, the standard input ("-"), or a URL (cli/goparse/url.h), which is fetched as
 * `http` says. `name` is the input's name in errors; it must live until goinput_close. ERR_IO,
 * ERR_FORMAT, ERR_NOMEM, those of http_open. */
int goinput_open(struct goinput **in, const char *path, const char *name,
		 const struct httpoptions *http, struct error *err);
void goinput_close(struct goinput *in);

/* Reads up to `len` bytes, uncompressed; *got is 0 at the end. A goparse_reader: `in` is a struct
 * goinput. ERR_IO, ERR_FORMAT (broken gzip data), ERR_NOMEM, those of http_read. */
int goinput_read(void *in, void *buf, size_t len, size_t *got, struct error *err);

/* Did reading end in an error? The bytes before it have been returned. */
bool goinput_failed(const struct goinput *in);

/* The time at which the dump was probably taken, in nanoseconds since 1970: the file's last
 * modification, the server's Date header, or now. */
int64_t goinput_time(const struct goinput *in);

/* For an input without goroutines: what it is instead, by its first bytes, and what reads it.
 * NULL: unknown. */
const char *goinput_hint(const struct goinput *in);

#endif
