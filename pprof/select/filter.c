/* Each location is marked once; samples are kept or dropped by the marks of their stacks. Lines are
 * dropped within their location's range. */
#include "pprof/select/filter.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "pprof/append.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/select/matches.h"

/* Marks of a location. */
enum { FOCUSED = 1, IGNORED = 2, HIDDEN = 4, SHOWN_FROM = 8 };

struct name_filter {
	struct profile *p;
	struct matches focus, ignore, hide, show;
	struct filter_found *found;
	uint8_t *marks; /* by location */
};

/* If `matching`, keeps the lines whose function matches and the lines without a function; else the
 * lines whose function does not match. */
static void keep_lines(struct profile *p, struct profile_location *l, struct matches *m,
		       bool matching)
{
	struct profile_line *lines;
	size_t kept = 0;

	if (!l->lines)
		return;
	lines = p->lines + l->first_line;
	for (size_t i = 0; i < l->lines; i++)
		if (matches_function(m, lines[i].function) == matching ||
		    (matching && !lines[i].function))
			lines[kept++] = lines[i];
	l->lines = kept;
}

static void hide_lines(struct name_filter *f, struct profile_location *l, uint8_t *mark)
{
	if (!f->hide.pattern || !matches_location(&f->hide, l))
		return;
	f->found->hide = true;
	if (matches_mapping(&f->hide, l))
		l->lines = 0;
	keep_lines(f->p, l, &f->hide, false);
	if (!l->lines)
		*mark |= HIDDEN;
}

/* A location without lines is not shown, even if its mapping matches, as in pprof. */
static void show_lines(struct name_filter *f, struct profile_location *l, uint8_t *mark)
{
	if (!f->show.pattern)
		return;
	if (!matches_mapping(&f->show, l))
		keep_lines(f->p, l, &f->show, true);
	if (l->lines)
		f->found->show = true;
	else
		*mark |= HIDDEN;
}

static void mark_location(struct name_filter *f, struct profile_location *l, uint8_t *mark)
{
	if (matches_location(&f->ignore, l)) {
		f->found->ignore = true;
		*mark = IGNORED;
	} else if (!f->focus.pattern || matches_location(&f->focus, l)) {
		f->found->focus = true;
		*mark = FOCUSED;
	}
	hide_lines(f, l, mark);
	show_lines(f, l, mark);
}

static bool keep_sample(const struct name_filter *f, struct profile_sample *s)
{
	uint32_t *stack = f->p->stack + s->first_location;
	uint8_t all = 0;
	size_t kept = 0;

	for (size_t i = 0; i < s->locations; i++)
		all |= f->marks[stack[i] - 1];
	if (!(all & FOCUSED) || (all & IGNORED))
		return false;
	if (!(all & HIDDEN))
		return true;
	for (size_t i = 0; i < s->locations; i++)
		if (!(f->marks[stack[i] - 1] & HIDDEN))
			stack[kept++] = stack[i];
	s->locations = kept;
	return kept > 0;
}

static int failure(const struct name_filter *f)
{
	return f->focus.rc  ? f->focus.rc :
	       f->ignore.rc ? f->ignore.rc :
	       f->hide.rc   ? f->hide.rc :
			      f->show.rc;
}

static int filter_filter(struct name_filter *f)
{
	struct profile *p = f->p;
	size_t kept = 0;

	for (size_t i = 0; i < p->location_count && !failure(f); i++)
		mark_location(f, &p->locations[i], &f->marks[i]);
	if (failure(f))
		return failure(f);
	for (size_t i = 0; i < p->sample_count; i++)
		if (keep_sample(f, &p->samples[i]))
			p->samples[kept++] = p->samples[i];
	p->sample_count = kept;
	return 0;
}

int filter_names(struct profile *p, const struct filter_names *names, struct filter_found *found,
		 struct error *err)
{
	struct name_filter f = { .p = p, .found = found };
	int rc;

