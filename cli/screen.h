/*
 * A terminal as a screen of lines, by ncurses, which may be missing at build time.
 *
 * One at a time. Text of any bytes may be shown: what the locale does not know, or what
 * would act on the terminal, is shown as '?', and lines are cut at the screen's edge.
 */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>

struct error;

/* How a line looks. Colours only where the terminal has them and NO_COLOR is not set. */
enum screen_look { SCREEN_PLAIN, SCREEN_HEAD, SCREEN_TITLE, SCREEN_HOT, SCREEN_WARM, SCREEN_LOOKS };

/* Keys that are no characters. */
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

/* Can this program show a screen at all, and is there a terminal that it could be on? */
bool screen_possible(void);

/* Takes the terminal. ERR_NOTFOUND when ncurses or the terminal's description is missing. */
int screen_open(struct error *err);

/* Gives it back as it was. Harmless when it was not taken. */
void screen_close(void);

/* The same for a signal handler that ends us; nothing else works afterwards. */
void screen_abandon(void);

/* For a while, and takes it again. */
void screen_leave(void);
void screen_return(void);

void screen_size(int *lines, int *columns);

/* All lines are blank from here on. */
void screen_clear(void);

/* Lines and columns count from 0; those beyond the screen are not shown. */
void screen_line(int line, enum screen_look look, const char *text);

/* Shows what was drawn; with the cursor behind the text of that line, -1 for none. */
void screen_show(int cursor_line);

/* Draws all anew, whatever others have written there. */
void screen_redraw(void);

/* A key, waiting for it that long: a byte of a character, or as above. */
int screen_key(int timeout_ms);

#endif
