/* Encodes a profile into the bytes of profile.proto, gzip'd or not. The same profile
 * always gives the same bytes. */
#ifndef PPROF_WIRE_ENCODE_H
#define PPROF_WIRE_ENCODE_H

struct buffer;
struct error;
struct outfile;
struct profile;

/* Appends the uncompressed message to `out`. ERR_NOMEM. */
int profile_encode(const struct profile *p, struct buffer *out, struct error *err);

/* Encodes, compresses (gzip, mtime 0) and appends. ERR_NOMEM. */
int profile_pack(const struct profile *p, struct buffer *out, struct error *err);

/* Encodes, compresses (gzip, mtime 0) and writes. ERR_NOMEM, ERR_IO. The
 * caller commits the file. */
int profile_write(const struct profile *p, struct outfile *file, struct error *err);

/* The same without compression, piece by piece: the whole is never in memory. */
int profile_write_plain(const struct profile *p, struct outfile *file, struct error *err);

#endif
