/*
 * Passes:
 *   1. mappings: one for each image that a stack touches, the program first,
 *      because pprof names the profile after mapping 1
 *   2. locations: each distinct code address symbolized once, all of a file's together
 *      (announce)
 *   3. samples: values by thread, so that their sum is the kernel's account
 *
 * A thread that ran for N ns and was sampled n times has each sample stand for
 * N / n ns, in whole ns that add up to N exactly. What ran and was never caught
 * goes to a frame named [not sampled], so that totals stay true.
 */
#include "sampler/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/room.h"
#include "pprof/profile.h"
#include "sampler/announce.h"
#include "sampler/known.h"
#include "sampler/member.h"
#include "sampler/round.h"
#include "sampler/syscalls.h"
#include "sampler/threads.h"
#include "symbolize/symbolizer.h"
#include "target/image.h"
#include "target/modmap.h"

struct place { /* a code address, and the profile's location of it */
	const struct image *image;
	uint64_t addr;
	uint32_t location;
	const char *in_kernel; /* its name, if it is there */
	bool asked;	       /* what is to be found out about it has been */
};

struct assembly {
	struct round *round;
	const struct modmap *maps; /* any member's: they share the images */
	struct assemble_names names;
	struct profile *profile;
	uint32_t *mapping_of; /* by image id; 0 none */
	size_t image_count;
	struct place *places;
	uint32_t place_count, place_room;
	struct hashindex index;
	uint32_t *locations; /* of the stack at hand */
	size_t location_room;
	struct profile_line *lines; /* of the location at hand */
	size_t line_room;
	struct share *shares;	/* by member and thread: those of a member stand together */
	size_t *first_share;	/* by member */
	bool several;		/* processes: samples are labelled with theirs */
	uint32_t label_thread, label_tid, label_pid, label_process, label_state, label_syscall;
};

struct share { /* of a thread's CPU time */
	uint64_t ns;
	uint64_t samples, given; /* of these handed out */
};

enum { THREAD_LABELS_MAX = 4, LABELS_MAX = 6, VALUES_MAX = 3 };

/* Pass 1. */

static int add_mapping(struct assembly *a, const struct image *image)
{
	const struct mapping *range = modmap_first_range(a->maps, image);
	struct profile_mapping m = { .start = range->start, .limit = range->end,
				     .offset = range->offset };
	const char *name = image_path(image);

	if (a->mapping_of[image_id(image)])
		return 0;
	if (image == a->round->kernel.image && a->round->kernel.symbols.count) {
		name = "[kernel.kallsyms]"; /* as perf calls it */
		m.start = a->round->kernel.symbols.start;
		m.limit = a->round->kernel.symbols.end;
	}
	if (profile_string(a->profile, name, &m.filename) ||
	    profile_string(a->profile, image_build_id(image), &m.build_id))
		return ERR_NOMEM;
	return profile_add_mapping(a->profile, &m, &a->mapping_of[image_id(image)]);
}

static const struct image *find_program(const struct assembly *a, struct image *const *images)
{
	for (size_t i = 0; i < a->image_count; i++)
		if (!strcmp(image_path(images[i]), a->round->members[0]->process.exe))
			return images[i];
	/* Gone already: the maps begin with the program as a rule. */
	for (size_t i = 0; i < a->image_count; i++)
		if (image_elf(images[i]))
			return images[i];
	return NULL;
}

static int add_mappings(struct assembly *a)
{
	const struct stackset *stacks = &a->round->stacks;
	struct image *const *images = modmap_images(a->maps, &a->image_count);
	const struct image *program = find_program(a, images);

	a->mapping_of = calloc(a->image_count + 1, sizeof(*a->mapping_of));
	if (!a->mapping_of || (program && add_mapping(a, program)))
		return ERR_NOMEM;
	for (size_t i = 0; i < stacks->frame_count; i++)
		if (stacks->frames[i].image && add_mapping(a, stacks->frames[i].image))
			return ERR_NOMEM;
	return 0;
}

/* Pass 2. */

static bool same_place(const void *owner, uint32_t id, const void *key)
{
	const struct place *p = &((const struct assembly *)owner)->places[id];
	const struct place *k = key;

	return p->addr == k->addr && p->image == k->image;
}

