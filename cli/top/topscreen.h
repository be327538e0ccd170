/* `sampler top` on a terminal: keys in, lines out. */
#ifndef CLI_TOP_TOPSCREEN_H
#define CLI_TOP_TOPSCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "pprof/report/livefilter.h"
#include "cli/top/text.h"

enum { TOPSCREEN_INPUT = 512, TOPSCREEN_MESSAGE = 600, TOPSCREEN_PATH = 64 };

struct topscreen {
	struct topview view; /* the recording's figures; refreshed unless paused */
	enum live_order order;
	struct livefilter filter;
	size_t first, selected; /* the top row and the selected one, among those that the filter
				 * matches */
	char *marked;	 /* the selected function, which stays selected when rows move; NULL: the
			  * row does; owned */
	size_t matching; /* their number, and how many the screen had room for, when it was */
	size_t room;	 /* drawn last */
	char *path[TOPSCREEN_PATH]; /* callers are shown: of the last, which calls the one before;
				     * owned */
	size_t path_count;	    /* 0: all functions are shown */
	bool paused, help;
	char prompt; /* '/' or 's' while something is typed in; else 0 */
	char input[TOPSCREEN_INPUT];
	char message[TOPSCREEN_MESSAGE]; /* about the last action */
};

/* What a key requests of the caller, which runs the recording. */
enum topscreen_wish {
	TOPSCREEN_NOTHING,
	TOPSCREEN_SORT,	    /* by .order */
	TOPSCREEN_TYPE,	    /* switch between wall time and CPU time */
	TOPSCREEN_CALLERS,  /* show the callers of .path */
	TOPSCREEN_RESUME,   /* the display is not paused any more */
	TOPSCREEN_ASK_NAME, /* prompt for the name of a file (topscreen_prompt) */
	TOPSCREEN_SAVE,	    /* to the file named in .input */
	TOPSCREEN_QUIT,
};

/* Acts on a key that screen_key returned. */
enum topscreen_wish topscreen_key(struct topscreen *s, int key);

/* Starts a prompt: `kind` as in .prompt, `text` is what its input begins with. */
void topscreen_prompt(struct topscreen *s, char kind, const char *text);

void topscreen_say(struct topscreen *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void topscreen_draw(struct topscreen *s);

/* Passes the lines of the last view to `put`, without the status: what is left on the terminal when
 * the screen is closed. Nothing if there was no view. */
void topscreen_leave(const struct topscreen *s, void (*put)(char *line));

void topscreen_release(struct topscreen *s);

#endif
