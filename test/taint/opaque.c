/* Built by another compiler. */
#include "library.h"
int opaque_square(int n) { return n * n; }
void opaque_calls_back(void (*function)(int), int n) { function(n); }
