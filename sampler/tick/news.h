/*
 * What the rings of the perf events tell besides samples: a process has mapped code, executed a
 * program, made a thread or a process, or a thread of it ends. What is told need not be asked for,
 * which is most of a round's cost where there are many processes: lists of threads, maps, children,
 * whether the address space is still the same.
 *
 * What is not told: that mappings have gone or moved (munmap(2), mremap(2)), and what was lost with
 * a full ring. So all is asked for now and then all the same.
 */
#ifndef SAMPLER_TICK_NEWS_H
#define SAMPLER_TICK_NEWS_H

#include <stdbool.h>

struct event;
struct member;
struct round;

/* Notes what a record tells of a member, but for what it has made (lineage.h). Stacks of a program
 * that it leaves are walked first. */
void news_take(struct round *r, struct member *m, const struct event *e);

/* Are processes told of that are made now? */
bool news_tell_children(const struct round *r);

/* By the news, is the last list of its threads still true? Are its maps, as they were read last?
 * Does it have the address space that was met last? False: not known; ask. */
bool news_list_holds(const struct round *r, const struct member *m);
bool news_maps_hold(const struct round *r, const struct member *m);
bool news_space_holds(const struct round *r, const struct member *m);

/* Are all children known that processes of the round have made? */
bool news_children_hold(const struct round *r);

/* After maps were read: may they be those of a program that the process has executed since, whose
 * record is not read yet? Then stacks taken before now are not walked with them. */
bool news_doubt_maps(const struct round *r, struct member *m);

/* After another address space was met: sets since when the process has it, which is when it
 * executed the program, if that is told, and else now. */
void news_date_space(const struct round *r, struct member *m);

#endif
