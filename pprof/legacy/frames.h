/* The frames that viewers of a legacy profile may leave out, by the kind of profile. */
#ifndef PPROF_LEGACY_FRAMES_H
#define PPROF_LEGACY_FRAMES_H

struct profile;

/* Sets drop_frames and keep_frames as google/pprof's addLegacyFrameInfo does. ERR_NOMEM. */
int legacy_frames(struct profile *p);

#endif
