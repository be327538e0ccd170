/* What may be secret in a URL or a header, kept out of `ps`, profiles, messages and logs. */
#ifndef BASE_NET_SECRET_H
#define BASE_NET_SECRET_H

/* Removes user and password, and what follows '?' or '#', in place. Of a text in which a password
 * cannot be told from host and port, only the scheme stays. */
void secret_bare_url(char *url);

/* Replaces the value of "Name: value" by one '*', in place. What follows is overwritten. */
void secret_bare_header(char *line);

/* Replaces by stars what a server has quoted: the words of a header's value; the user, the password
 * and the values of the query of a URL. Words of less than 4 bytes stay, and so do those that name
 * an authentication scheme. The beginning of a word counts where `text` was cut: at its end, or
 * before "…". */
void secret_hide_header(char *text, const char *line);
void secret_hide_url(char *text, const char *url);
void secret_hide_query(char *text, const char *query);

#endif
