// Labels pass through members of structures, arrays, globals and results of functions.
#include "parameter.h"
struct Box {
    int low, high;
    int length() const { return high - low; }
};
static Box box;
static int sizes[4];
static int global_size;
static int doubled(int n) { return 2 * n; }
static void of_member(const Box& of) {
    for (int i = 0; i < of.length(); ++i)
        work();
}
static void of_array(int which) {
    for (int i = 0; i < sizes[which]; ++i)
        work();
}
static void of_global() {
    for (int i = 0; i < global_size; ++i)
        work();
}
static void of_result(int n) {
    for (int i = 0; i < doubled(n); ++i)
        work();
}
int main() {
    int n = 5, m = 3, k = 2, l = 4;
    PARAMETER(n);
    PARAMETER(m);
    PARAMETER(k);
    PARAMETER(l);
    box.high = n;
    sizes[2] = m;
    global_size = k + 1;
    of_member(box);
    of_array(2);
    of_array(1);
    of_global();
    of_result(l);
}
