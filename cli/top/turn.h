/* The profiles of top: what is done is taken over and shown or saved, what is due is requested. */
#ifndef CLI_TOP_TURN_H
#define CLI_TOP_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file/outfile.h"
#include "base/process/process.h"
#include "cli/top/options.h"
#include "cli/top/text.h"
#include "cli/top/topscreen.h"
#include "pprof/report/live.h"
#include "sampler/recording.h"

struct top {
	struct recording *r;
	const struct topoptions *o;
	struct topscreen screen; /* tables are made from it, too */
	bool on_screen, suspended;
	bool is_early;		  /* the next profile is the first, which comes early */
	bool cpu;		  /* with --wall: CPU time is shown nevertheless */
	uint64_t seen;		  /* number of the last profile that was taken over */
	uint64_t shown;		  /* number of profiles made to be shown, failed ones included */
	uint64_t due_ns;	  /* when to request the next, by the recording's elapsed time */
	struct topfigures before; /* the figures at the last profile */
	struct live live;
	struct recording_stats stats; /* at the profile that is shown */
	struct outfile file;	      /* of a profile that is being saved */
	bool save_due, saving, failed;
	char target[sizeof(((struct process *)0)->comm) + 16];
};

/* Takes over the profile that is done, requests the one that is due. */
void turn_take(struct top *t, const struct recording_stats *stats);

/* Requests a profile now, for `file` with all names. Errors as of recording_ask_interim. */
int turn_ask(struct top *t, struct outfile *file, struct error *err);

/* Makes rows from the newest profiles. If memory runs out, the old rows stay. */
void turn_refresh(struct top *t);

/* Has --count been reached? */
bool turn_all_shown(const struct top *t);

/* Opens the file whose name was entered; the next profile is saved there. */
void turn_begin_saving(struct top *t);

/* Prints a line of a table. */
void turn_put_line(char *line);

#endif
