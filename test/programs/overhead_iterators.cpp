// Loops over a container, in which functions without effect are inlined: gcc loads their addresses
// behind the loop, and jumps back to its condition.
#include <cstdio>
#include <vector>

__attribute__((noinline)) double pass(std::vector<double>& values) {
    double sum = 0;
    for (int round = 0; round < 12; ++round)
        for (double& value : values)
            sum += value = value * 0.999 + 0.001;
    return sum;
}

int main() {
    std::vector<double> values(1 << 20, 1.0);
    double sum = 0;
    for (int i = 0; i < 5; ++i)
        sum += pass(values);
    std::printf("%g\n", sum);
}
