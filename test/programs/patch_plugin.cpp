// A shared library whose functions are called without pause.
#include "patch_work.hpp"

extern "C" __attribute__((visibility("default"))) NOT_INSTRUMENTED long plugin_work(int x) {
    return patch_work(x, false);
}