static int add_line(struct assembly *a, size_t i, const struct symbol_frame *f)
{
	struct profile_function function = { .start_line = f->start_line };

	a->lines[i] = (struct profile_line){ .line = f->line, .column = 0 };
	if (profile_string(a->profile, f->name, &function.name) ||
	    profile_string(a->profile, f->system_name, &function.system_name) ||
	    profile_string(a->profile, f->file, &function.filename))
		return ERR_NOMEM;
	return profile_add_function(a->profile, &function, &a->lines[i].function);
}

static int add_named_line(struct assembly *a, const char *name)
{
	struct symbol_frame f = { .name = name, .system_name = name };

	return add_line(a, 0, &f);
}

/* An address that no symbol covers is named by module and address in it. */
static int add_unknown_line(struct assembly *a, const struct place *place)
{
	char name[512];

	if (place->image)
		snprintf(name, sizeof(name), "%s+0x%lx", image_name(place->image), place->addr);
	else
		snprintf(name, sizeof(name), "[unknown]");
	return add_named_line(a, name);
}

/* Debug files and perf maps are looked for where the image's process sees them. */
static struct symbolizer *symbolizer_of(const struct assembly *a, const struct image *image)
{
	const struct process *owner = modmap_owner(a->maps, image);

	for (uint32_t i = 0; i < a->round->member_count; i++)
		if (&a->round->members[i]->process == owner)
			return a->names.symbolizers[i];
	return a->names.symbolizers[0];
}

static struct symbolizer *symbolizer_for(void *ctx, const struct image *image)
{
	return symbolizer_of(ctx, image);
}

/* Code in memory may be another's by now, so what is known of it serves only while
 * nothing is looked up. */
static const struct profile_location *known_of(const struct assembly *a, const struct image *image,
					       uint64_t addr)
{
	if (!a->names.known || !image || (a->names.symbolizers && image_is_memory(image)))
		return NULL;
	return known_find(a->names.known, image_id(image), addr);
}

static int announce_places(struct assembly *a)
{
	const struct stackset *stacks = &a->round->stacks;
	struct announcement places = { NULL, 0, 0 };
	int rc = 0, sent;

	for (size_t i = 0; !rc && a->names.symbolizers && i < stacks->frame_count; i++) {
		const struct frame *f = &stacks->frames[i];
		uint64_t addr = frame_code_address(f->addr, f->kind);

		if (f->image && !known_of(a, f->image, addr))
			rc = announce_place(&places, f->image, addr);
	}
	sent = announce_send(&places, symbolizer_for, a);
	return rc ? rc : sent;
}

static void note_abilities(struct assembly *a, const struct place *place)
{
	uint32_t id = a->mapping_of[image_id(place->image)];
	struct profile_mapping *m = &a->profile->mappings[id - 1];

	m->has_functions = true;
	if (symbolizer_has_lines(symbolizer_of(a, place->image), place->image))
		m->has_filenames = m->has_line_numbers = true;
	if (symbolizer_has_inlines(symbolizer_of(a, place->image), place->image))
		m->has_inline_frames = true;
}

/* As an earlier profile has it. */
static int copy_lines(struct assembly *a, const struct place *place,
		      const struct profile_location *l, size_t *count)
{
	const struct profile *from = &a->names.known->profile;
	struct profile_mapping *m = &a->profile->mappings[a->mapping_of[image_id(place->image)] - 1];

	*count = l->lines;
	if (room_for((void **)&a->lines, &a->line_room, *count, sizeof(*a->lines)))
		return ERR_NOMEM;
	for (size_t i = 0; i < l->lines; i++) {
		const struct profile_line *line = &from->lines[l->first_line + i];
		const struct profile_function none = { 0 };
		const struct profile_function *f =
			line->function ? &from->functions[line->function - 1] : &none;
		struct symbol_frame frame = {
			.name = strset_get(&from->strings, f->name),
			.system_name = strset_get(&from->strings, f->system_name),
			.file = strset_get(&from->strings, f->filename),
			.line = (uint32_t)line->line,
			.start_line = (uint32_t)f->start_line,
		};

		if (add_line(a, i, &frame))
			return ERR_NOMEM;
	}
	if (l->mapping) {
		const struct profile_mapping *was = &from->mappings[l->mapping - 1];

		m->has_functions |= was->has_functions;
		m->has_filenames |= was->has_filenames;
		m->has_line_numbers |= was->has_line_numbers;
		m->has_inline_frames |= was->has_inline_frames;
	}
	return 0;
}

