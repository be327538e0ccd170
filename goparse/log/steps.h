/* The steps of unlog.h. Each is in a file of its own, which says what the step does. Its struct
 * begins with a stage and has, for unlog_tell, what was done. */
#ifndef GOPARSE_LOG_STEPS_H
#define GOPARSE_LOG_STEPS_H

#include "goparse/log/lines/aside.h"
#include "goparse/log/lines/runs.h"
#include "goparse/log/lines/stage.h"

struct charset {
	struct stage stage;
	enum { CHARSET_PLAIN, CHARSET_UTF, CHARSET_RETURNS } is;
	size_t width;	 /* of a unit of CHARSET_UTF in bytes: 2 or 4 */
	bool big_endian; /* its first byte is the most significant one */
};

struct signs {
	struct stage stage;
	bool told;     /* a header has said which: */
	bool spaces;   /* no-break spaces, also as entities */
	bool latin;    /* they are ISO 8859-1's */
	bool entities; /* of HTML */
	bool colours;  /* ECMA-48's SGR */
	enum { SIGNS_NONE, SIGNS_ODD, SIGNS_PERCENT, SIGNS_BASE64 } clue;
	/* How many newlines came before; the clue's line, from 1, once there is one. */
	uint64_t line;
	char excerpt[64]; /* of the clue */
};

enum { PIECES_ASIDE_MAX = 1 << 20 };

struct pieces {
	struct stage stage;
	bool used;	       /* some were joined */
	char open;	       /* the stream whose line goes on: 'o' or 'e'; 0: none */
	bool newline;	       /* ends the present line */
	struct buffer between; /* lines of others since it began */
	uint64_t left_out;     /* those for which there was no room */
};

struct csv {
	struct stage stage;
	char delimiter;	 /* 0: it is no CSV so far */
	unsigned column; /* from 0 */
	bool last;	 /* it is a row's last one */
	enum { CSV_ROW, CSV_PLAIN, CSV_QUOTED, CSV_BEHIND, CSV_BEHIND_QUOTED } where;
	char put; /* the byte that was handed on last */
};

enum { QUOTED_KEY_MAX = 64 };

struct quoted {
	struct stage stage;
	bool used;		  /* escapes were undone */
	bool pieces;		  /* values were joined */
	bool piece;		  /* the line says that the value goes on in the next one */
	char key[QUOTED_KEY_MAX]; /* `"log"` with its quotes, or `msg`; key_len 0: not known */
	size_t key_len;
	char sign;	 /* behind the key: ':' or '=' */
	bool many;	 /* the key is many times in a line */
	bool indented;	 /* the strings stand on lines of their own */
	bool listed;	 /* a list was read */
	struct runs gap; /* between two strings of a list; empty: it is none */
	enum { QUOTED_LINE, QUOTED_VALUE, QUOTED_GAP, QUOTED_BEHIND } where;
	char end;	  /* of the value: '"', or 0 for the line's end */
	char mark;	  /* of its escapes: '\\' or '#' */
	size_t value_len; /* of what is handed on */
	char last;	  /* byte that was handed on; 0: the value has begun */
};

enum { JOINED_END_MAX = 16 };

struct joined {
	struct stage stage;
	char end[JOINED_END_MAX]; /* of a line */
	size_t end_len;		  /* 0: blanks */
	size_t blanks;		  /* behind an end */
	enum { JOINED_OUT, JOINED_IN, JOINED_IN_BLANKS } where;
	bool place; /* of lines between blanks: a place comes next */
	bool used;
};

/* The step takes something off the end of each line: there is a newline in `end`. */
static inline bool joined_is_lines(const struct joined *j)
{
	return j->end_len && j->end[j->end_len - 1] == '\n';
}

struct prefix {
	struct stage stage; /* reads from `aside` */
	struct aside aside;
	struct runs like;	 /* the present prefix; empty: none yet */
	struct runs first, then; /* the first one, and the last that is not like it */
	bool exact;		 /* names in it do not vary */
	size_t seen;		 /* the next bytes, in which it was looked for */
	bool goes_on;		 /* behind them it follows, in the present dump */
	bool others;		 /* another dump is among the lines */
	bool drops;		 /* the rest of a line is left out */
	struct runs lost;	 /* before the first line of a dump that was left out */
	uint64_t lost_count;
};

struct spaced {
	struct stage stage;
	bool is;     /* the dump is so */
	bool behind; /* the line before was not empty: an empty one is taken out */
};

struct order {
	struct stage stage;
	bool call, place; /* the line before is a call, and the one before that a place */
	bool before;	  /* the line before is a place */
	bool newest_first;
};

stage_work charset_work, signs_work, pieces_work, csv_work, quoted_work, joined_work, spaced_work,
	order_work;

void pieces_release(struct pieces *p);

/* Makes a step that reads from `read`. The caller calls prefix_release. ERR_NOMEM. */
int prefix_init(struct prefix *p, goparse_reader *read, void *ctx);
void prefix_release(struct prefix *p);

/* goparse_readers: `prefix` is a struct prefix, `order` a struct order. order_read also returns
 * ERR_FORMAT: the newest line is the first. */
int prefix_read(void *prefix, void *buf, size_t len, size_t *got, struct error *err);
int order_read(void *order, void *buf, size_t len, size_t *got, struct error *err);

#endif
