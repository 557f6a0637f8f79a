// Lambdas with captures, std::function, templates.
#include "parameter.h"
#include <algorithm>
#include <functional>
template <typename Size>
static void repeat(Size count, const std::function<void()>& action) {
    for (Size i = 0; i < count; ++i)
        action();
}
template <int extra, typename Action>
static void direct(int count, Action action) {
    for (int i = 0; i < count + extra; ++i)
        action(i);
}
int main() {
    int n = 3, m = 4;
    PARAMETER(n);
    PARAMETER(m);
    repeat<long>(n, [=] {
        for (int j = 0; j < m; ++j)
            work();
    });
    direct<2>(m, [](int) { work(); });
}
