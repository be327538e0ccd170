/* A goroutine dump as it comes: from a file, the standard input or a URL, gzip'd or not. */
#ifndef CLI_GOPARSE_INPUT_H
#define CLI_GOPARSE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct goinput;
struct httpoptions;

/* Opens a file, "-" for the standard input, a URL (cli/goparse_url.h) as `http` says. `name` is
 * what errors call it, and must live as long. ERR_IO, ERR_FORMAT, ERR_NOMEM, those of http_open. */
int goinput_open(struct goinput **in, const char *path, const char *name,
		 const struct httpoptions *http, struct error *err);
void goinput_close(struct goinput *in);

/* Up to `len` bytes, *got 0 at the end; `in` is a struct goinput: this is a goparse_reader.
 * ERR_IO, ERR_FORMAT (broken gzip data), ERR_NOMEM, those of http_read. */
int goinput_read(void *in, void *buf, size_t len, size_t *got, struct error *err);

/* Did reading end in an error? What came before it has been given. */
bool goinput_failed(const struct goinput *in);

/* When the dump was taken, as far as anybody knows: when the file was changed last, when the
 * server says that it answered, or now. In nanoseconds since 1970. */
int64_t goinput_time(const struct goinput *in);

/* What it is instead of a dump, by its first bytes, and what reads that; NULL when they do not
 * say. */
const char *goinput_hint(const struct goinput *in);

#endif
