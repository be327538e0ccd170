/* The names of labels, as engines take them. Internal to rounds/push/. */
#ifndef ROUNDS_PUSH_LABEL_H
#define ROUNDS_PUSH_LABEL_H

struct buffer;

/* Appends a text with '_' for each character that is no letter or digit of ASCII, nor among
 * `others`. ERR_NOMEM. */
int pushlabel_clean(struct buffer *b, const char *text, const char *others);

/* The same with '_' before a digit: a Prometheus label's name does not begin with one. */
int pushlabel_name(struct buffer *b, const char *text, const char *others);

#endif
