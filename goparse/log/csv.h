/*
 * A step of unlog.h: takes the column of a CSV file (RFC 4180) that has a dump, as exports of
 * Kibana, Datadog, Grafana and databases do: a row for each line, or the whole dump in a quoted
 * field. Fields are between commas, semicolons or tabs, and quoted or not.
 *
 * A header that is a field, or begins one in quotes, tells the column, if a frame is there in the
 * rows behind it or in the field. Rows that are too short are handed on as they are.
 */
#ifndef GOPARSE_LOG_CSV_H
#define GOPARSE_LOG_CSV_H

#include "goparse/log/lines/stage.h"

struct csv {
	struct stage stage;
	char delimiter;	 /* 0: it is no CSV so far */
	unsigned column; /* from 0 */
	bool last;	 /* it is a row's last one */
	enum { CSV_ROW, CSV_PLAIN, CSV_QUOTED, CSV_BEHIND, CSV_BEHIND_QUOTED } where;
	char put; /* the byte that was handed on last */
};

/* A goparse_reader; `csv` is a struct csv. */
int csv_read(void *csv, void *buf, size_t len, size_t *got, struct error *err);

#endif
