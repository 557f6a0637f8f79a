// Loops whose length depends on a parameter in a way that labels do not show.
#include "parameter.h"
static volatile int sum;
// A container of another library, filled element by element.
struct matrix {
    int values[100];
    int size = 0;
    __attribute__((noinline)) void add(int value) { values[size++] = value; }
};
__attribute__((noinline)) static void over_matrix(const matrix& of) {
    for (int i = 0; i < of.size; ++i)
        sum = sum + of.values[i];
}
// A length that was chosen by a branch.
__attribute__((noinline)) static void chosen(int count) {
    for (int i = 0; i < count; ++i)
        work();
}
__attribute__((noinline)) static void calls_chosen(int count) { chosen(count); }
__attribute__((noinline)) static void not_called(int count) {
    for (int i = 0; i < count; ++i)
        work();
}
__attribute__((noinline)) static void fixed() {
    for (int i = 0; i < 10; ++i)
        work();
}
__attribute__((noinline)) static void without_loop() { work(); }
int main(int argc, char**) {
    int n = 5;
    PARAMETER(n);
    matrix elements;
    for (int i = 0; i < n; ++i)
        elements.add(i);
    over_matrix(elements);
    int count = 1;
    if (n > 3) {
        work();
        count = 2;
    }
    calls_chosen(count);
    if (argc > 5)
        not_called(argc);
    fixed();
    without_loop();
}
