/*
 * Each distinct address is symbolized once in a recording: what the last profile says of it
 * (sampler/profile/symbolized.h) is in the memory that the next process inherits. Opening the debug
 * information of a large program costs the same for one new address as for a hundred. So looking up
 * new addresses takes 1/NAMING_SHARE of the time at most, beyond the first NAMING_FREE_NS of CPU
 * time: most addresses are new in the first seconds. A place whose name is pending has no line, and
 * is shown as its module.
 *
 * Rejected: a symbolizing process that lives as long as the recording. It would keep the
 * symbolizers' memory (hundreds of megabytes for a JVM) for hours. It would need a protocol, also
 * for the descriptors of libraries that are loaded later. After a file has made it die, only a fork
 * like this one could start it anew. Also rejected: a fork while the looking thread runs; the
 * child could get libelf's data in the middle of a change.
 */
#include "sampler/profile/interim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/profile.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/encode.h"
#include "sampler/member/member.h"
#include "sampler/profile/assemble.h"
#include "sampler/profile/baseline.h"
#include "sampler/profile/symbolized.h"
#include "sampler/tick/round.h"

enum { NAMING_SHARE = 20 }; /* names may take a twentieth of a CPU */

static const char TOO_LITTLE[] = "the process that decodes wrote too little";
static const uint64_t BYTES_MAX = 256ull << 20, NAMING_FREE_NS = 2 * NS_PER_S;

/* The process writes this, then places and two profiles, uncompressed. */
struct interim_head {
	uint64_t places, whole, window; /* sizes in bytes */
};

struct interim {
	struct maker maker;
	struct round *round; /* not owned */
	struct decoding *decoding;
	struct baseline baseline;      /* where the last profile ended */
	struct baseline next_baseline; /* where this one ends */
	struct symbolized known;       /* the last profile, which is shown, and the places in it */
	struct profile window;
	struct recording_interim state;
	struct outfile *file; /* to write to; NULL: to `memory` */
	struct outfile memory;
	bool wanted, started;
	bool naming;		      /* the current process looks names up */
	uint64_t start_ns, naming_ns; /* since when; CPU time of the lookups since then */
	uint64_t cpu_start_ns;	      /* of our process, when the recording began */
	uint64_t cpu_before_ns;	      /* of all processes before the current one */
};

int interim_new(struct interim **out, const struct maker *maker, struct round *round,
		struct error *err)
{
	struct interim *in = calloc(1, sizeof(*in));

	if (!in)
		return error_nomem(err);
	in->maker = *maker;
	in->round = round;
	in->cpu_start_ns = maker->cpu_ns;
	in->start_ns = monotonic_ns();
	in->memory = (struct outfile){
		.fd = -1, .dir_fd = -1, .direct = true, .path = (char *)"memory"
	};
	*out = in;
	return 0;
}

void interim_free(struct interim *in)
{
	if (!in)
		return;
	decoding_free(in->decoding);
	descriptor_close(&in->memory.fd);
	baseline_release(&in->baseline);
	baseline_release(&in->next_baseline);
	symbolized_release(&in->known);
	profile_release(&in->window);
	free(in);
}

int interim_ask(struct interim *in, struct outfile *file, struct error *err)
{
	if (in->state.busy)
		return error_set(err, ERR_LIMIT, "another profile is being made");
	in->file = file;
	in->wanted = in->state.busy = true;
	return 0;
}

bool interim_wants_start(const struct interim *in)
{
	return in && in->wanted;
}

/* The child's side. */

static int write_parts(struct outfile *file, const struct buffer *places,
		       const struct buffer *whole, const struct buffer *window, struct error *err)
{
	struct interim_head head = { places->len, whole->len, window->len };
	int rc = outfile_write(file, &head, sizeof(head), err);

	if (!rc)
		rc = outfile_write(file, places->data, places->len, err);
	if (!rc)
		rc = outfile_write(file, whole->data, whole->len, err);
	return rc ? rc : outfile_write(file, window->data, window->len, err);
}

static int assemble_and_encode(struct interim *in, const struct assemble_names *names,
			       struct profile *profile, struct buffer *bytes, struct error *err)
{
	struct decode_result figures;
	int rc = profile_init(profile);

