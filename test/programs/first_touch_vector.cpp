// Threads work on parts of a std::vector, whose constructor fills it with zeros in the main thread
// ("serial"), or on an array that each thread fills itself ("parallel"). Prints the sum.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sched.h>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t count = 8 << 20;
constexpr int rounds = 120;

void bind_to(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

__attribute__((noinline)) double add_up(const double* from, std::size_t numbers) {
    double sum = 0;
    for (int round = 0; round < rounds; round++)
        for (std::size_t i = 0; i < numbers; i++)
            sum += from[i];
    return sum;
}

void run(double* field, const int* processors, bool fills) {
    double sums[2];
    auto work = [&](int half) {
        bind_to(processors[half]);
        double* const begin = field + static_cast<std::size_t>(half) * (count / 2);
        if (fills)
            std::fill(begin, begin + count / 2, 1.0);
        sums[half] = add_up(begin, count / 2);
    };
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    std::printf("%.0f\n", sums[0] + sums[1]);
}

__attribute__((noinline)) void with_vector(const int* processors) {
    std::vector<double> field(count);
    run(field.data(), processors, false);
}

__attribute__((noinline)) void with_array(const int* processors) {
    const std::unique_ptr<double[]> field(new double[count]);
    run(field.get(), processors, true);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4)
        return 2;
    const int processors[] = {std::atoi(argv[2]), std::atoi(argv[3])};
    bind_to(processors[0]);
    if (argv[1] == std::string_view("parallel"))
        with_array(processors);
    else
        with_vector(processors);
}
