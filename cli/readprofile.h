/*
 * How a command reads a profile: `--max-size SIZE`, and the error that tells of it.
 *
 * A command puts READPROFILE_OPTION into its table of long options, hands what getopt_long
 * returns for it to parse_size, and reads by readprofile.
 */
#ifndef CLI_READPROFILE_H
#define CLI_READPROFILE_H

#include <getopt.h>
#include <stdint.h>

struct error;
struct profile;

/* No letter, and below what commands number their own options from. */
enum { READPROFILE_MAX_SIZE = 0x80 };

#define READPROFILE_OPTION { "max-size", required_argument, NULL, READPROFILE_MAX_SIZE }

/* Makes *p hold what the file at `path` ("-" for the standard input) holds, which may have
 * up to `max_size` bytes when uncompressed (0: 1 GiB), and must be valid (pprof/validate.h).
 * Errors name the file; one of size names the option. *p is initialised here, and the
 * caller's to release only when all went well; to release it all the same is no harm. */
int readprofile(struct profile *p, const char *path, uint64_t max_size, struct error *err);

#endif