static int fill_lines(struct assembly *a, struct place *place, size_t *count)
{
	const struct profile_location *known =
		place->in_kernel ? NULL : known_of(a, place->image, place->addr);
	struct symbol symbol = { .count = 0 };

	place->asked = place->image && !place->in_kernel && (known || a->names.symbolizers);
	if (known)
		return copy_lines(a, place, known, count);
	if (place->asked &&
	    symbolizer_lookup(symbolizer_of(a, place->image), place->image, place->addr, &symbol))
		return ERR_NOMEM;
	*count = symbol.count ? symbol.count : 1;
	if (room_for((void **)&a->lines, &a->line_room, *count, sizeof(*a->lines)))
		return ERR_NOMEM;
	if (place->in_kernel) {
		a->profile->mappings[a->mapping_of[image_id(place->image)] - 1].has_functions = true;
		return add_named_line(a, place->in_kernel);
	}
	if (!symbol.count)
		return add_unknown_line(a, place);
	note_abilities(a, place);
	for (size_t i = 0; i < symbol.count; i++)
		if (add_line(a, i, &symbol.frames[i]))
			return ERR_NOMEM;
	return 0;
}

static int add_place(struct assembly *a, struct place *place, uint64_t hash)
{
	struct profile_location location = { .address = place->addr };
	size_t room = a->place_room, lines;

	if (place->image) {
		location.mapping = a->mapping_of[image_id(place->image)];
		location.address += modmap_first_range(a->maps, place->image)->bias;
	}
	if (place->in_kernel && place->addr <= UINT32_MAX)
		location.address = 0; /* the kernel keeps it to itself */
	if (fill_lines(a, place, &lines) ||
	    profile_add_location(a->profile, &location, a->lines, lines, &place->location) ||
	    room_for((void **)&a->places, &room, a->place_count + 1, sizeof(*a->places)) ||
	    hashindex_add(&a->index, hash, a->place_count))
		return ERR_NOMEM;
	a->place_room = (uint32_t)room;
	a->places[a->place_count++] = *place;
	return 0;
}

static int locate(struct assembly *a, const struct frame *frame, uint32_t *location)
{
	struct place place = { .image = frame->image,
			       .addr = frame_code_address(frame->addr, frame->kind) };
	uint64_t words[2], hash;
	uint32_t id;

	if (kernelstack_locate(&a->round->kernel, frame->image, frame->addr, &place.in_kernel,
			       &place.addr))
		return ERR_NOMEM;
	words[0] = place.addr;
	words[1] = (uint64_t)(uintptr_t)place.image;
	hash = hash_bytes(words, sizeof(words));
	id = hashindex_find(&a->index, hash, same_place, a, &place);
	if (id == HASHINDEX_NONE) {
		if (add_place(a, &place, hash))
			return ERR_NOMEM;
		id = a->place_count - 1;
	}
	*location = a->places[id].location;
	return 0;
}

/* Pass 3. */

static size_t thread_labels(struct assembly *a, const struct member *m,
			    const struct thread *thread,
			    struct profile_label labels[THREAD_LABELS_MAX])
{
	size_t n = 2;

	labels[0] = (struct profile_label){ .key = a->label_thread };
	labels[1] = (struct profile_label){ .key = a->label_tid, .num = thread->tid };
	if (profile_string(a->profile, thread->name, &labels[0].str))
		labels[0].str = 0;
	if (!a->several)
		return n;
	labels[n++] = (struct profile_label){ .key = a->label_pid, .num = m->process.pid };
	labels[n++] = (struct profile_label){ .key = a->label_process };
	if (profile_string(a->profile, m->process.comm, &labels[n - 1].str))
		labels[n - 1].str = 0;
	return n;
}

static const struct thread *thread_of(const struct assembly *a, const struct stack_context *c)
{
	return member_thread(a->round->members[c->member], c->thread);
}

