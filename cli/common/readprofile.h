/*
 * How a command reads a profile: `--max-size SIZE`, and the error that mentions it.
 *
 * A command puts READPROFILE_OPTION into its table of long options, passes the option's value to
 * parse_size, and reads with readprofile.
 */
#ifndef CLI_COMMON_READPROFILE_H
#define CLI_COMMON_READPROFILE_H

#include <getopt.h>
#include <stdint.h>

struct error;
struct profile;

/* Not a letter, and below the numbers of the commands' own options. */
enum { READPROFILE_MAX_SIZE = 0x80 };

#define READPROFILE_OPTION { "max-size", required_argument, NULL, READPROFILE_MAX_SIZE }

/* Reads the profile in the file at `path` ("-": the standard input). It may have up to `max_size`
 * bytes when uncompressed (0: 1 GiB), and must be valid (pprof/validate.h). Initialises *p, which
 * the caller releases after success; to release it after an error is harmless. Errors name the
 * file, ERR_LIMIT also the option. Errors as of profile_read and profile_validate. */
int readprofile(struct profile *p, const char *path, uint64_t max_size, struct error *err);

#endif
