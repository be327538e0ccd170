/*
 * The screen has a head, column titles, rows, and a line of keys. On a small screen, lines of the
 * head and the keys are left out, not rows. Keys that move only change the selected row; drawing
 * then limits it to the rows that exist, and shows the part that it is in.
 */
#include "cli/top/topscreen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/graph/fitname.h"
#include "cli/top/screen.h"

enum { FIT_LINES = 8, FEW_LINES = 4, TOPSCREEN_LINE = TOPSCREEN_MESSAGE };

static const double HOT = 0.10, WARM = 0.02;

static const char keys_line[] =
	"Enter callers  / find  t threads  r R f c n sort  p pause  ? help  q quit";

static const char *const help_lines[] = {
	"  r, R   sort by flat, by cum, of the last seconds",
	"  f, c   sort by flat, by cum, since the start",
	"  n      sort by name",
	"  t      threads, or functions",
	"  w      wall time, or CPU time (with --wall)",
	"  Enter  the callers of the selected function, and again theirs; Esc goes back",
	"  /      show names that match a regular expression; Esc shows all again",
	"  p      pause: the screen stands, sampling goes on",
	"  s      save the profile of all that was sampled so far",
	"  up, down, page up, page down, home, end: move (j, k too)",
	"  ?      this help; any key ends it",
	"  q      quit",
};

void topscreen_say(struct topscreen *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->message, sizeof(s->message), fmt, ap);
	va_end(ap);
}

void topscreen_prompt(struct topscreen *s, char kind, const char *text)
{
	s->prompt = kind;
	snprintf(s->input, sizeof(s->input), "%s", text);
}

static bool topscreen_shown(const struct topscreen *s, size_t i)
{
	return livefilter_matches(&s->filter, toptext_name(&s->view, i));
}

static const char *selected_name(const struct topscreen *s)
{
	size_t at = 0;

	for (size_t i = 0; i < toptext_count(&s->view); i++)
		if (topscreen_shown(s, i) && at++ == s->selected)
			return toptext_name(&s->view, i);
	return NULL;
}

static void select_first(struct topscreen *s)
{
	free(s->marked);
	s->marked = NULL;
	s->selected = 0;
}

/* Acts on the text that was typed. */
static enum topscreen_wish accept_input(struct topscreen *s)
{
	char prompt = s->prompt;

	s->prompt = 0;
	if (prompt == 's')
		return *s->input ? TOPSCREEN_SAVE : TOPSCREEN_NOTHING;
	livefilter_set(&s->filter, s->input);
	select_first(s);
	if (*s->filter.text && !s->filter.pattern)
		topscreen_say(s, "no regular expression: names that hold this text");
	return TOPSCREEN_NOTHING;
}

/* Removes the last character with all its bytes (UTF-8). */
static void topscreen_take_back(char *text)
{
	size_t len = strlen(text);

	while (len && ((unsigned char)text[--len] & 0xc0) == 0x80)
		;
	text[len] = '\0';
}

static enum topscreen_wish type_in(struct topscreen *s, int key)
{
	size_t len = strlen(s->input);

	if (key == SCREEN_ENTER)
		return accept_input(s);
	if (key == SCREEN_ESCAPE)
		s->prompt = 0;
	else if (key == SCREEN_BACKSPACE)
		topscreen_take_back(s->input);
	else if (key == 'U' - '@')
		s->input[0] = '\0';
	else if (key >= ' ' && key < 256 && len + 1 < sizeof(s->input)) {
		s->input[len] = (char)key;
		s->input[len + 1] = '\0';
	}
	return TOPSCREEN_NOTHING;
}

static size_t page(const struct topscreen *s)
{
	return s->room > 1 ? s->room : 1;
}

static void move_up(struct topscreen *s, size_t by)
{
	s->selected -= by < s->selected ? by : s->selected;
}

static void move_selected(struct topscreen *s, int key)
{
	switch (key) {
	case SCREEN_UP:
	case 'k':
		move_up(s, 1);
		break;
	case SCREEN_DOWN:
	case 'j':
		s->selected++;
		break;
	case SCREEN_PAGE_UP:
		move_up(s, page(s));
		break;
	case SCREEN_PAGE_DOWN:
	case ' ':
		s->selected += page(s);
		break;
	case SCREEN_HOME:
		s->selected = 0;
		break;
	case SCREEN_END:
		s->selected = toptext_count(&s->view);
		break;
	}
}

/* Threads have no names of their own. */
static void topscreen_move(struct topscreen *s, int key)
{
	const char *name;

	move_selected(s, key);
	free(s->marked);
	name = s->selected && !s->view.threads ? selected_name(s) : NULL;
	s->marked = name ? strdup(name) : NULL;
}

static enum topscreen_wish sort_by(struct topscreen *s, enum live_order order)
{
	s->order = order;
	select_first(s);
	return TOPSCREEN_SORT;
}

