/* Each member gets a symbolizer with the files that were fetched for it, then the profile is
 * assembled, commented and written. It runs in a child, so files may be mapped. */
#include "sampler/profile/maker.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/process/modmap.h"
#include "pprof/merge.h"
#include "pprof/profile.h"
#include "pprof/select/interpreted.h"
#include "pprof/wire/encode.h"
#include "sampler/member/member.h"
#include "sampler/profile/assemble.h"
#include "sampler/profile/fetching.h"
#include "sampler/profile/summary.h"
#include "sampler/recorded/recorded.h"
#include "symbolize/symbolizer.h"

uint64_t maker_own_cpu_ns(uint64_t *peak_bytes)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	*peak_bytes = (uint64_t)ru.ru_maxrss * 1024;
	return rusage_cpu_ns(&ru);
}

void maker_ready(struct maker *p)
{
	struct recorded *r = p->recorded;

	process_read_exe(&r->members[0]->process);
	for (uint32_t i = 0; i < r->member_count; i++)
		process_read_ids(&r->members[i]->process); /* it may have changed its user */
}

/* Each symbolizer is offered all files; only one of them looks the image up. */
static int offer_fetched(const struct maker *p, struct symbolizer *s)
{
	size_t count;
	struct image *const *images = modmap_images(p->recorded->members[0]->maps, &count);

	for (size_t i = 0; i < count; i++) {
		int fd = fetching_fd(p->fetching, images[i]);

		if (fd >= 0 && symbolizer_offer(s, images[i], fd))
			return ERR_NOMEM;
	}
	return 0;
}

int maker_symbolizers(struct maker *p)
{
	const struct recorded *recorded = p->recorded;

	p->symbolizers = calloc(recorded->member_count, sizeof(struct symbolizer *));
	for (; p->symbolizers && p->count < recorded->member_count; p->count++) {
		struct symbolizer **s = &p->symbolizers[p->count];

		if (member_symbolizer(recorded->members[p->count], p->flags, s) ||
		    offer_fetched(p, *s) || decoding_watch(p->decoding, *s))
			return ERR_NOMEM;
	}
	return p->symbolizers ? 0 : ERR_NOMEM;
}

static void maker_release(struct maker *p)
{
	for (uint32_t i = 0; p->symbolizers && i < p->recorded->member_count; i++)
		symbolizer_free(p->symbolizers[i]);
	free(p->symbolizers);
	p->symbolizers = NULL;
	p->count = 0;
}

static int maker_add_comments(const struct maker *p, struct profile *profile)
{
	char lines[SUMMARY_LINES][SUMMARY_WIDTH];
	const char *warning;

	summary_lines(p->stats, p->options, lines);
	if (profile_add_comment(profile, "sampler " SAMPLER_VERSION) ||
	    profile_add_comment(profile, p->command_line))
		return ERR_NOMEM;
	if (p->options->whose && *p->options->whose &&
	    profile_add_comment(profile, p->options->whose))
		return ERR_NOMEM;
	for (int i = 0; i < SUMMARY_LINES; i++)
		if (*lines[i] && profile_add_comment(profile, lines[i]))
			return ERR_NOMEM;
	for (size_t i = 0; (warning = decoding_warning(p->decoding, i)); i++)
		if (profile_add_comment(profile, warning))
			return ERR_NOMEM;
	return 0;
}

int maker_fill(struct maker *p, const struct assemble_names *names, struct profile *profile,
	       struct decode_result *result, struct error *err)
{
	uint64_t peak, before = maker_own_cpu_ns(&peak);
	int rc = assemble(p->recorded, names, profile, err);

	if (!rc && p->options->no_native)
		rc = interpreted_only(profile, err);
	result->own_cpu_ns = p->cpu_ns + decoding_lost_cpu_ns(p->decoding) +
			     maker_own_cpu_ns(&peak) - before;
	result->own_peak_bytes = peak > p->peak_bytes ? peak : p->peak_bytes;
	p->stats->own_cpu_ns = result->own_cpu_ns;
	p->stats->own_peak_bytes = result->own_peak_bytes;
	if (!rc)
		rc = maker_add_comments(p, profile);
	if (!rc && names->missing && *names->missing)
		rc = profile_add_comment(profile, names->missing);
	return rc ? error_nomem(err) : 0;
}

int maker_write(struct maker *p, struct outfile *file, struct decode_result *result,
		struct error *err)
{
	struct profile profile;
	int rc = profile_init(&profile);

	if (rc || maker_symbolizers(p)) {
		rc = error_nomem(err);
	} else {
		struct assemble_names names = { .symbolizers = p->symbolizers,
						.asked_network = p->fetching };

		/* Names that are not shown are not missing. */
		names.missing = p->options->no_native ? NULL : result->missing;
		rc = maker_fill(p, &names, &profile, result, err);
	}
	if (!rc && p->options->no_native)
		rc = profile_compact(&profile, err);
	if (!rc) {
		decoding_before_writing(p->decoding, p->symbolizers, p->count);
		rc = p->options->write ?
			     p->options->write(p->options->write_ctx, &profile, file, err) :
			     profile_write(&profile, file, err);
		result->written = file->written;
	}
	maker_release(p);
	profile_release(&profile);
	return rc;
}
