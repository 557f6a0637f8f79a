// Prints the libraries that were loaded before its own, and calls a function of its own library.
#include <stdio.h>
#include <stdlib.h>

#ifdef CALLS
void CALLS(void);
#endif

int main(void) {
    const char* preloaded = getenv("LD_PRELOAD");
    puts(preloaded ? preloaded : "");
#ifdef CALLS
    CALLS();
#endif
    return 0;
}