	rc = rc ? error_nomem(err) : maker_fill(&in->maker, names, profile, &figures, err);
	return rc ? rc : profile_encode(profile, bytes, err);
}

/* The window's names are all known once the whole is assembled. */
static int make_both(struct interim *in, struct buffer *places, struct buffer *whole,
		     struct buffer *window, struct error *err)
{
	struct assemble_names names = { .symbolizers = in->maker.symbolizers,
					.known = &in->known,
					.places = places };
	struct symbolized all = { .count = 0 };
	struct profile profile;
	int rc = assemble_and_encode(in, &names, &profile, whole, err);

	if (!rc)
		rc = symbolized_take(&all, &profile, (struct symbolized_place *)places->data,
				     places->len / sizeof(struct symbolized_place));
	profile_release(&profile);
	if (rc)
		return rc;
	names = (struct assemble_names){ .known = &all };
	baseline_subtract(&in->baseline, in->maker.recorded);
	rc = assemble_and_encode(in, &names, &profile, window, err);
	profile_release(&profile);
	return rc;
}

static int interim_work(void *ctx, struct decode_result *result, struct error *err)
{
	struct interim *in = ctx;
	struct buffer places = { 0 }, whole = { 0 }, window = { 0 };
	int rc = 0;

	if (in->round->end == RECORDING_RUNNING)
		round_finish(in->round);
	*in->maker.stats = in->round->recorded.stats;
	if (in->file)
		return maker_write(&in->maker, in->file, result, err);
	if (in->naming && maker_symbolizers(&in->maker))
		rc = error_nomem(err);
	if (!rc)
		rc = make_both(in, &places, &whole, &window, err);
	if (!rc) {
		decoding_before_writing(in->decoding, in->maker.symbolizers, in->maker.count);
		rc = write_parts(&in->memory, &places, &whole, &window, err);
		result->written = in->memory.written;
	}
	return rc; /* the process ends, so nothing is freed */
}

/* Our side. */

static void interim_end_with(struct interim *in, int rc, const struct error *err)
{
	in->state.busy = in->started = in->wanted = false;
	in->state.number++;
	in->state.failed = rc;
	if (rc)
		in->state.error = *err;
	in->file = NULL;
}

static int make_memory(struct interim *in, struct error *err)
{
	descriptor_close(&in->memory.fd);
	in->memory.written = 0;
	in->memory.fd = memfd_create("sampler-interim", MFD_CLOEXEC);
	return in->memory.fd < 0 ? error_errno(err, ERR_IO, "cannot make a file in memory") : 0;
}

/* At the end no more is due, so the last profile has its names. */
static bool may_name(const struct interim *in)
{
	uint64_t allowed = NAMING_FREE_NS + (monotonic_ns() - in->start_ns) / NAMING_SHARE;

	return in->naming_ns < allowed || in->round->end != RECORDING_RUNNING;
}

static int interim_start_child(struct interim *in, struct error *err)
{
	const struct modmap *maps = in->maker.recorded->members[0]->maps;
	struct maker *p = &in->maker;
	int rc = in->decoding ? decoding_renew(in->decoding, maps, err) :
				decoding_new(&in->decoding, maps, err);

	if (!rc && !in->file)
		rc = make_memory(in, err);
	if (rc)
		return rc;
	p->decoding = in->decoding;
	p->cpu_ns = maker_own_cpu_ns(&p->peak_bytes) - in->cpu_start_ns + interim_cpu_ns(in);
	in->cpu_before_ns = interim_cpu_ns(in);
	in->naming = may_name(in);
	maker_ready(p);
	rc = decoding_start(in->decoding, in->file ? in->file : &in->memory,
			    in->file ? 0 : BYTES_MAX, interim_work, in, err);
	if (!rc)
		decoding_calm(in->decoding); /* the sampling goes on beside it */
	if (!rc && !in->file && baseline_take(&in->next_baseline, p->recorded))
		baseline_release(&in->next_baseline);
	return rc;
}

void interim_start(struct interim *in)
{
	struct error err;
	int rc = interim_start_child(in, &err);

	in->wanted = false;
	in->started = !rc;
	if (rc)
		interim_end_with(in, rc, &err);
}