static const char *state_name(enum thread_state state)
{
	static const char *const names[] = { "running", "runnable", "blocked", "stopped" };

	return names[state];
}

static int syscall_label(struct assembly *a, int32_t number, struct profile_label *label)
{
	char text[SYSCALL_NAME_ROOM];

	label->key = a->label_syscall;
	return profile_string(a->profile, syscall_name(number, text), &label->str);
}

static int entry_labels(struct assembly *a, const struct stack_context *context,
			struct profile_label labels[LABELS_MAX], size_t *count)
{
	*count = thread_labels(a, a->round->members[context->member], thread_of(a, context), labels);
	if (!a->round->wall)
		return 0;
	labels[*count] = (struct profile_label){ .key = a->label_state };
	if (profile_string(a->profile, state_name(context->state), &labels[*count].str))
		return ERR_NOMEM;
	(*count)++;
	if (context->state != THREAD_BLOCKED || context->syscall < 0)
		return 0;
	labels[*count] = (struct profile_label){ .key = 0 };
	return syscall_label(a, context->syscall, &labels[(*count)++]);
}

/* The share of an entry's samples in its thread's time: rounding errors do not
 * add up because each share is the difference of two rounded sums. */
static int64_t share(struct assembly *a, const struct stackset_entry *e, uint64_t of_thread)
{
	struct share *s = &a->shares[a->first_share[e->context.member] + e->context.thread];
	uint64_t upto, ns;

	if (!e->cpu_samples)
		return 0;
	s->samples += e->cpu_samples;
	upto = (uint64_t)((unsigned __int128)s->ns * s->samples / of_thread);
	ns = upto - s->given;
	s->given = upto;
	return (int64_t)ns;
}

static int add_sample(struct assembly *a, const struct stackset_entry *e)
{
	const struct frame *frames = a->round->stacks.frames + e->first;
	uint64_t of_thread = thread_of(a, &e->context)->cpu_samples;
	struct profile_label labels[LABELS_MAX];
	int64_t values[VALUES_MAX] = { (int64_t)e->samples, share(a, e, of_thread),
				       (int64_t)e->wall_ns };
	size_t label_count;

	if (!values[0] && !values[1] && !values[2])
		return 0; /* nothing of it lies in the time that is shown */
	if (room_for((void **)&a->locations, &a->location_room, e->count, sizeof(*a->locations)))
		return ERR_NOMEM;
	for (size_t i = 0; i < e->count; i++)
		if (locate(a, &frames[i], &a->locations[i]))
			return ERR_NOMEM;
	if (entry_labels(a, &e->context, labels, &label_count))
		return ERR_NOMEM;
	return profile_add_sample(a->profile, a->locations, e->count, values, labels, label_count);
}

/* Time that the kernel accounted and no sample stands for. */
static int add_unsampled(struct assembly *a, const struct member *m, const struct thread *thread,
			 uint64_t cpu_ns, uint64_t wall_ns)
{
	struct profile_location location = { 0 };
	struct profile_label labels[THREAD_LABELS_MAX];
	int64_t values[VALUES_MAX] = { 0, (int64_t)cpu_ns, (int64_t)wall_ns };
	uint32_t id;

	if (!cpu_ns && !wall_ns)
		return 0;
	if (room_for((void **)&a->lines, &a->line_room, 1, sizeof(*a->lines)) ||
	    add_named_line(a, "[not sampled]") ||
	    profile_add_location(a->profile, &location, a->lines, 1, &id))
		return ERR_NOMEM;
	return profile_add_sample(a->profile, &id, 1, values, labels,
				  thread ? thread_labels(a, m, thread, labels) : 0);
}

static int add_unsampled_of(struct assembly *a, const struct member *m,
			    const struct thread *thread, uint64_t thread_ns)
{
	uint64_t cpu = thread->cpu_samples ? 0 : thread_ns, wall = 0;

	if (a->round->wall && thread->stack == NO_STACK)
		wall = thread->alive_ns - thread->wall_from;
	return add_unsampled(a, m, thread, cpu, wall);
}

