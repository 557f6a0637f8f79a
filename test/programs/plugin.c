/* A plugin for dlopen_plugins.c. NAME is its function. */
#ifndef NAME
#define NAME plugin_one
#endif
__attribute__((noinline)) int NAME(int n) { return n + 1; }
int call(int n);
int call(int n) { return NAME(n); }
void close_below(int (*close)(void*), void* handle);
void close_below(int (*close)(void*), void* handle) { close(handle); }
