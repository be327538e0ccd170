/*
 * Names the functions that do the measuring, or that implement what was measured, by regular
 * expressions: google/pprof's, word for word (legacy_profile.go).
 */
#include "pprof/legacy/build.h"

#include <string.h>

#include "base/error.h"
#include "pprof/profile.h"

static const char allocators[] =
	"calloc|cfree|malloc|free|memalign|do_memalign|(__)?posix_memalign|pvalloc|"
	"valloc|realloc|tcmalloc::.*|tc_calloc|tc_cfree|tc_malloc|tc_free|tc_memalign|"
	"tc_posix_memalign|tc_pvalloc|tc_valloc|tc_realloc|tc_new|tc_delete|tc_newarray|"
	"tc_deletearray|tc_new_nothrow|tc_newarray_nothrow|malloc_zone_malloc|"
	"malloc_zone_calloc|malloc_zone_valloc|malloc_zone_realloc|malloc_zone_memalign|"
	"malloc_zone_free|runtime\\..*|BaseArena::.*|(::)?do_malloc_no_errno|"
	"(::)?do_malloc_pages|(::)?do_malloc|DoSampledAllocation|"
	"MallocedMemBlock::MallocedMemBlock|_M_allocate|__builtin_(vec_)?delete|"
	"__builtin_(vec_)?new|__gnu_cxx::new_allocator::allocate|__libc_malloc|"
	"__malloc_alloc_template::allocate|allocate|cpp_alloc|operator new(\\[\\])?|"
	"simple_alloc::allocate";

static const char not_allocators[] = "runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*";

static const char cpu_profilers[] =
	"ProfileData::Add|ProfileData::prof_handler|CpuProfiler::prof_handler|"
	"__pthread_sighandler|__restore";

static const char locks[] =
	"RecordLockProfileData|(base::)?RecordLockProfileData.*|"
	"(base::)?SubmitMutexProfileData.*|(base::)?SubmitSpinLockProfileData.*|"
	"(base::Mutex::)?AwaitCommon.*|(base::Mutex::)?Unlock.*|"
	"(base::Mutex::)?UnlockSlow.*|(base::Mutex::)?ReaderUnlock.*|"
	"(base::MutexLock::)?~MutexLock.*|(Mutex::)?AwaitCommon.*|(Mutex::)?Unlock.*|"
	"(Mutex::)?UnlockSlow.*|(Mutex::)?ReaderUnlock.*|(MutexLock::)?~MutexLock.*|"
	"(SpinLock::)?Unlock.*|(SpinLock::)?SlowUnlock.*|"
	"(SpinLockHolder::)?~SpinLockHolder.*";

/* A heap profile's sample types, joined by blanks, are one of these. */
static const char *const heap_types[] = {
	"allocations size",
	"objects space",
	"inuse_objects inuse_space",
	"alloc_objects alloc_space",
	"alloc_objects alloc_space inuse_objects inuse_space",
};

static bool legacy_frames_has_types(const struct profile *p, const char *types)
{
	for (size_t i = 0; i < p->type_count; i++) {
		const char *type = strset_get(&p->strings, p->types[i].type);
		size_t len = strlen(type);

		if (strncmp(types, type, len) || types[len] != (i + 1 < p->type_count ? ' ' : 0))
			return false;
		types += len + 1;
	}
	return p->type_count > 0;
}

int legacy_frames(struct profile *p)
{
	for (size_t i = 0; i < sizeof(heap_types) / sizeof(*heap_types); i++)
		if (legacy_frames_has_types(p, heap_types[i]))
			return profile_string(p, allocators, &p->drop_frames) ||
					       profile_string(p, not_allocators, &p->keep_frames) ?
				       ERR_NOMEM :
				       0;
	return profile_string(
		p, legacy_frames_has_types(p, "contentions delay") ? locks : cpu_profilers,
		&p->drop_frames);
}
