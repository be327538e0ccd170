/*
 * Parses a goroutine's header, as goroutineheader of src/runtime/traceback.go prints it:
 * "goroutine 18 gp=0xc000102380 m=nil [chan receive (scan), 2 minutes, locked to thread]:".
 */
#ifndef GOPARSE_HEADER_H
#define GOPARSE_HEADER_H

#include "goparse/goparse.h"

/* Memory for labels, reused for the next header. {0} is empty. */
struct header_room {
	struct goparse_label *labels;
	size_t label_room;
	char *text; /* of labels, unescaped */
	size_t text_room;
};

enum header_found {
	HEADER_NONE, /* not a header: nothing of the goroutine is set */
	HEADER_WHOLE,
	HEADER_PARTLY, /* with an unknown attribute or broken labels: all else is set */
};

bool header_begins(struct goparse_text line);

/* True if a header begins the line, or ends it behind other text: "2026/11/28 18:48:53 stacks:
 * goroutine 1 [running]:" of log.Printf("stacks: %s", buf), or a byte order mark. *header is the
 * header. Behind the first HEADER_PREFIX_MAX bytes of a line none is sought. */
enum { HEADER_PREFIX_MAX = 4096 };
bool header_find(struct goparse_text line, struct goparse_text *header);

/* The first "goroutine 18 [" or "goroutine 18 gp=" that begins in the line's first `most` bytes;
 * NULL: none. */
const char *header_front(struct goparse_text line, size_t most);

/* The id in a header that header_find has found; 0: it has none that can be read. */
uint64_t header_id(struct goparse_text header);

/* True if header_find may find a header when more of the line is there. */
bool header_may_follow(struct goparse_text part);

/* Parses a header into *g, which must be all zeros except for g->line. 0 or ERR_NOMEM. */
int header_parse(struct goparse_text line, struct goparse_goroutine *g, struct header_room *room,
		 enum header_found *found);

void header_release(struct header_room *room);

/* "[originating from goroutine 7]:" */
bool header_ancestor_begins(struct goparse_text line);
bool header_ancestor(struct goparse_text line, uint64_t *id);

#endif
