// Constructors of global objects, which run before main; references; unions.
#include "parameter.h"
static int n = 6;
struct Mark {
    Mark() { PARAMETER(n); }
};
static Mark mark;
struct Global {
    Global() {
        for (int i = 0; i < n; ++i)
            work();
    }
    int size = n + 1;
};
static Global global;
union Either {
    int number;
    float real;
};
static void of_union(const Either& either) {
    for (int i = 0; i < either.number; ++i)
        work();
}
int main() {
    Either either;
    either.number = global.size;
    of_union(either);
}
