// The plugin of reloads_plugin, whose work a function of the version's name does (-DWORK=name).
static __attribute__((noinline)) int WORK(int x) {
    __asm__ volatile("");
    return x + 1;
}

int plugin(int x) { return WORK(x) + WORK(x); }