/* The filter was about other rows. */
static enum topscreen_wish show_callers(struct topscreen *s)
{
	select_first(s);
	livefilter_set(&s->filter, "");
	return TOPSCREEN_CALLERS;
}

static enum topscreen_wish go_to_callers(struct topscreen *s)
{
	const char *name = s->view.threads ? NULL : selected_name(s);

	if (!name || s->path_count == TOPSCREEN_PATH)
		return TOPSCREEN_NOTHING;
	s->path[s->path_count] = strdup(name);
	s->path_count += s->path[s->path_count] != NULL;
	return show_callers(s);
}

static enum topscreen_wish go_back(struct topscreen *s)
{
	free(s->path[--s->path_count]);
	return show_callers(s);
}

static void clear_path(struct topscreen *s)
{
	while (s->path_count)
		free(s->path[--s->path_count]);
}

/* Threads are those of all functions. */
static enum topscreen_wish switch_threads(struct topscreen *s)
{
	bool callers = s->path_count != 0;

	s->view.threads = !s->view.threads;
	select_first(s);
	clear_path(s);
	return callers ? TOPSCREEN_CALLERS : TOPSCREEN_NOTHING;
}

static enum topscreen_wish command(struct topscreen *s, int key)
{
	switch (key) {
	case 'q':
	case 'Q':
		return TOPSCREEN_QUIT;
	case '?':
	case 'h':
		s->help = true;
		break;
	case 'r':
		return sort_by(s, LIVE_RECENT);
	case 'R':
		return sort_by(s, LIVE_RECENT_CUM);
	case 'f':
		return sort_by(s, LIVE_FLAT);
	case 'c':
		return sort_by(s, LIVE_CUM);
	case 'n':
		return sort_by(s, LIVE_NAME);
	case 't':
		return switch_threads(s);
	case 'w':
		return TOPSCREEN_TYPE;
	case '/':
		topscreen_prompt(s, '/', "");
		break;
	case SCREEN_ENTER:
		return go_to_callers(s);
	case SCREEN_BACKSPACE:
		return s->path_count ? go_back(s) : TOPSCREEN_NOTHING;
	case SCREEN_ESCAPE:
		if (s->path_count && !*s->filter.text)
			return go_back(s);
		livefilter_set(&s->filter, "");
		break;
	case 'p':
		s->paused = !s->paused;
		return s->paused ? TOPSCREEN_NOTHING : TOPSCREEN_RESUME;
	case 's':
		return TOPSCREEN_ASK_NAME;
	case 'L' - '@':
		screen_redraw();
		break;
	default:
		topscreen_move(s, key);
	}
	return TOPSCREEN_NOTHING;
}

enum topscreen_wish topscreen_key(struct topscreen *s, int key)
{
	if (key == SCREEN_NO_KEY || key == SCREEN_RESIZED)
		return TOPSCREEN_NOTHING;
	if (key == SCREEN_GONE)
		return TOPSCREEN_QUIT;
	if (s->help) {
		s->help = false;
		return TOPSCREEN_NOTHING;
	}
	if (s->prompt)
		return type_in(s, key);
	*s->message = '\0';
	return command(s, key);
}

/* "rows 1-20 of 57" */
static const char *position(const struct topscreen *s, char text[64])
{
	size_t last = s->first + s->room;

	*text = '\0';
	/* A function that had no name yet has one now. */
	if (s->path_count && !s->matching && !*s->filter.text)
		snprintf(text, 64, "  no sample has it now; Esc goes back");
	if (s->matching)
		snprintf(text, 64, "  rows %zu-%zu of %zu", s->first + 1,
			 last < s->matching ? last : s->matching, s->matching);
	return text;
}

/* "callers of f", or with the way to it "callers of g, which calls f". */
static const char *what_is_shown(const struct topscreen *s, char text[128])
{
	char name[FITNAME_MAX], called[FITNAME_MAX];

	if (!s->path_count)
		return s->view.threads ? "threads" : "functions";
	if (s->path_count == 1)
		snprintf(text, 128, "callers of %s", fitname(s->path[0], 30, name));
	else
		snprintf(text, 128, "callers of %s, on the way to %s",
			 fitname(s->path[s->path_count - 1], 20, name),
			 fitname(s->path[0], 20, called));
	return text;
}

/* The text that is being typed, else the last message, else what is shown. */
static void status_line(const struct topscreen *s, char *line)
{
	static const char *const orders[LIVE_ORDERS] = { "last flat", "last cum", "flat", "cum",
							 "name" };
	char where[64], shown_text[128];

	if (s->prompt)
		snprintf(line, TOPSCREEN_LINE, "%s%s",
			 s->prompt == '/' ? "/" : "save to: ", s->input);
	else if (*s->message)
		snprintf(line, TOPSCREEN_LINE, "%s", s->message);
	else
		snprintf(line, TOPSCREEN_LINE, "%s by %s%s%s%s%s%s", what_is_shown(s, shown_text),
			 orders[s->order], position(s, where), *s->filter.text ? "  filter " : "",
			 s->filter.text, s->paused ? "  paused" : "",
			 s->view.live ? "" : "  sampling…");
}

