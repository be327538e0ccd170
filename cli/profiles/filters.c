/* A table maps each option to pprof's name for it. Patterns are compiled first, so that a bad one
 * is reported before anything is removed, and applied in pprof's order. */
#include "cli/profiles/filters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/labels.h"
#include "pprof/select/filter.h"
#include "pprof/select/pattern.h"
#include "pprof/select/prune.h"
#include "pprof/select/tagmatch.h"
#include "pprof/select/tagroot.h"
#include "cli/common/cli.h"

/* The names of the options, and pprof's names of the filters: in headings, and in the warning that
 * nothing matched. */
static const struct {
	const char *option, *heading, *warning;
} names[FILTER_COUNT] = {
	[FILTER_FOCUS] = { "focus", "focus", "Focus" },
	[FILTER_IGNORE] = { "ignore", "ignore", "Ignore" },
	[FILTER_HIDE] = { "hide", "hide", "Hide" },
	[FILTER_SHOW] = { "show", "show", "Show" },
	[FILTER_SHOW_FROM] = { "show-from", "show_from", "ShowFrom" },
	[FILTER_TAG_FOCUS] = { "tag-focus", "tagfocus", "TagFocus" },
	[FILTER_TAG_IGNORE] = { "tag-ignore", "tagignore", "TagIgnore" },
	[FILTER_TAG_SHOW] = { "tag-show", "tagshow", "TagShow" },
	[FILTER_TAG_HIDE] = { "tag-hide", "taghide", "TagHide" },
	[FILTER_PRUNE_FROM] = { "prune-from", NULL, NULL },
	[FILTER_TAG_ROOT] = { "tag-root", NULL, "TagRoot" },
	[FILTER_TAG_LEAF] = { "tag-leaf", NULL, "TagLeaf" },
	[FILTER_ALL_FRAMES] = { "all-frames", NULL, NULL },
};

struct compiled {
	struct pattern *patterns[FILTER_COUNT];
	struct tagmatch *focus, *ignore;
};

void filters_list(struct option options[FILTER_COUNT])
{
	for (int i = 0; i < FILTER_COUNT; i++)
		options[i] = (struct option){ names[i].option,
					      i == FILTER_ALL_FRAMES ? no_argument :
								       required_argument,
					      NULL, FILTERS_FIRST + i };
}

int filters_set(struct filters *f, int option, const char *value)
{
	int number = option - FILTERS_FIRST;

	if (number < 0 || number >= FILTER_COUNT)
		return OPTION_OTHER;
	f->texts[number] = number == FILTER_ALL_FRAMES ? "yes" : value;
	return 0;
}

static bool filters_wanted(const struct filters *f, enum filter_option i)
{
	return f->texts[i] && *f->texts[i];
}

size_t filters_choices(const struct filters *f, struct report_choice list[FILTER_COUNT])
{
	size_t count = 0;

	for (size_t i = 0; i < FILTER_COUNT; i++)
		if (filters_wanted(f, (enum filter_option)i))
			list[count++] = (struct report_choice){ names[i].option, f->texts[i] };
	return count;
}

void filters_release(struct filters *f)
{
	for (size_t i = 0; i < FILTER_COUNT; i++)
		free(f->shown[i]);
	memset(f->shown, 0, sizeof(f->shown));
	free(f->label_units);
	f->label_units = NULL;
}

static void filters_tell(const struct filters *f, enum filter_option i, bool matched)
{
	if (filters_wanted(f, i) && !matched)
		cli_say("%s expression matched no samples", names[i].warning);
}

static int set_heading(struct filters *f, struct error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < FILTER_COUNT; i++)
		if (filters_wanted(f, (enum filter_option)i) && names[i].heading &&
		    asprintf(&f->shown[n++], "%s=%s", names[i].heading, f->texts[i]) < 0) {
			f->shown[n - 1] = NULL;
			return error_nomem(err);
		}
	return 0;
}

static bool is_pattern(enum filter_option i)
{
	return i <= FILTER_PRUNE_FROM && i != FILTER_TAG_FOCUS && i != FILTER_TAG_IGNORE;
}

static int compile_tags(const struct filters *f, enum filter_option i, struct tagmatch **match,
			struct error *err)
{
	if (!filters_wanted(f, i))
		return 0;
	if (tagmatch_new(match, f->texts[i], err))
		return error_prefix(err, "--%s", names[i].option);
	if (tagmatch_range(*match))
		cli_say("%s: the value is read as a range of numbers", names[i].option);
	return 0;
}

