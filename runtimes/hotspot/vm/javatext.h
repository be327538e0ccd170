/*
 * Texts as a HotSpot VM keeps them, to UTF-8: symbols (modified UTF-8: JVM specification, 4.4.7)
 * and strings; class names and descriptors as Java's stack traces and sources write them.
 */
#ifndef RUNTIMES_HOTSPOT_VM_JAVATEXT_H
#define RUNTIMES_HOTSPOT_VM_JAVATEXT_H

#include <stddef.h>
#include <stdint.h>

enum { JAVATEXT_GROWTH = 3 }; /* UTF-8 has at most so many times the bytes, or the UTF-16 units */

/* Modified UTF-8 to UTF-8: a character beyond U+FFFF has there a surrogate pair's six bytes, a NUL
 * two. What is no character, and a NUL, becomes U+FFFD. `to` has room for JAVATEXT_GROWTH * len + 1
 * bytes. Returns the length; a NUL follows. */
size_t javatext_symbol(const uint8_t *bytes, size_t len, char *to);

/* The name of a class: "com.example.Shop$Inner" of "com/example/Shop$Inner". A hidden class has an
 * address in its symbol, behind "+", which Java writes as "Shop$$Lambda/0x00007f3d1c000a00". As
 * javatext_symbol. */
size_t javatext_class(const uint8_t *bytes, size_t len, char *to);

enum { JAVATEXT_PARAMETERS_GROWTH = 9 }; /* "boolean, " of "Z" */

/* "(int, String[], Entry)" of "(I[Ljava/lang/String;Ljava/util/Map$Entry;)V": the parameters' types
 * without their packages, as in the source. `to` has room for JAVATEXT_PARAMETERS_GROWTH * len + 1
 * bytes. Returns the length; 0: it is no method's descriptor. */
size_t javatext_parameters(const uint8_t *bytes, size_t len, char *to);

/* UTF-16 units to UTF-8, as javatext_symbol. */
size_t javatext_utf16(const uint16_t *units, size_t count, char *to);

/* The same of LATIN1, one byte for each character. */
size_t javatext_latin1(const uint8_t *bytes, size_t len, char *to);

#endif
