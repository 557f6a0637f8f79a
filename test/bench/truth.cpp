// Leaves of about 1, 10 and 100 ns, 1 and 10 us, called from three callers in a known proportion: a
// profile of it can be compared with the times of calls measured over the whole loop.
//
//   truth mix BATCHES     prints "mix SECONDS"
//   truth one SECONDS     prints "leaf_N NS-PER-CALL", one kind of leaf at a time
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define UNSEEN __attribute__((no_instrument_function, noinline))
#define SEEN extern "C" __attribute__((noinline))

UNSEEN static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Each step needs the result of the previous one: about 1.2 ns, whatever else the processor does.
#define STEP(x) ((x)*6364136223846793005u + 1442695040888963407u)

SEEN std::uint64_t leaf_1(std::uint64_t x) { return STEP(x); }
SEEN std::uint64_t leaf_2(std::uint64_t x) {
    for (int i = 0; i < 8; i++)
        x = STEP(x);
    return x;
}
SEEN std::uint64_t leaf_3(std::uint64_t x) {
    for (int i = 0; i < 80; i++)
        x = STEP(x);
    return x;
}
SEEN std::uint64_t leaf_4(std::uint64_t x) {
    for (int i = 0; i < 800; i++)
        x = STEP(x);
    return x;
}
SEEN std::uint64_t leaf_5(std::uint64_t x) {
    for (int i = 0; i < 8000; i++)
        x = STEP(x);
    return x;
}

// The calls of one batch.
struct Kind {
    const char* name;
    std::uint64_t (*leaf)(std::uint64_t);
    int calls;
};
static const Kind kinds[] = {{"leaf_1", leaf_1, 400},
                             {"leaf_2", leaf_2, 200},
                             {"leaf_3", leaf_3, 100},
                             {"leaf_4", leaf_4, 20},
                             {"leaf_5", leaf_5, 2}};

__attribute__((always_inline, no_instrument_function)) static inline std::uint64_t
batch(std::uint64_t x) {
    for (int i = 0; i < kinds[0].calls; i++)
        x = leaf_1(x);
    for (int i = 0; i < kinds[1].calls; i++)
        x = leaf_2(x);
    for (int i = 0; i < kinds[2].calls; i++)
        x = leaf_3(x);
    for (int i = 0; i < kinds[3].calls; i++)
        x = leaf_4(x);
    for (int i = 0; i < kinds[4].calls; i++)
        x = leaf_5(x);
    return x;
}

SEEN std::uint64_t caller_a(std::uint64_t x) { return batch(x); }
SEEN std::uint64_t caller_b(std::uint64_t x) { return batch(x) + 1; }
SEEN std::uint64_t caller_c(std::uint64_t x) { return batch(x) + 2; }

// Of six batches, a has three, b two and c one.
SEEN std::uint64_t mix(int batches) {
    std::uint64_t x = 1;
    for (int i = 0; i < batches; i++)
        x = i % 6 < 3 ? caller_a(x) : i % 6 < 5 ? caller_b(x) : caller_c(x);
    return x;
}

static volatile std::uint64_t sink;

UNSEEN static double time_of(const Kind& kind, double seconds) {
    const int calls = kind.calls * 100;
    std::uint64_t x = 1;
    for (int i = 0; i < calls; i++)  // the first call removes the hooks
        x = kind.leaf(x);
    const double start = now();
    double time = 0, loops = 0;
    for (; time < seconds; time = now() - start, loops++)
        for (int i = 0; i < calls; i++)
            x = kind.leaf(x);
    sink = x;
    return time * 1e9 / (loops * calls);
}

__attribute__((no_instrument_function)) int main(int count, char** arguments) {
    if (count > 2 && std::strcmp(arguments[1], "one") == 0) {
        for (const Kind& kind : kinds)
            std::printf("%s %.4f\n", kind.name, time_of(kind, std::atof(arguments[2])));
    } else if (count > 2 && std::strcmp(arguments[1], "mix") == 0) {
        const double start = now();
        sink = mix(std::atoi(arguments[2]));
        std::printf("mix %.6f\n", now() - start);
    } else {
        return 2;
    }
    return 0;
}
