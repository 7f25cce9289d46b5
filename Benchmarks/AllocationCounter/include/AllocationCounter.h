#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations can be counted on this platform: with glibc only.
bool allocation_counter_is_supported(void);

/// Starts counting from zero.
void allocation_counter_start(void);

/// Stops counting.
void allocation_counter_stop(void);

/// Bytes allocated and not freed since the start.
int64_t allocation_counter_live_bytes(void);

/// The most bytes that were live at one time since the start.
int64_t allocation_counter_peak_bytes(void);

#endif
