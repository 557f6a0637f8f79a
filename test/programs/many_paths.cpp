// One million call paths from eleven functions: a tree of depth 6 with 10 children per node.
#include <cstdio>
#include <utility>

static long calls;

template <int Digit>
__attribute__((noinline)) void step(int depth);

template <int... Digit>
static inline void all(int depth, std::integer_sequence<int, Digit...>) {
    (step<Digit>(depth), ...);
}
template <int Digit>
void step(int depth) {
    calls++;
    if (depth > 1)
        all(depth - 1, std::make_integer_sequence<int, 10>{});
}

int main(int count, char**) {
    all(count > 1 ? 2 : 6, std::make_integer_sequence<int, 10>{});
    std::printf("%ld\n", calls);
}