/* Threads that were never caught, and what the process's clock has beyond its threads. */
static int add_rest_of(struct assembly *a, const struct member *m)
{
	const struct share *shares = &a->shares[a->first_share[m->index]];
	size_t count;
	const struct thread *threads = threads_get(m->threads, &count);
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += shares[i].ns;
		if (add_unsampled_of(a, m, &threads[i], shares[i].ns))
			return ERR_NOMEM;
	}
	return m->cpu_ns > sum ? add_unsampled(a, m, NULL, m->cpu_ns - sum, 0) : 0;
}

static int take_thread_times(struct assembly *a)
{
	uint32_t members = a->round->member_count;
	size_t count, all = 0;

	a->first_share = calloc(members + 1, sizeof(*a->first_share));
	for (uint32_t i = 0; a->first_share && i < members; i++) {
		a->first_share[i] = all;
		threads_get(a->round->members[i]->threads, &count);
		all += count;
	}
	a->shares = calloc(all + 1, sizeof(*a->shares));
	if (!a->first_share || !a->shares)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < members; i++) {
		const struct thread *threads = threads_get(a->round->members[i]->threads, &count);

		for (size_t j = 0; j < count; j++)
			if (threads[j].cpu_ns > threads[j].cpu_first)
				a->shares[a->first_share[i] + j].ns =
					threads[j].cpu_ns - threads[j].cpu_first;
	}
	return 0;
}

static int name_labels(struct assembly *a)
{
	struct profile *p = a->profile;

	if (profile_string(p, "thread", &a->label_thread) || profile_string(p, "tid", &a->label_tid))
		return ERR_NOMEM;
	if (a->several && (profile_string(p, "pid", &a->label_pid) ||
			   profile_string(p, "process", &a->label_process)))
		return ERR_NOMEM;
	if (a->round->wall && (profile_string(p, "state", &a->label_state) ||
			       profile_string(p, "syscall", &a->label_syscall)))
		return ERR_NOMEM;
	return 0;
}

static int add_samples(struct assembly *a)
{
	const struct stackset *stacks = &a->round->stacks;
	int rc = take_thread_times(a) || name_labels(a);

	for (uint32_t i = 0; !rc && i < stacks->count; i++)
		rc = add_sample(a, &stacks->entries[i]);
	for (uint32_t i = 0; !rc && i < a->round->member_count; i++)
		rc = add_rest_of(a, a->round->members[i]);
	return rc;
}

static int add_header(struct assembly *a)
{
	struct profile *p = a->profile;

	p->time_nanos = (int64_t)a->round->start_real_ns;
	p->duration_nanos = (int64_t)a->round->stats.elapsed_ns;
	p->period = 1000000000 / (int64_t)a->round->rate;
	if (profile_add_type(p, "samples", "count") || profile_add_type(p, "cpu", "nanoseconds") ||
	    profile_string(p, "cpu", &p->period_type.type) ||
	    profile_string(p, "nanoseconds", &p->period_type.unit) ||
	    profile_string(p, a->round->wall ? "wall" : "cpu", &p->default_type))
		return ERR_NOMEM;
	return a->round->wall ? profile_add_type(p, "wall", "nanoseconds") : 0;
}

static int tell_places(const struct assembly *a)
{
	for (uint32_t i = 0; a->names.places && i < a->place_count; i++) {
		const struct place *p = &a->places[i];
		struct known_place known = { .addr = p->addr, .location = p->location };

		if (!p->asked)
			continue;
		known.image = image_id(p->image);
		if (buffer_add(a->names.places, &known, sizeof(known)))
			return ERR_NOMEM;
	}
	return 0;
}

int assemble(struct round *r, const struct assemble_names *names, struct profile *profile,
	     struct error *err)
{
	struct assembly a = { .round = r, .names = *names, .profile = profile,
			      .maps = r->members[0]->maps,
			      .several = r->member_count > 1 || r->children };
	int rc = kernelstack_load(&r->kernel) || add_header(&a) || add_mappings(&a) ||
		 announce_places(&a) || add_samples(&a) || tell_places(&a);

	free(a.mapping_of);
	free(a.places);
	free(a.locations);
	free(a.lines);
	free(a.shares);
	free(a.first_share);
	hashindex_release(&a.index);
	return rc ? error_set(err, ERR_NOMEM, "out of memory") : 0;
}
