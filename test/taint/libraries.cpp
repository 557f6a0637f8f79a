// Loops in libraries; labels that are lost in one that is not analysed.
#include "library.h"
#include "parameter.h"
static void callback(int n) {
    for (int i = 0; i < n; ++i)
        work();
}
static void lost(int n) {
    for (int i = 0; i < n; ++i)
        work();
}
int main() {
    int n = 3, m = 4;
    PARAMETER(n);
    PARAMETER(m);
    library_loop(n);
    library_calls_back(callback, m);
    lost(opaque_square(n));
    opaque_calls_back(lost, m);
}