	*found = (struct filter_found){ 0 };
	if (!names->focus && !names->ignore && !names->hide && !names->show) {
		found->focus = true; /* no pattern: everything matches */
		return 0;
	}
	f.marks = calloc(p->location_count + 1, sizeof(*f.marks));
	if (!f.marks)
		return error_nomem(err);
	matches_init(&f.focus, p, names->focus, err);
	matches_init(&f.ignore, p, names->ignore, err);
	matches_init(&f.hide, p, names->hide, err);
	matches_init(&f.show, p, names->show, err);
	rc = failure(&f);
	if (!rc)
		rc = filter_filter(&f);
	matches_release(&f.focus);
	matches_release(&f.ignore);
	matches_release(&f.hide);
	matches_release(&f.show);
	free(f.marks);
	profile_forget_indexes(p);
	return rc;
}

/* Are stacks shown from this location on? If so, drops its lines that are callers of the outermost
 * line that matches. */
static bool show_from_location(const struct profile *p, struct profile_location *l,
			       struct matches *m)
{
	if (matches_mapping(m, l))
		return true;
	for (size_t i = l->lines; i-- > 0;)
		if (matches_function(m, p->lines[l->first_line + i].function)) {
			l->lines = i + 1;
			return true;
		}
	return false;
}

static bool show_sample_from(const struct profile *p, struct profile_sample *s,
			     const uint8_t *marks)
{
	while (s->locations && !marks[p->stack[s->first_location + s->locations - 1] - 1])
		s->locations--;
	return s->locations > 0;
}

int filter_show_from(struct profile *p, const struct pattern *from, bool *matched,
		     struct error *err)
{
	uint8_t *marks = from ? calloc(p->location_count + 1, sizeof(*marks)) : NULL;
	struct matches m;
	size_t kept = 0;
	int rc = 0;

	*matched = false;
	if (!from)
		return 0;
	if (!marks || matches_init(&m, p, from, err)) {
		free(marks);
		return error_nomem(err);
	}
	for (size_t i = 0; i < p->location_count && !m.rc; i++)
		if (show_from_location(p, &p->locations[i], &m)) {
			marks[i] = SHOWN_FROM;
			*matched = true;
		}
	rc = m.rc;
	for (size_t i = 0; i < p->sample_count && !rc; i++)
		if (show_sample_from(p, &p->samples[i], marks))
			p->samples[kept++] = p->samples[i];
	if (!rc)
		p->sample_count = kept;
	matches_release(&m);
	free(marks);
	profile_forget_indexes(p);
	return rc;
}

static bool keep_label(const struct profile_label *l, struct matches *show, struct matches *hide,
		       struct filter_found *found)
{
	bool shown = !show->pattern || matches_string(show, l->key);
	bool hidden = matches_string(hide, l->key);

	if (label_is_empty(l))
		return true;
	found->show = found->show || shown;
	found->hide = found->hide || hidden;
	return shown && !hidden;
}

int filter_labels(struct profile *p, const struct pattern *show, const struct pattern *hide,
		  struct filter_found *found, struct error *err)
{
	struct matches m_show, m_hide;
	int rc = matches_init(&m_show, p, show, err);

	*found = (struct filter_found){ 0 };
	rc = matches_init(&m_hide, p, hide, err) ? ERR_NOMEM : rc;
	for (size_t i = 0; i < p->sample_count && !rc; i++) {
		struct profile_sample *s = &p->samples[i];
		struct profile_label *labels = p->labels + s->first_label;
		size_t kept = 0;

		for (size_t j = 0; j < s->labels; j++)
			if (keep_label(&labels[j], &m_show, &m_hide, found))
				labels[kept++] = labels[j];
		rc = m_show.rc ? m_show.rc : m_hide.rc;
		if (!rc)
			s->labels = kept;
	}
	matches_release(&m_show);
	matches_release(&m_hide);
	return rc;
}
