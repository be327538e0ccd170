/*
 * This process reads the target itself, and not through a helper process as in rounds: the target
 * is read once, and errors are printed for the user who waits.
 *
 * One profile is written to a file. Several, and custom ones, whose number is not known before, are
 * written to a folder, one file for each, with the names that they have in a batch. Legacy text,
 * that of debug=1, is written one profile after the other. Rejected: a batch (rounds/batch/batch.h)
 * for several. Here the user expects files with known names, and on the terminal the reason why a
 * profile is missing.
 */
#include "cli/record/gotake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/process/process.h"
#include "pprof/file/read.h"
#include "pprof/profile.h"
#include "sampler/child/privilege.h"
#include "cli/common/byname.h"
#include "cli/common/cli.h"
#include "cli/common/defaultname.h"
#include "cli/common/formats.h"
#include "rounds/collect/customname.h"
#include "rounds/derive.h"
#include "rounds/source/capture.h"
#include "rounds/source/memory.h"
#include "rounds/source/source.h"

struct taking {
	const struct gotake *t;
	struct process process;
	struct source *source;
	struct buffer heap;  /* from which heap, allocs and inuse are made; read once */
	struct outfile file; /* the profile that is being written, or all text */
	char name[300];	     /* default name of the file or folder */
	const char *output;  /* `name`, "-", or the path that was given */
	int folder;	     /* descriptor; -1: none */
	bool legacy, made_folder;
	unsigned written;
	struct error first; /* the first profile's error; code 0: none has failed */
};

static bool one_file(const struct gotake *t)
{
	return !(t->types & (t->types - 1)) && t->types != CAPTURE_BIT(CAPTURE_CUSTOM);
}

/* Keeps the first error. With several profiles, prints each; the other profiles are still taken. */
static void miss(struct taking *k, const char *what, const struct error *err)
{
	if (!one_file(k->t))
		cli_say("%s: %s", what, err->text);
	if (!k->first.code)
		k->first = *err;
}

static void say_note(const struct taking *k, const char *what, const struct source_remark *remark)
{
	if (*remark->note && !k->t->quiet)
		cli_say("%s: %s", what, remark->note);
}

/* Taking. */

static int take_heap(struct taking *k, struct buffer *out, enum capture_type type,
		     struct error *err)
{
	struct source_remark remark = { 0 };
	int rc = 0;

	if (!k->heap.len)
		rc = source_profile(k->source, captures[CAPTURE_HEAP].go_profile, k->t->gc_wait,
				    &k->heap, &remark, err);
	say_note(k, captures[type].name, &remark);
	if (rc)
		return rc;
	if (type == CAPTURE_ALLOCS)
		return derive_allocs(k->heap.data, k->heap.len, out, err);
	if (type == CAPTURE_INUSE)
		return derive_inuse(k->heap.data, k->heap.len, out, err);
	return buffer_add(out, k->heap.data, k->heap.len) ? error_nomem(err) : 0;
}

/* `id` is that of the type, or a custom profile's. */
static int gotake_take(struct taking *k, enum capture_type type, const struct goprofile_id *id,
		       struct buffer *out, struct error *err)
{
	struct source_remark remark = { 0 };
	int rc;

	switch (type) {
	case CAPTURE_HEAP:
	case CAPTURE_ALLOCS:
	case CAPTURE_INUSE:
		return take_heap(k, out, type, err);
	case CAPTURE_GOROUTINEWAIT:
		rc = source_goroutine_waits(k->source, out, err);
		snprintf(remark.note, sizeof(remark.note), "%s", source_memory_held(k->source));
		break;
	default:
		rc = source_profile(k->source, id, false, out, &remark, err);
	}
	say_note(k, type == CAPTURE_CUSTOM ? id->name : captures[type].name, &remark);
	return rc;
}

/* Writing. */

static int gotake_write_profile(struct taking *k, const struct format *format,
				const struct buffer *bytes, struct error *err)
{
	struct profile p;
	int rc = profile_init(&p) ? error_nomem(err) :
				    profile_parse(&p, bytes->data, bytes->len, DERIVE_BYTES, err);

	if (!rc)
		rc = format_write(format, &p, &k->file, err);
	/* The profile's comments say, among other things, what was read again or left out. */
	for (size_t i = 0; !rc && k->t->verbose && i < p.comment_count; i++)
		cli_line("%s", strset_get(&p.strings, p.comments[i]));
	profile_release(&p);
	return rc;
}

static int commit(struct taking *k, const char *path, struct error *err)
{
	unsigned long bytes = k->file.written;
	int rc = outfile_commit(&k->file, err);

	if (rc)
		return rc;
	k->written++;
	/* With legacy text on the standard output no message is printed. */
	if (!k->t->quiet && !(k->legacy && !strcmp(path, "-")))
		cli_wrote(path, bytes, "");
	return 0;
}

