/* The form of a build ID tells which linker made it, the ending of a source file's name which
 * language a frame is of. */
#include "pprof/otlp/origin.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "pprof/profile.h"

static const char *origin_text_of(const struct profile *p, uint32_t string)
{
	return strset_get(&p->strings, string);
}

/* Go's own build ID has four parts with slashes between (cmd/go/internal/work/buildid.go); the GNU
 * linker's is a row of hexadecimal digits. */
const char *otlp_build_id_key(const struct profile *p, const struct profile_mapping *m)
{
	const char *id = origin_text_of(p, m->build_id);

	if (!*id)
		return NULL;
	return strchr(id, '/') ? "process.executable.build_id.go" :
				 "process.executable.build_id.gnu";
}

static bool origin_ends_in(const char *text, const char *ending)
{
	size_t len = strlen(text), end = strlen(ending);

	return len > end && !strcmp(text + len - end, ending);
}

/* The name of the innermost line's source file; "" if it has none. */
static const char *source_of(const struct profile *p, const struct profile_location *l)
{
	uint32_t function = l->lines ? p->lines[l->first_line].function : 0;

	return function ? origin_text_of(p, p->functions[function - 1].filename) : "";
}

/* Only an ELF file has a build ID, so code of a mapping with one was compiled to it. Code in
 * memory that a just-in-time compiler wrote has none, and no type. "native" may stand for Go and
 * Rust, too, where the source's name is not known. */
const char *otlp_frame_type(const struct profile *p, const struct profile_location *l)
{
	const struct profile_mapping *m = l->mapping ? &p->mappings[l->mapping - 1] : NULL;
	const char *source = source_of(p, l), *file = m ? origin_text_of(p, m->filename) : "";

	if (!strncmp(file, "[kernel", strlen("[kernel")))
		return "kernel";
	if (origin_ends_in(source, ".go"))
		return "go";
	if (origin_ends_in(source, ".rs"))
		return "rust";
	return m && m->build_id ? "native" : NULL;
}