/* Checks what the decoding process wrote: the sizes may be false. */
static int interim_split(const struct buffer *bytes, struct interim_head *head, struct error *err)
{
	size_t left = bytes->len;
	const uint64_t *parts[] = { &head->places, &head->whole, &head->window };

	if (left < sizeof(*head))
		return error_set(err, ERR_FORMAT, "%s", TOO_LITTLE);
	memcpy(head, bytes->data, sizeof(*head));
	left -= sizeof(*head);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (*parts[i] > left)
			return error_set(err, ERR_FORMAT, "%s", TOO_LITTLE);
		left -= *parts[i];
	}
	return 0;
}

static int interim_read_memory(const struct interim *in, struct buffer *bytes, struct error *err)
{
	struct stat st;

	if (fstat(in->memory.fd, &st) || (uint64_t)st.st_size > BYTES_MAX)
		return error_set(err, ERR_FORMAT, "the process that decodes wrote too much");
	if (buffer_reserve(bytes, (size_t)st.st_size + 1))
		return error_nomem(err);
	if (!descriptor_read(in->memory.fd, bytes->data, (size_t)st.st_size, 0))
		return error_set(err, ERR_FORMAT, "%s", TOO_LITTLE);
	bytes->len = (size_t)st.st_size;
	return 0;
}

/* Takes over places and profiles. If memory runs out, there is no profile to be shown. */
static int interim_take(struct interim *in, const struct buffer *bytes,
			const struct interim_head *head, struct error *err)
{
	const uint8_t *at = bytes->data + sizeof(*head);
	struct symbolized_place *places = malloc(head->places + 1);
	struct profile whole = { 0 }, window = { 0 };
	int rc = places && !profile_init(&whole) && !profile_init(&window) ? 0 : error_nomem(err);

	if (!rc)
		memcpy(places, at, head->places);
	at += head->places;
	if (!rc)
		rc = profile_decode(&whole, at, head->whole, err);
	if (!rc)
		rc = profile_decode(&window, at + head->whole, head->window, err);
	if (rc) {
		free(places);
		profile_release(&whole);
		profile_release(&window);
		return rc;
	}
	profile_release(&in->window);
	in->window = window;
	rc = symbolized_take(&in->known, &whole, places, head->places / sizeof(*places));
	return rc ? error_nomem(err) : 0;
}

static int take_over(struct interim *in, struct error *err)
{
	struct buffer bytes = { 0 };
	struct interim_head head;
	int rc = interim_read_memory(in, &bytes, err);

	if (!rc)
		rc = interim_split(&bytes, &head, err);
	if (!rc)
		rc = interim_take(in, &bytes, &head, err);
	buffer_release(&bytes);
	in->state.whole = rc ? NULL : &in->known.profile;
	in->state.window = rc ? NULL : &in->window;
	if (rc)
		return rc;
	baseline_release(&in->baseline);
	in->baseline = in->next_baseline;
	in->next_baseline = (struct baseline){ .at_ns = 0 };
	return 0;
}

/* Lookups have an allowance of their own: they do not delay the next refresh. A file that the user
 * saves counts for neither. */
static void account(struct interim *in, uint64_t cost_ns)
{
	if (in->naming && !in->file)
		in->naming_ns += cost_ns;
	else if (!in->file)
		in->state.cost_ns = cost_ns;
}

void interim_look(struct interim *in, int timeout_ms)
{
	struct error err = { 0 };
	int rc;

	if (!in->started)
		return;
	rc = decoding_wait(in->decoding, timeout_ms, &err);
	if (rc == DECODING_RUNS)
		return;
	account(in, interim_cpu_ns(in) - in->cpu_before_ns);
	if (rc == DECODING_AGAIN) {
		in->started = false;
		in->wanted = true;
		return;
	}
	if (!rc && !in->file)
		rc = take_over(in, &err);
	interim_end_with(in, rc, &err);
}

const struct recording_interim *interim_state(const struct interim *in)
{
	return &in->state;
}

const char *interim_warning(const struct interim *in, size_t i)
{
	return in && in->decoding ? decoding_warning(in->decoding, i) : NULL;
}

uint64_t interim_cpu_ns(const struct interim *in)
{
	return in && in->decoding ? decoding_cpu_ns(in->decoding) : 0;
}