static int filters_compile(const struct filters *f, struct compiled *c, struct error *err)
{
	int rc = 0;

	for (enum filter_option i = 0; i < FILTER_COUNT && !rc; i++)
		if (is_pattern(i) && filters_wanted(f, i) &&
		    pattern_new(&c->patterns[i], f->texts[i], strlen(f->texts[i]), err))
			rc = error_prefix(err, "--%s", names[i].option);
	if (!rc)
		rc = compile_tags(f, FILTER_TAG_FOCUS, &c->focus, err);
	if (!rc)
		rc = compile_tags(f, FILTER_TAG_IGNORE, &c->ignore, err);
	return rc;
}

static int apply_names(const struct filters *f, const struct compiled *c, struct profile *p,
		       struct error *err)
{
	const struct filter_names by_name = { c->patterns[FILTER_FOCUS], c->patterns[FILTER_IGNORE],
					      c->patterns[FILTER_HIDE], c->patterns[FILTER_SHOW] };
	struct filter_found found;
	bool matched = false;
	int rc = filter_names(p, &by_name, &found, err);

	if (rc)
		return rc;
	filters_tell(f, FILTER_FOCUS, found.focus);
	filters_tell(f, FILTER_IGNORE, found.ignore);
	filters_tell(f, FILTER_HIDE, found.hide);
	filters_tell(f, FILTER_SHOW, found.show);
	rc = filter_show_from(p, c->patterns[FILTER_SHOW_FROM], &matched, err);
	if (!rc)
		filters_tell(f, FILTER_SHOW_FROM, matched);
	return rc;
}

static int apply_tags(const struct filters *f, const struct compiled *c, struct profile *p,
		      struct error *err)
{
	struct filter_found found;
	int rc = tagmatch_filter(p, f->label_units, c->focus, c->ignore, &found, err);

	if (rc)
		return rc;
	filters_tell(f, FILTER_TAG_FOCUS, found.focus);
	filters_tell(f, FILTER_TAG_IGNORE, found.ignore);
	rc = filter_labels(p, c->patterns[FILTER_TAG_SHOW], c->patterns[FILTER_TAG_HIDE], &found,
			   err);
	if (rc)
		return rc;
	filters_tell(f, FILTER_TAG_SHOW, found.show);
	filters_tell(f, FILTER_TAG_HIDE, found.hide);
	return 0;
}

/* The order is pprof's (driver_focus.go, applyFocus). */
static int filters_apply_compiled(const struct filters *f, struct compiled *c, struct profile *p,
				  struct error *err)
{
	int rc;

	rc = apply_names(f, c, p, err);
	if (!rc)
		rc = apply_tags(f, c, p, err);
	if (!rc && c->patterns[FILTER_PRUNE_FROM])
		rc = prune_from(p, c->patterns[FILTER_PRUNE_FROM], err);
	return rc;
}

int filters_apply(struct filters *f, struct profile *p, struct error *err)
{
	struct compiled c = { 0 };
	int rc = filters_compile(f, &c, err);

	if (!rc)
		rc = filters_apply_compiled(f, &c, p, err);
	if (!rc)
		rc = set_heading(f, err);
	for (size_t i = 0; i < FILTER_COUNT; i++)
		pattern_free(c.patterns[i]);
	tagmatch_free(c.focus);
	tagmatch_free(c.ignore);
	return rc;
}

int filters_prepare(struct filters *f, struct profile *p, struct error *err)
{
	struct tagroot_found found = { 0 };
	int rc = 0;

	f->label_units = labels_units(p);
	if (!f->label_units)
		return error_nomem(err);
	if (!filters_wanted(f, FILTER_ALL_FRAMES)) {
		rc = prune_uninteresting(p, err);
		if (rc == ERR_NOMEM)
			return rc;
		if (rc)
			cli_say("the profile's drop_frames are left aside: %s", err->text);
	}
	rc = tagroot_add(p, f->texts[FILTER_TAG_ROOT], f->texts[FILTER_TAG_LEAF], f->unit, &found,
			 err);
	if (rc)
		return rc;
	filters_tell(f, FILTER_TAG_ROOT, found.root);
	filters_tell(f, FILTER_TAG_LEAF, found.leaf);
	return 0;
}
