/*
 * A terminal as a screen of lines, by ncurses, which may be missing at build time.
 *
 * There is one screen at a time. Text of any bytes may be shown: what is invalid in the locale, or
 * would act on the terminal, is shown as '?', and lines are cut at the screen's edge.
 */
#ifndef CLI_TOP_SCREEN_H
#define CLI_TOP_SCREEN_H

#include <stdbool.h>

struct error;

/* How a line looks. SCREEN_TITLE and SCREEN_SELECTED fill it to the edge. Colours need a terminal
 * that has them, and NO_COLOR unset or empty. */
enum screen_look {
	SCREEN_PLAIN,
	SCREEN_HEAD,
	SCREEN_TITLE,
	SCREEN_HOT,
	SCREEN_WARM,
	SCREEN_SELECTED
};

/* Keys that are not characters. */
enum screen_key {
	SCREEN_NO_KEY = -1,
	SCREEN_ENTER = '\n',
	SCREEN_ESCAPE = 27,
	SCREEN_BACKSPACE = 127,
	SCREEN_UP = 0x1000,
	SCREEN_DOWN,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_RESIZED,
	SCREEN_OTHER,
	SCREEN_GONE, /* there is no terminal any more */
};

/* Is ncurses built in, and are the standard input and output a terminal? */
bool screen_possible(void);

/* Takes over the terminal. ERR_NOTFOUND: ncurses or the terminal's description is missing. */
int screen_open(struct error *err);

/* Restores the terminal. Harmless if it was not taken over. */
void screen_close(void);

/* The same for a signal handler that ends us. No function here may be called afterwards. */
void screen_abandon(void);

/* screen_leave restores the terminal for a while, screen_return takes it over again. */
void screen_leave(void);
void screen_return(void);

void screen_size(int *lines, int *columns);

/* Makes all lines blank. */
void screen_clear(void);

/* Draws a line, counted from 0. A line beyond the screen is not drawn. */
void screen_line(int line, enum screen_look look, const char *text);

/* Shows what was drawn, with the cursor behind the text of `cursor_line`; -1: no cursor. */
void screen_show(int cursor_line);

/* Has the next screen_show repaint everything, whatever other programs have written there. */
void screen_redraw(void);

/* Waits up to `timeout_ms` for a key. Returns a byte of a character or an enum screen_key. */
int screen_key(int timeout_ms);

#endif
