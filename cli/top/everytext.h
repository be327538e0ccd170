/* What `sampler top` shows of all processes, as lines of text: the same for screen and table. */
#ifndef CLI_TOP_EVERYTEXT_H
#define CLI_TOP_EVERYTEXT_H

#include <stdint.h>

struct population;
struct population_process;

/* Each writes a line into EVERYTEXT_LINE bytes. Names may hold any bytes. */
enum { EVERYTEXT_LINE = 320 };
void everytext_head(const struct population *all, char *line);
void everytext_columns(char *line);
void everytext_row(const struct population_process *p, uint64_t interval_ns, char *line);

#endif
