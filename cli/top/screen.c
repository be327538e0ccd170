/* ncurses draws. What restores the terminal is asked of terminfo at the start, so that
 * screen_abandon, when ncurses may be in any state, writes it with plain system calls. */
#include "cli/top/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printable.h"

#if __has_include(<curses.h>)
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <termios.h>
#include <wchar.h>
#include <wctype.h>

static SCREEN *screen;
static bool colours;

/* What restores the terminal, for screen_abandon. */
static struct termios modes_before;
static char text_before[128];

bool screen_possible(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static void start_colours(void)
{
	const char *no = getenv("NO_COLOR");

	colours = !(no && *no) && has_colors() && start_color() == OK;
	if (!colours)
		return;
	use_default_colors();
	init_pair(SCREEN_HEAD, COLOR_CYAN, -1);
	init_pair(SCREEN_HOT, COLOR_RED, -1);
	init_pair(SCREEN_WARM, COLOR_YELLOW, -1);
}

static void keep_way_back(void)
{
	static const char *const names[] = { "sgr0", "cnorm", "rmkx", "rmcup" };
	size_t len = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *text = tigetstr(names[i]);

		if (text && text != (char *)-1 && len + strlen(text) < sizeof(text_before))
			len += (size_t)sprintf(text_before + len, "%s", text);
	}
}

/* In a static program another character set than ASCII and UTF-8 would be loaded as a shared
 * library (base/staticlibc.c). */
static void set_locale(void)
{
	setlocale(LC_CTYPE, "");
#ifdef SAMPLER_STATIC
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C");
#endif
}

int screen_open(struct error *err)
{
	set_locale();
	tcgetattr(STDIN_FILENO, &modes_before);
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return error_set(err, ERR_NOTFOUND, "the terminal '%s' is not known here",
				 getenv("TERM") ? getenv("TERM") : "");
	keep_way_back();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	start_colours();
	return 0;
}

void screen_close(void)
{
	if (!screen)
		return;
	curs_set(1);
	endwin();
	delscreen(screen);
	screen = NULL;
}

void screen_abandon(void)
{
	if (!screen)
		return;
	if (write(STDOUT_FILENO, text_before, strlen(text_before)) < 0)
		return;
	tcsetattr(STDIN_FILENO, TCSANOW, &modes_before);
}

void screen_leave(void)
{
	curs_set(1);
	endwin();
}

void screen_return(void)
{
	refresh();
	screen_redraw();
}

void screen_size(int *lines, int *columns)
{
	getmaxyx(stdscr, *lines, *columns);
}

void screen_clear(void)
{
	erase();
}

static int look_of(enum screen_look look)
{
	switch (look) {
	case SCREEN_TITLE:
		return A_REVERSE;
	case SCREEN_SELECTED:
		return A_REVERSE | A_BOLD;
	case SCREEN_HOT:
		return A_BOLD | (colours ? COLOR_PAIR(SCREEN_HOT) : 0);
	case SCREEN_WARM:
	case SCREEN_HEAD:
		return colours ? COLOR_PAIR((int)look) : 0;
	default:
		return A_NORMAL;
	}
}

/* The next character in the locale's encoding; '?' for each byte that is invalid in it, and for a
 * character that cannot be printed. */
static wchar_t screen_next_character(const char **text, mbstate_t *state)
{
	wchar_t c;
	size_t n = mbrtowc(&c, *text, strlen(*text), state);

	if (n == (size_t)-1 || n == (size_t)-2 || !n) {
		memset(state, 0, sizeof(*state));
		c = L'?';
		n = 1;
	}
	*text += n;
	return iswprint((wint_t)c) && wcwidth(c) >= 0 && printable_rune((uint32_t)c) ? c : L'?';
}

/* A character in the last column of the last line would scroll the screen, so lines end one column
 * before the edge. Returns the columns taken. */
static int screen_add_text(const char *text, int columns)
{
	int at = 0;
	mbstate_t state;

	memset(&state, 0, sizeof(state));
	while (*text) {
		wchar_t c = screen_next_character(&text, &state);

		at += wcwidth(c);
		if (at >= columns)
			break;
		addnwstr(&c, 1);
	}
	return at;
}

void screen_line(int line, enum screen_look look, const char *text)
{
	struct buffer shown = { 0 };
	int lines, columns, at;

	screen_size(&lines, &columns);
	if (line < 0 || line >= lines || wmove(stdscr, line, 0) == ERR)
		return;
	attrset(look_of(look));
	if (buffer_add_printable(&shown, text, strlen(text)) || buffer_add(&shown, "", 1))
		goto out;
	at = screen_add_text((const char *)shown.data, columns);
	for (; (look == SCREEN_TITLE || look == SCREEN_SELECTED) && at < columns - 1; at++)
		addch(' ');
out:
	attrset(A_NORMAL);
	buffer_release(&shown);
}

void screen_show(int cursor_line)
{
	int lines, columns, y, x;

	screen_size(&lines, &columns);
	curs_set(cursor_line >= 0);
	if (cursor_line >= 0) {
		getyx(stdscr, y, x);
		if (y != cursor_line)
			wmove(stdscr, cursor_line, x < columns ? x : 0);
	}
	refresh();
}

void screen_redraw(void)
{
	clearok(curscr, TRUE);
}

static bool terminal_is_gone(void)
{
	struct pollfd pf = { .fd = STDIN_FILENO };

	return poll(&pf, 1, 0) > 0;
}

int screen_key(int timeout_ms)
{
	static const struct {
		int key, is;
	} keys[] = {
		{ ERR, SCREEN_NO_KEY },
		{ '\r', SCREEN_ENTER },
		{ '\n', SCREEN_ENTER },
		{ KEY_ENTER, SCREEN_ENTER },
		{ 8, SCREEN_BACKSPACE },
		{ 127, SCREEN_BACKSPACE },
		{ KEY_BACKSPACE, SCREEN_BACKSPACE },
		{ KEY_UP, SCREEN_UP },
		{ KEY_DOWN, SCREEN_DOWN },
		{ KEY_PPAGE, SCREEN_PAGE_UP },
		{ KEY_NPAGE, SCREEN_PAGE_DOWN },
		{ KEY_HOME, SCREEN_HOME },
		{ KEY_END, SCREEN_END },
		{ KEY_RESIZE, SCREEN_RESIZED },
	};
	int key;

	if (terminal_is_gone())
		return SCREEN_GONE;
	timeout(timeout_ms);
	key = getch();
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (key == keys[i].key)
			return keys[i].is;
	return key < 256 ? key : SCREEN_OTHER;
}

#else

bool screen_possible(void)
{
	return false;
}

int screen_open(struct error *err)
{
	return error_set(err, ERR_NOTFOUND, "built without ncurses");
}

void screen_close(void) {}
void screen_abandon(void) {}
void screen_leave(void) {}
void screen_return(void) {}
void screen_clear(void) {}
void screen_redraw(void) {}

void screen_size(int *lines, int *columns)
{
	*lines = *columns = 0;
}

void screen_line(int line, enum screen_look look, const char *text)
{
	(void)line;
	(void)look;
	(void)text;
}

void screen_show(int cursor_line)
{
	(void)cursor_line;
}

int screen_key(int timeout_ms)
{
	(void)timeout_ms;
	return SCREEN_NO_KEY;
}

#endif
