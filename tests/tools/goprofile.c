// links: pprof/wire runtimes/go/profile
/*
 * goprofile PID NAME [text|dump]: prints one of a Go process's own profiles.
 * goprofile PID goroutinewait [FILE]: FILE keeps the goroutines that were seen, between runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/process/process.h"
#include "pprof/profile.h"
#include "pprof/wire/encode.h"
#include "runtimes/go/profile/make.h"
#include "runtimes/go/profile/type.h"
#include "runtimes/go/profile/waits.h"
#include "runtimes/go/session/session.h"

/* "allocs" is the heap; write_profile makes the difference. */
static struct goprofile_id id_of(const char *name)
{
	if (!strcmp(name, "allocs"))
		name = "heap";
	for (int i = 0; i < GOPROFILE_CUSTOM; i++)
		if (!strcmp(goprofile_ids[i].name, name))
			return goprofile_ids[i];
	return (struct goprofile_id){ GOPROFILE_CUSTOM, name };
}

static int write_profile(struct goprofile *g, const char *name, struct outfile *file,
			 struct error *err)
{
	const struct goprofile_id id = id_of(name);
	struct profile p;
	int rc = profile_init(&p);

	if (!rc)
		rc = goprofile_make(g, &id, &p, err);
	if (!rc && !strcmp(name, "allocs"))
		p.default_type = p.types[1].type;
	if (!rc)
		rc = profile_write(&p, file, err);
	profile_release(&p);
	return rc;
}

static int write_text(struct goprofile *g, const char *name, bool dump, struct outfile *file,
		      struct error *err)
{
	const struct goprofile_id id = id_of(name);
	struct buffer text = { 0 };
	int rc = dump ? goprofile_dump(g, &text, err) : goprofile_text(g, &id, &text, err);

	if (!rc)
		rc = outfile_write(file, text.data, text.len, err);
	buffer_release(&text);
	return rc;
}

static int load_file(struct waits *w, const char *path, struct error *err)
{
	FILE *f = fopen(path, "r");
	struct buffer text = { 0 };
	int rc = 0, c;

	while (f && (c = getc(f)) != EOF && !rc)
		rc = buffer_add(&text, &(char){ (char)c }, 1);
	if (f)
		fclose(f);
	if (f && !rc)
		rc = waits_load(w, text.data, text.len, err);
	buffer_release(&text);
	return rc;
}

static int save_file(const struct waits *w, const char *path)
{
	struct buffer text = { 0 };
	FILE *f = fopen(path, "w");
	int rc = f ? waits_save(w, &text) : ERR_IO;

	if (!rc)
		rc = fwrite(text.data, 1, text.len, f) == text.len ? 0 : ERR_IO;
	if (f)
		fclose(f);
	buffer_release(&text);
	return rc;
}

static int write_waits(struct goprofile *g, const char *path, struct outfile *file,
		       struct error *err)
{
	struct waits *w = NULL;
	struct profile *p;
	int rc = waits_new(&w);

	if (!rc && path)
		rc = load_file(w, path, err);
	if (!rc)
		rc = waits_make(w, g, &p, err);
	if (!rc)
		rc = profile_write(p, file, err);
	if (!rc && path)
		rc = save_file(w, path);
	waits_free(w);
	return rc;
}

static int show(const struct process *process, const char *name, const char *how, struct error *err)
{
	struct goprofile_options options = { 0 };
	struct outfile file = OUTFILE_NONE;
	struct goprofile *g = NULL;
	int rc = goprofile_new(&g, process, &options, err);

	if (!rc)
		rc = outfile_open(&file, "-", err);
	if (!rc)
		rc = !strcmp(name, "goroutinewait") ? write_waits(g, how, &file, err) :
		     how ? write_text(g, name, !strcmp(how, "dump"), &file, err) :
			   write_profile(g, name, &file, err);
	if (!rc)
		rc = outfile_commit(&file, err);
	outfile_abort(&file);
	if (!rc) {
		const struct goprofile_stats *s = goprofile_stats(g);

		fprintf(stderr,
			"%s: %lu told, %lu again, %lu without stack, %lu left out, "
			"%lu reads, %lu bytes\n",
			goprofile_version(g), s->reported, s->again, s->without_stack, s->left_out,
			s->reads, s->bytes);
	}
	goprofile_free(g);
	return rc;
}

int main(int argc, char **argv)
{
	struct process process;
	struct error err = { 0 };
	int rc;

	if (argc < 3) {
		fprintf(stderr, "usage: goprofile PID NAME [text|dump], or PID goroutinewait "
				"[FILE]\n");
		return 2;
	}
	rc = process_open(&process, atoi(argv[1]), &err);
	if (!rc) {
		rc = show(&process, argv[2], argv[3], &err);
		process_close(&process);
	}
	if (rc)
		fprintf(stderr, "goprofile: %s\n", err.text);
	return rc ? 1 : 0;
}
