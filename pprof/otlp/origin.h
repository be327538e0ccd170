/*
 * What a profile contains about the origin of its code, by OpenTelemetry's semantic conventions. An
 * origin that it does not contain is not guessed. Internal to pprof/otlp/.
 */
#ifndef PPROF_OTLP_ORIGIN_H
#define PPROF_OTLP_ORIGIN_H

struct profile;
struct profile_location;
struct profile_mapping;

/* The attribute that a mapping's build ID belongs into; NULL if it has none. */
const char *otlp_build_id_key(const struct profile *p, const struct profile_mapping *m);

/* A value of profile.frame.type; NULL: not known. */
const char *otlp_frame_type(const struct profile *p, const struct profile_location *l);

#endif
