/*
 * The screen has a head, column titles and rows. On a small screen, lines of the head are left out,
 * not rows. Keys that scroll only change the first row; drawing then limits it to the rows that
 * exist.
 */
#include "sampler/cli/top/topscreen.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sampler/cli/top/screen.h"

enum { HEAD_LINES = 5, FIT_LINES = 8, FEW_LINES = 4, TOPSCREEN_LINE = TOPSCREEN_MESSAGE };

static const double HOT = 0.10, WARM = 0.02;

static const char *const help_lines[] = {
	"  r, R   sort by flat, by cum, of the last seconds",
	"  f, c   sort by flat, by cum, since the start",
	"  n      sort by name",
	"  t      threads, or functions",
	"  w      wall time, or CPU time (with --wall)",
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

/* Acts on the text that was typed. */
static enum topscreen_wish accept_input(struct topscreen *s)
{
	char prompt = s->prompt;

	s->prompt = 0;
	if (prompt == 's')
		return *s->input ? TOPSCREEN_SAVE : TOPSCREEN_NOTHING;
	livefilter_set(&s->filter, s->input);
	s->first = 0;
	if (*s->filter.text && !s->filter.pattern)
		topscreen_say(s, "no regular expression: names that hold this text");
	return TOPSCREEN_NOTHING;
}

/* Removes the last character with all its bytes (UTF-8). */
static void take_back(char *text)
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
		take_back(s->input);
	else if (key == 'U' - '@')
		s->input[0] = '\0';
	else if (key >= ' ' && key < 256 && len + 1 < sizeof(s->input)) {
		s->input[len] = (char)key;
		s->input[len + 1] = '\0';
	}
	return TOPSCREEN_NOTHING;
}

static size_t page(void)
{
	int lines, columns;

	screen_size(&lines, &columns);
	return lines > HEAD_LINES + 1 ? (size_t)lines - HEAD_LINES : 1;
}

static void move_up(struct topscreen *s, size_t by)
{
	s->first -= by < s->first ? by : s->first;
}

static void move(struct topscreen *s, int key)
{
	switch (key) {
	case SCREEN_UP:
	case 'k':
		move_up(s, 1);
		break;
	case SCREEN_DOWN:
	case 'j':
		s->first++;
		break;
	case SCREEN_PAGE_UP:
		move_up(s, page());
		break;
	case SCREEN_PAGE_DOWN:
	case ' ':
		s->first += page();
		break;
	case SCREEN_HOME:
		s->first = 0;
		break;
	case SCREEN_END:
		s->first = toptext_count(&s->view);
		break;
	}
}

static enum topscreen_wish sort_by(struct topscreen *s, enum live_order order)
{
	s->order = order;
	s->first = 0;
	return TOPSCREEN_SORT;
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
		s->view.threads = !s->view.threads;
		s->first = 0;
		break;
	case 'w':
		return TOPSCREEN_TYPE;
	case '/':
		topscreen_prompt(s, '/', "");
		break;
	case SCREEN_ESCAPE:
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
		move(s, key);
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

/* The text that is being typed, else the last message, else what is shown. */
static void status_line(const struct topscreen *s, char *line)
{
	static const char *const orders[LIVE_ORDERS] = { "last flat", "last cum", "flat", "cum",
							 "name" };

	if (s->prompt)
		snprintf(line, TOPSCREEN_LINE, "%s%s",
			 s->prompt == '/' ? "/" : "save to: ", s->input);
	else if (*s->message)
		snprintf(line, TOPSCREEN_LINE, "%s", s->message);
	else
		snprintf(line, TOPSCREEN_LINE, "%s by %s%s%s%s%s  (? help)",
			 s->view.threads ? "threads" : "functions", orders[s->order],
			 *s->filter.text ? "  filter " : "", s->filter.text,
			 s->paused ? "  paused" : "", s->view.live ? "" : "  sampling…");
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

static enum screen_look look_at(double heat)
{
	return heat >= HOT ? SCREEN_HOT : heat >= WARM ? SCREEN_WARM : SCREEN_PLAIN;
}

static bool shown(const struct topscreen *s, size_t i)
{
	return livefilter_matches(&s->filter, toptext_name(&s->view, i));
}

/* Limits `first` so that the last page is full. */
static void keep_in_sight(struct topscreen *s, size_t room)
{
	size_t count = 0, all = toptext_count(&s->view);

	for (size_t i = 0; s->first && i < all; i++)
		count += shown(s, i);
	if (s->first + room > count)
		s->first = count > room ? count - room : 0;
}

static void draw_rows(struct topscreen *s, int from, int lines)
{
	size_t skip, all = toptext_count(&s->view);
	char line[TOPTEXT_LINE];

	keep_in_sight(s, lines > from ? (size_t)(lines - from) : 0);
	skip = s->first;
	for (size_t i = 0; i < all && from < lines; i++) {
		if (!shown(s, i) || (skip && skip--))
			continue;
		toptext_row(&s->view, i, line);
		screen_line(from++, look_at(toptext_heat(&s->view, i)), line);
	}
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
	rows = draw_head(s, lines, &status);
	draw_rows(s, rows, lines);
	status_line(s, line); /* drawn last, so that the cursor is behind it */
	screen_line(status, s->prompt ? SCREEN_HOT : SCREEN_PLAIN, line);
	screen_show(s->prompt ? status : -1);
}
