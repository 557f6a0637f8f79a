// Names: templates, overloads, namespaces, operators, lambdas.
#include <cstdio>
#include <map>
#include <string>

#define SEEN __attribute__((noinline))

struct A {
    int value = 0;
};
template <class T>
SEEN static T quicksort(T n) {
    return n + 1;
}
SEEN static int scaled(int n) { return n * 2; }
SEEN static double scaled(double n) { return n * 2; }
namespace space {
struct Thing {
    SEEN int operator()(int n) const { return n; }
    SEEN bool operator<(const Thing&) const { return false; }
};
}  // namespace space

int main() {
    space::Thing thing;
    auto lambda = [](int n) SEEN { return n + 3; };
    int sum = quicksort(1) + static_cast<int>(quicksort(1L)) + scaled(1) +
              static_cast<int>(scaled(1.0)) + thing(1) + (thing < thing) + lambda(1);
    std::printf("%d\n", sum);
}
