// links: rounds/push
/* Any bytes as a server's answer to a push by OTLP over gRPC: headers and trailers up to the first
 * NUL, then the content. */
#include "answers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return judge_any(&push_otlp_grpc, data, size);
}