/* Draws as much of the head as leaves room for rows. Returns the first free line; *status is the
 * line for the status. */
static int draw_head(const struct topscreen *s, int lines, int *status)
{
	char line[TOPTEXT_LINE];
	int at = 0;

	if (lines >= FEW_LINES) {
		toptext_target(&s->view, line);
		screen_line(at++, SCREEN_HEAD, line);
	}
	if (lines >= FIT_LINES) {
		toptext_sampler(&s->view, line);
		screen_line(at++, SCREEN_PLAIN, line);
	}
	*status = at++;
	if (lines >= FIT_LINES) {
		toptext_spans(&s->view, line);
		screen_line(at++, SCREEN_TITLE, line);
	}
	if (lines >= FEW_LINES) {
		toptext_columns(&s->view, line);
		screen_line(at++, SCREEN_TITLE, line);
	}
	return at;
}

static enum screen_look topscreen_look_at(double heat)
{
	return heat >= HOT ? SCREEN_HOT : heat >= WARM ? SCREEN_WARM : SCREEN_PLAIN;
}

/* Limits `selected` to the rows that exist, and `first` so that the selected row is on the screen
 * and the last page is full. */
static void keep_in_sight(struct topscreen *s)
{
	size_t all = toptext_count(&s->view);

	s->matching = 0;
	for (size_t i = 0; i < all; i++) {
		if (!topscreen_shown(s, i))
			continue;
		if (s->marked && !strcmp(toptext_name(&s->view, i), s->marked))
			s->selected = s->matching;
		s->matching++;
	}
	if (s->selected >= s->matching)
		s->selected = s->matching ? s->matching - 1 : 0;
	if (s->first + s->room > s->matching)
		s->first = s->matching > s->room ? s->matching - s->room : 0;
	if (s->first > s->selected)
		s->first = s->selected;
	if (s->room && s->first + s->room <= s->selected)
		s->first = s->selected + 1 - s->room;
}

static void draw_rows(struct topscreen *s, int from)
{
	size_t at = 0, all = toptext_count(&s->view);
	char line[TOPTEXT_LINE];

	for (size_t i = 0; i < all && at < s->first + s->room; i++) {
		if (!topscreen_shown(s, i) || at++ < s->first)
			continue;
		toptext_row(&s->view, i, line);
		screen_line(from++,
			    at - 1 == s->selected ? SCREEN_SELECTED :
						    topscreen_look_at(toptext_heat(&s->view, i)),
			    line);
	}
}

void topscreen_leave(const struct topscreen *s, void (*put)(char *line))
{
	static void (*const head[])(const struct topview *, char *) = {
		toptext_target,
		toptext_sampler,
		toptext_spans,
		toptext_columns,
	};
	size_t at = 0, all = toptext_count(&s->view);
	char line[TOPTEXT_LINE];

	for (size_t i = 0; s->view.live && i < sizeof(head) / sizeof(*head); i++) {
		head[i](&s->view, line);
		toptext_cut(line, s->view.columns);
		put(line);
	}
	for (size_t i = 0; i < all && at < s->first + s->room; i++) {
		if (!topscreen_shown(s, i) || at++ < s->first)
			continue;
		toptext_row(&s->view, i, line);
		put(line);
	}
}

void topscreen_release(struct topscreen *s)
{
	clear_path(s);
	select_first(s);
	livefilter_release(&s->filter);
}

void topscreen_draw(struct topscreen *s)
{
	int lines, columns, status, rows;
	char line[TOPSCREEN_LINE];

	screen_size(&lines, &columns);
	screen_clear();
	if (s->help) {
		for (size_t i = 0; i < sizeof(help_lines) / sizeof(*help_lines); i++)
			screen_line((int)i, SCREEN_PLAIN, help_lines[i]);
		screen_show(-1);
		return;
	}
	s->view.columns = columns > 0 ? (unsigned)columns : 0;
	rows = draw_head(s, lines, &status);
	if (lines >= FIT_LINES)
		screen_line(--lines, SCREEN_HEAD, keys_line);
	s->room = lines > rows ? (size_t)(lines - rows) : 0;
	keep_in_sight(s);
	draw_rows(s, rows);
	status_line(s, line); /* drawn last, so that the cursor is behind it */
	screen_line(status, s->prompt ? SCREEN_HOT : SCREEN_PLAIN, line);
	screen_show(s->prompt ? status : -1);
}
