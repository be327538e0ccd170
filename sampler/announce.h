/* Which symbolizer speaks for an image, and what it will be asked. */
#ifndef SAMPLER_ANNOUNCE_H
#define SAMPLER_ANNOUNCE_H

struct image;
struct round;
struct symbolizer;

/* Debug files and perf maps are looked for where the image's process sees them.
 * `symbolizers` are the members'. */
struct symbolizer *announce_symbolizer(const struct round *r, struct symbolizer *const *symbolizers,
				       const struct image *image);

/* Tells each symbolizer all addresses that it will be asked for (symbolizer_prepare).
 * ERR_NOMEM. */
int announce(const struct round *r, struct symbolizer *const *symbolizers);

#endif
