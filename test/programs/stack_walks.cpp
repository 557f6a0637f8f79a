// Deep and awkward stacks in quick succession, all with unwind tables.
#include <algorithm>
#include <alloca.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

static volatile int result;

// Its stack is realigned, and of no fixed size.
__attribute__((noinline)) static int realigned(int size) {
    alignas(64) volatile char words[128];
    char* more = static_cast<char*>(alloca(size));
    std::memset(more, size, size);
    words[size % 128] = more[size / 2];
    return words[size % 128] + more[0];
}

// More arguments than registers: they are pushed before the call.
__attribute__((noinline)) static int pushed(int a, int b, int c, int d, int e, int f, int g,
                                            int h) {
    return realigned((a + b + c + d + e + f + g + h) % 200 + 1);
}

__attribute__((noinline)) static int deep(int depth) {
    return depth == 0 ? pushed(1, 2, 3, 4, 5, 6, 7, 8)
                      : deep(depth - 1) + pushed(depth, 1, 2, 3, 4, 5, 6, 7);
}

__attribute__((noinline)) static void throwing(int depth) {
    std::string text(depth, 'x');
    if (depth == 0)
        throw std::runtime_error("far below");
    throwing(depth - 1);
}

static int compare(const void* a, const void* b) {
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

static void handler(int) { result = result + deep(10); }

int main() {
    std::signal(SIGUSR1, handler);
    std::map<std::string, std::function<int(int)>> functions{{"deep", deep},
                                                             {"realigned", realigned}};
    unsigned long sum = 0;
    for (int turn = 0; turn < 2000; turn++) {
        try {
            throwing(turn % 30);
        } catch (const std::exception& error) {
            sum += std::strlen(error.what());
        }
        std::vector<int> numbers;
        for (int i = 0; i < 300; i++)
            numbers.push_back((i * 7919 + turn) % 1009);
        std::qsort(numbers.data(), numbers.size(), sizeof numbers[0], compare);
        std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a % 10 < b % 10; });
        sum += numbers[10] + functions["deep"](turn % 100) + functions["realigned"](turn % 200 + 1);
        char text[100];
        std::snprintf(text, sizeof text, "%d %f %s", turn, turn * 1.5, "text");
        sum += std::regex_search(text, std::regex("([0-9]+) .*text")) + std::strtod(text, nullptr);
        std::raise(SIGUSR1);
    }
    std::printf("%lu\n", sum);
}
