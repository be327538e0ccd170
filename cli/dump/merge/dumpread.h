/* Reads what `dump --json` writes, an object for each process, to be merged. */
#ifndef CLI_DUMP_MERGE_DUMPREAD_H
#define CLI_DUMP_MERGE_DUMPREAD_H

#include <stddef.h>

struct error;
struct merged;

/* Adds the processes of a file, untrusted bytes; `host` as in merged.h. ERR_FORMAT, with the offset
 * in bytes: the bytes are no dump; what came before is added; ERR_NOMEM. */
int dumpread(struct merged *m, const char *host, const void *data, size_t len, struct error *err);

#endif