/* Writes a profile into the folder or the open file. `file` is its name in a batch; in another
 * format the ending differs. */
static int gotake_put(struct taking *k, const char *file, const struct buffer *bytes,
		      struct error *err)
{
	const struct format *format = k->t->format ? k->t->format :
						     format_by_path(k->folder < 0 ? k->output : "");
	int stem = (int)strlen(file) - (int)strlen(".pprof");
	char path[4096];
	int rc = 0;

	snprintf(path, sizeof(path), "%s", k->output);
	if (k->folder >= 0 && format == format_by_path(""))
		snprintf(path, sizeof(path), "%s/%s", k->output, file);
	else if (k->folder >= 0)
		snprintf(path, sizeof(path), "%s/%.*s%s", k->output, stem, file,
			 format_ending(format));
	if (k->folder >= 0)
		rc = outfile_open(&k->file, path, err);
	rc = rc ? rc : gotake_write_profile(k, format, bytes, err);
	return rc ? rc : commit(k, path, err);
}

static void take_and_put(struct taking *k, enum capture_type type, const struct goprofile_id *id,
			 const char *file)
{
	const char *name = type == CAPTURE_CUSTOM ? id->name : captures[type].name;
	struct buffer bytes = { 0 };
	struct error err;

	if (gotake_take(k, type, id, &bytes, &err) || gotake_put(k, file, &bytes, &err))
		miss(k, name, &err);
	outfile_abort(&k->file);
	buffer_release(&bytes);
}

static void put_legacy(struct taking *k, enum capture_type type, const struct goprofile_id *id)
{
	struct source_remark remark = { 0 };
	struct buffer text = { 0 };
	struct error err;
	int rc = source_memory_text(k->source, id, k->t->gc_wait, &text, &remark, &err);

	say_note(k, captures[type].name, &remark);
	if (!rc && k->written)
		rc = outfile_write(&k->file, "\n", 1, &err);
	rc = rc ? rc : outfile_write(&k->file, text.data, text.len, &err);
	buffer_release(&text);
	if (rc)
		miss(k, captures[type].name, &err);
	else
		k->written++;
}

/* Types. */

static void do_custom(struct taking *k, const char *custom)
{
	const struct goprofile_id id = { GOPROFILE_CUSTOM, custom };
	char encoded[CUSTOMNAME_MAX + 1], file[CUSTOMNAME_MAX + 16];
	struct error err;

	if (k->legacy) {
		put_legacy(k, CAPTURE_CUSTOM, &id);
	} else if (!customname_encode(custom, encoded)) {
		error_set(&err, ERR_LIMIT, "no file can have the name '%.80s'", encoded);
		miss(k, "custom", &err);
	} else {
		snprintf(file, sizeof(file), "custom-%s.pprof", encoded);
		take_and_put(k, CAPTURE_CUSTOM, &id, file);
	}
}

static void do_customs(struct taking *k)
{
	struct buffer names = { 0 };
	struct error err;

	if (source_custom(k->source, &names, &err))
		miss(k, "custom", &err);
	else if (!names.len && !k->t->quiet)
		cli_say("custom: the program has registered none");
	else
		for (size_t at = 0; at < names.len; at += strlen((char *)names.data + at) + 1)
			do_custom(k, (const char *)names.data + at);
	buffer_release(&names);
}

static void do_all(struct taking *k)
{
	if (!k->legacy)
		source_together(k->source, k->t->types, k->t->gc_wait);
	for (int i = 0; i < CAPTURE_TYPES; i++) {
		if (!(k->t->types & CAPTURE_BIT(i)))
			continue;
		if (i == CAPTURE_CUSTOM)
			do_customs(k);
		else if (k->legacy)
			put_legacy(k, (enum capture_type)i, captures[i].go_profile);
		else
			take_and_put(k, (enum capture_type)i, captures[i].go_profile,
				     captures[i].file);
	}
}

/* The output. */

static void choose_output(struct taking *k)
{
	const struct gotake *t = k->t;
	char ending[64] = "";

	k->legacy = t->format && format_is_legacy(t->format);
	k->output = t->output ? t->output : k->legacy ? "-" : k->name;
	for (int i = 0; one_file(t) && i < CAPTURE_TYPES; i++)
		if (t->types & CAPTURE_BIT(i))
			snprintf(ending, sizeof(ending), ".%s%s", captures[i].name,
				 format_ending(t->format ? t->format : format_by_path("")));
	default_name(&k->process, ending, k->name, sizeof(k->name));
}

