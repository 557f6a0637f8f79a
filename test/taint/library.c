/* Built with the wrapper, as a static and as a shared library. */
#include "library.h"
#include "parameter.h"
static void inside(int n) {
    for (int i = 0; i < n; ++i)
        work();
}
void library_loop(int n) { inside(n); }
void library_calls_back(void (*function)(int), int n) { function(n + 1); }
