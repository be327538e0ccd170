/* Durations and sizes for people, everywhere alike: three digits and a unit. */
#ifndef BASE_AMOUNT_H
#define BASE_AMOUNT_H

#include <stdint.h>

enum { AMOUNT_ROOM = 32 };

/* Write "97.6 µs", "1.23 ms", "4.5 s", "2 min 03 s", "25 h 00 min"; "512 B", "12.3 MiB". Return
 * `text`. */
const char *amount_duration(uint64_t ns, char text[AMOUNT_ROOM]);
const char *amount_bytes(uint64_t bytes, char text[AMOUNT_ROOM]);

/* The same in a text that lives as long as the block in which this stands. */
#define shown_duration(ns) amount_duration(ns, (char[AMOUNT_ROOM]){ 0 })
#define shown_bytes(bytes) amount_bytes(bytes, (char[AMOUNT_ROOM]){ 0 })

#endif