static int open_folder(struct taking *k, struct error *err)
{
	if (!strcmp(k->output, "-"))
		return error_set(err, ERR_USAGE,
				 "several profiles are written to a folder: use -o DIR");
	k->made_folder = !mkdir(k->output, 0777);
	if (!k->made_folder && errno != EEXIST)
		return error_errno(err, ERR_IO, "cannot make the folder '%s'", k->output);
	k->folder = open(k->output, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (k->folder < 0)
		return error_errno(err, ERR_IO, "cannot open the folder '%s'", k->output);
	return 0;
}

/* Opens the output before anything is read, and drops privileges that are not needed any more. */
static int gotake_open_output(struct taking *k, struct error *err)
{
	struct privilege_needs needs = { .output = NULL };
	int rc;

	if (k->legacy || one_file(k->t)) {
		if (!k->t->format && !k->t->quiet)
			format_hint(k->output, "pprof");
		rc = outfile_open(&k->file, k->output, err);
		needs.output = &k->file;
	} else {
		rc = open_folder(k, err);
		needs.folder = &k->folder;
	}
	return rc ? rc : privilege_drop(&needs, err);
}

static int check_legacy(const struct taking *k, struct error *err)
{
	static const enum capture_type without[] = { CAPTURE_INUSE, CAPTURE_GOROUTINEWAIT };

	for (size_t i = 0; k->legacy && i < 2; i++)
		if (k->t->types & CAPTURE_BIT(without[i]))
			return error_set(err, ERR_USAGE, "Go has no legacy text of %s%s",
					 captures[without[i]].name,
					 i ? "; see 'sampler dump --goroutines'" : "");
	return 0;
}

static int gotake_finish(struct taking *k, struct error *err)
{
	int rc = 0;

	if (k->legacy && k->written)
		rc = commit(k, k->output, err);
	if (rc || !k->first.code)
		return rc;
	*err = k->first;
	return one_file(k->t) ? err->code :
				error_set(err, err->code, "some profiles could not be collected");
}

static int gotake_open_process(struct process *p, pid_t pid, const struct byname *names,
			       struct error *err)
{
	int rc = process_open(p, pid, err);

	rc = rc ? rc : process_may_trace(pid, err);
	return rc ? rc : byname_check(names, &pid, 1, err);
}

static int gotake_run(struct taking *k, struct error *err)
{
	struct source_options source = *k->t->source;
	int rc = gotake_open_process(&k->process, k->t->pid, k->t->names, err);

	if (rc)
		return rc;
	source.plain = true; /* this process parses the profiles, and compresses what it writes */
	source.max_bytes = DERIVE_BYTES;
	choose_output(k);
	rc = check_legacy(k, err);
	rc = rc ? rc : source_memory(&k->source, &source, err);
	rc = rc ? rc : gotake_open_output(k, err);
	if (rc)
		return rc;
	source_about(k->source, &k->process);
	rc = source_memory_open(k->source, err);
	if (rc)
		return error_prefix(err, "process %d", k->process.pid);
	do_all(k);
	return gotake_finish(k, err);
}

int cli_gotake(const struct gotake *t)
{
	struct taking k = { .t = t,
			    .process = { .proc_fd = -1, .pid_fd = -1, .root_fd = -1 },
			    .file = OUTFILE_NONE,
			    .folder = -1 };
	struct error err;
	int rc = gotake_run(&k, &err);

	outfile_abort(&k.file);
	source_free(k.source);
	if (k.folder >= 0)
		close(k.folder);
	if (k.made_folder && !k.written)
		rmdir(k.output);
	process_close(&k.process);
	buffer_release(&k.heap);
	return rc ? cli_fail(&err) : EXIT_DONE;
}

/* Goroutines. */

static int gotake_dump(struct source *s, struct outfile *file, struct error *err)
{
	struct buffer text = { 0 };
	int rc = source_memory_dump(s, &text, err);

	rc = rc ? rc : outfile_write(file, text.data, text.len, err);
	rc = rc ? rc : outfile_commit(file, err);
	buffer_release(&text);
	return rc;
}

int cli_gotake_dump(pid_t pid, const struct byname *names, const char *output, uint64_t stop_ns)
{
	const struct source_options options = { .stop_ns = stop_ns };
	struct process p = { .proc_fd = -1, .pid_fd = -1, .root_fd = -1 };
	struct outfile file = OUTFILE_NONE;
	struct privilege_needs needs = { .output = &file };
	struct source *s = NULL;
	struct error err;
	int rc = gotake_open_process(&p, pid, names, &err);

	rc = rc ? rc : source_memory(&s, &options, &err);
	rc = rc ? rc : outfile_open(&file, output, &err);
	rc = rc ? rc : privilege_drop(&needs, &err);
	if (!rc) {
		source_about(s, &p);
		rc = gotake_dump(s, &file, &err);
		if (!rc && stop_ns)
			cli_say("%s", source_memory_held(s));
	}
	outfile_abort(&file);
	source_free(s);
	process_close(&p);
	return rc ? cli_fail(&err) : EXIT_DONE;
}
