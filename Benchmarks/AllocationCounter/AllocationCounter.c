// Counts what a program allocates, by standing in front of the C library's allocator: an executable's own `malloc` is
// the one that the Swift runtime finds.

#include "AllocationCounter.h"

#include <stddef.h>

#if defined(__linux__) && __has_include(<gnu/libc-version.h>)

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static atomic_bool is_counting;
static _Atomic int64_t live_bytes;
static _Atomic int64_t peak_bytes;

static void count(int64_t bytes) {
    int64_t live = atomic_fetch_add_explicit(&live_bytes, bytes, memory_order_relaxed) + bytes;
    int64_t peak = atomic_load_explicit(&peak_bytes, memory_order_relaxed);
    while (live > peak
           && !atomic_compare_exchange_weak_explicit(
               &peak_bytes, &peak, live, memory_order_relaxed, memory_order_relaxed)) {
    }
}

static inline bool counts(void) {
    return atomic_load_explicit(&is_counting, memory_order_relaxed);
}

static inline void *counted(void *block) {
    if (counts() && block != NULL) count((int64_t)malloc_usable_size(block));
    return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t items, size_t size) { return counted(__libc_calloc(items, size)); }

void *realloc(void *block, size_t size) {
    if (!counts()) return __libc_realloc(block, size);
    int64_t before = block == NULL ? 0 : (int64_t)malloc_usable_size(block);
    void *moved = __libc_realloc(block, size);
    if (moved != NULL) count((int64_t)malloc_usable_size(moved) - before);
    return moved;
}

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *aligned = counted(__libc_memalign(alignment, size));
    if (aligned == NULL) return ENOMEM;
    *block = aligned;
    return 0;
}

void free(void *block) {
    if (counts() && block != NULL) count(-(int64_t)malloc_usable_size(block));
    __libc_free(block);
}

bool allocation_counter_is_supported(void) { return true; }

void allocation_counter_start(void) {
    atomic_store(&live_bytes, 0);
    atomic_store(&peak_bytes, 0);
    atomic_store(&is_counting, true);
}

void allocation_counter_stop(void) { atomic_store(&is_counting, false); }

int64_t allocation_counter_live_bytes(void) { return atomic_load(&live_bytes); }

int64_t allocation_counter_peak_bytes(void) { return atomic_load(&peak_bytes); }

#else

bool allocation_counter_is_supported(void) { return false; }
void allocation_counter_start(void) {}
void allocation_counter_stop(void) {}
int64_t allocation_counter_live_bytes(void) { return 0; }
int64_t allocation_counter_peak_bytes(void) { return 0; }

#endif
