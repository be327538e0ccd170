/*
 * The last step of unlog.h: detects a dump whose lines stand in the opposite order, newest first,
 * as Kibana, Loki and `gcloud logging read` export them. Read as it stands, each goroutine would
 * have the frames of another one. To turn it, all of it would have to be in memory: the user is
 * told instead.
 *
 * In such a dump a header stands behind a call and before a place; or a place, the creator's line,
 * its place and a call stand behind each other.
 */
#ifndef GOPARSE_LOG_ORDER_H
#define GOPARSE_LOG_ORDER_H

#include "goparse/log/lines/stage.h"

struct order {
	struct stage stage;
	bool call, place; /* the line before is a call, and the one before that a place */
	bool before;	  /* the line before is a place */
	bool newest_first;
};

/* A goparse_reader; `order` is a struct order. Also ERR_FORMAT: the newest line is the first. */
int order_read(void *order, void *buf, size_t len, size_t *got, struct error *err);

#endif
