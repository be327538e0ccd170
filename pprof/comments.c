/* Our comments are recognized by how they begin. The number of runs is that of the figure that
 * occurs most often, because google/pprof's merge keeps equal lines once. */
#include "pprof/comments.h"

#include <ctype.h>
#include <string.h>

#include "base/buffer.h"
#include "pprof/profile.h"

/* How the lines of figures begin; the one that differs most often has the number of runs. */
static const char *const figures[] = { "samples: ", "rate: ", "unwound: ", "held: ", "cpu: " };

enum { FIGURES = sizeof(figures) / sizeof(*figures) };

static const char *comment(const struct profile *p, size_t i)
{
	return strset_get(&p->strings, p->comments[i]);
}

static size_t count_runs(const struct profile *p)
{
	size_t counts[FIGURES] = { 0 }, most = 0;

	for (size_t i = 0; i < p->comment_count; i++)
		for (size_t j = 0; j < FIGURES; j++)
			counts[j] += !strncmp(comment(p, i), figures[j], strlen(figures[j]));
	for (size_t j = 0; j < FIGURES; j++)
		most = counts[j] > most ? counts[j] : most;
	return most;
}

/* "sampler 0.1.0", and no command line. */
static bool comments_is_version(const char *text)
{
	return !strncmp(text, "sampler ", 8) && isdigit((unsigned char)text[8]) &&
	       !strchr(text + 8, ' ');
}

int comments_fold(const struct profile *p, struct buffer *line, bool *folded)
{
	size_t runs = count_runs(p), versions = 0;
	int rc = 0;

	*folded = runs > 1;
	for (size_t i = 0; *folded && !rc && i < p->comment_count; i++)
		if (comments_is_version(comment(p, i)))
			rc = buffer_addf(line, "%s%s", versions++ ? ", " : "", comment(p, i));
	if (!rc && *folded)
		rc = buffer_addf(line, "%s%zu runs (report --raw has their comments)",
				 versions ? ": " : "", runs);
	return rc;
}
