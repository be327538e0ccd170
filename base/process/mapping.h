/* An executable range of a process. */
#ifndef BASE_PROCESS_MAPPING_H
#define BASE_PROCESS_MAPPING_H

#include <stdint.h>

struct image;

struct mapping {
	uint64_t start, end; /* addresses in the process, end exclusive */
	uint64_t offset;     /* in the file, bytes */
	uint64_t bias;	     /* address in the process - image address */
	struct image *image; /* never NULL */
};

#endif
