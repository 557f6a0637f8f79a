// The example of doc/parameters-json.md: what the loops of f depend on, in two calls.
//
// Functions are numbered in the order of the file: f, g, h, main. The first three are not static,
// so that they stay in that order; atoi, which is only called, comes last.
//
// f must begin in line 19, as on that page.
#include <cstdlib>

#include "parameter.h"

int global = 100;

int f(int a, int b, int c);
int g(int x, int y);
int h(int x);

// Its loops are numbered from the last to the first.

int f(int a, int b, int c) {
    int tmp = 1;
    for (int i = 0; i < b; ++i)
        tmp += 2 * i;
    for (int i = 0; i < a + b; ++i) {
        if (c > 5)
            tmp += i;
        else
            tmp += 2 * i;
    }
    for (int i = 0; i < a; ++i)
        tmp += 2 * i;
    return tmp;
}

int g(int x, int y) {
    int tmp = x;
    for (int i = 0; i < global; ++i)
        tmp += y;
    return tmp;
}

int h(int x) { return 2 * x; }

int main(int, char** argv) {
    int x1 = std::atoi(argv[1]);
    int x2 = 2 * x1;
    PARAMETER(x1);
    PARAMETER(x2);
    int y = 2 * x1 + 1;
    int result = f(x2, y, 10);
    result += f(x2, y, x1);
    return h(g(1, 2)) == result;
}
