/* What the reports that are JSON share. A report is one object:
 *
 *   reportjson_open -> reportjson_selection -> reportjson_rows, each behind reportjson_row
 *   -> reportjson_close
 *
 * docs/report.schema.json describes it. All keys are always present; an unknown value is null. */
#ifndef PPROF_REPORT_REPORTJSON_H
#define PPROF_REPORT_REPORTJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

struct error;
struct nodes;
struct profile;
struct report_view;

/* {"format":…,"report":REPORT */
void reportjson_open(struct json *j, const char *report);

/* ,"profile":{…}: `total` is what is 100 %. */
void reportjson_profile(struct json *j, const struct profile *p, const struct report_view *v,
			int64_t total);

/* ,"sample_type":…,"unit":… */
void reportjson_type(struct json *j, const struct profile *p, const struct report_view *v);

/* "time":…,"duration_ns":…; 0: not known. */
void reportjson_times(struct json *j, int64_t time_nanos, int64_t duration_nanos);

/* ,"selection":{…} */
void reportjson_selection(struct json *j, const struct report_view *v);

/* What stands before the i-th element of an array on lines of their own. False: nothing more is to
 * be added, since the text is too long or memory has run out. */
bool reportjson_row(struct json *j, size_t i);

/* "name":…,"function":… and the other parts of a node's name. */
void reportjson_node(struct json *j, const struct nodes *nodes, uint32_t node);

/* ,"KEY":NUMBER, or null where it is not known. */
void reportjson_number(struct json *j, const char *key, int64_t number, bool known);

/* ,"frames":[…], the outermost last, or null: `stack` has them separated by ';', the outermost
 * first. */
void reportjson_frames(struct json *j, const char *stack, bool known);

/* Closes array and object. Returns j->rc and sets its message. */
int reportjson_close(struct json *j, struct error *err);

#endif
