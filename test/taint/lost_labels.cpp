// Loops whose length depends on a parameter in a way that labels do not show.
#include "parameter.h"
#include <vector>
static volatile int sum;
// A container that was filled element by element.
__attribute__((noinline)) static void over_elements(const std::vector<int>& of) {
    for (const int element : of)
        sum = sum + element;
}
// A length that was chosen by a branch.
__attribute__((noinline)) static void chosen(int count) {
    for (int i = 0; i < count; ++i)
        work();
}
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
    std::vector<int> elements;
    for (int i = 0; i < n; ++i)
        elements.push_back(i);
    over_elements(elements);
    int count = 1;
    if (n > 3) {
        work();
        count = 2;
    }
    chosen(count);
    if (argc > 5)
        not_called(argc);
    fixed();
    without_loop();
}
