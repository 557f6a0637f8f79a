// What recording allocations costs. With one of these pairs of arguments:
//
// - pair N: N pairs of malloc and free of 32 to 160 bytes, ten times. Prints how many ns a pair
//   took in the fastest of these.
// - containers N: fills and empties containers, with N blocks in all. Prints nothing.
// - live MIB: allocates this many MiB in blocks of 100 to 5000 bytes. Prints the largest resident
//   memory in KiB.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace {

void* volatile sink;

double ns_of_pair(long pairs) {
    double fastest = 1e9;
    for (int part = 0; part < 10; part++) {
        const auto start = std::chrono::steady_clock::now();
        for (long i = 0; i < pairs; i++) {
            sink = std::malloc(static_cast<std::size_t>(32 + (i & 127)));
            std::free(sink);
        }
        const std::chrono::duration<double, std::nano> time =
            std::chrono::steady_clock::now() - start;
        fastest = std::min(fastest, time.count() / static_cast<double>(pairs));
    }
    return fastest;
}

void fill_containers(long blocks) {
    constexpr int in_each = 1000;
    std::uint64_t sum = 0;
    for (long i = 0; i < blocks / (4 * in_each); i++) {
        std::map<int, std::string> names;
        std::list<std::vector<int>> lists;
        for (int k = 0; k < in_each; k++) {
            names[k * 7919 % in_each].assign(20 + static_cast<std::size_t>(k % 30), 'x');
            lists.emplace_back(10, k);
        }
        sum += names.size() + lists.size();
    }
    if (sum == 0)
        std::puts("nothing");
}

long resident_with(long mebibytes) {
    std::vector<char*> blocks;
    std::uint32_t random = 1;
    for (long bytes = mebibytes << 20; bytes > 0;) {
        random = random * 1664525 + 1013904223;
        const std::size_t size = 100 + (random >> 8) % 4900;
        blocks.push_back(static_cast<char*>(std::malloc(size)));
        std::memset(blocks.back(), 1, size);
        bytes -= static_cast<long>(size);
    }
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    for (char* block : blocks)
        std::free(block);
    return usage.ru_maxrss;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const long number = argc > 2 ? std::atol(argv[2]) : 0;
    if (what == "pair")
        std::printf("%.3f\n", ns_of_pair(number));
    else if (what == "containers")
        fill_containers(number);
    else if (what == "live")
        std::printf("%ld\n", resident_with(number));
    return 0;
}
