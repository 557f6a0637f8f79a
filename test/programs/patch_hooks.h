/* The interface of the library made from patch_hooks.cpp. Reading a counter resets it to 0. */
#ifndef PATCH_HOOKS_H
#define PATCH_HOOKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void patch_remove(int on); /* whether the hooks remove calls that reach them */
uint32_t patch_restore(void);
uint32_t patch_restore_function(void* function);
uint32_t patch_removed(void);
int patch_possible(void* function);
void patch_forget(void* start, void* end);
uint64_t patch_entries(void);
uint64_t patch_exits(void);
uint64_t patch_in_vain(void); /* calls that could not be removed */
uint64_t patch_not_now(void);

#ifdef __cplusplus
}
#endif

#define NOT_INSTRUMENTED __attribute__((no_instrument_function))

#endif
