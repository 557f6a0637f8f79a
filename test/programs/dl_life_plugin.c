/* The plugin of dl_life.c. */
#define FUNCTION __attribute__((noinline)) static

FUNCTION void plugin_work(void) { __asm__ volatile(""); }
__attribute__((constructor, noinline)) static void plugin_begins(void) { plugin_work(); }
__attribute__((destructor, noinline)) static void plugin_ends(void) { plugin_work(); }
void use_plugin(void);
__attribute__((noinline)) void use_plugin(void) {
    plugin_work();
    plugin_work();
}
