/* Opened by sample_running while it is sampled. */
__attribute__((noinline)) void plugin_calls(void (*function)(int), int rounds) {
    function(rounds);
    __asm__ volatile("");
}
