// Threads that randomly recurse, throw, jump, load and unload a library, fork, make threads and
// end: "stress SEED PLUGIN". Counts its calls itself and prints "name count" lines; its actions
// depend only on the seed.
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define BARE __attribute__((no_instrument_function))
#define FUNCTION __attribute__((noinline)) static
// clang-format off
#define FUNCTIONS(ROW) \
    ROW(main) ROW(worker) ROW(run_actions) ROW(act) ROW(leaf) ROW(recurse) ROW(ping) ROW(pong) \
    ROW(catches) ROW(rethrows) ROW(throws_deep) ROW(lands) ROW(jumps_deep) ROW(in_region) \
    ROW(loads) ROW(call) ROW(plugin_one) ROW(forks) ROW(child_work) ROW(spawns) ROW(leaves) \
    ROW(region) ROW(ends) ROW(end_of_other)
// clang-format on

enum {
#define ROW(name) count_##name,
    FUNCTIONS(ROW)
#undef ROW
        functions
};
static const char* const names[] = {
#define ROW(name) #name,
    FUNCTIONS(ROW)
#undef ROW
};
static long counts[functions];
static const char* plugin_path;
constexpr int first_threads = 3, actions = 250, generations = 3, max_threads = 4000;
static pthread_t threads[max_threads];
static int thread_count;
// A fork while a library is being loaded leaves the child with a locked loader.
static pthread_mutex_t loader = PTHREAD_MUTEX_INITIALIZER;

// Absent when the program runs alone.
extern "C" __attribute__((weak)) void vftrace_region_begin(const char*);
extern "C" __attribute__((weak)) void vftrace_region_end(const char*);

BARE static void count(int function, long calls = 1) {
    __atomic_fetch_add(&counts[function], calls, __ATOMIC_RELAXED);
}

struct Random {
    std::uint64_t state;
    int generation;  // 0: the main thread
    BARE explicit Random(std::uint64_t seed, int generation)
        : state(seed * 0x9e3779b97f4a7c15u + 1), generation(generation) {
        below(2);
        below(2);
    }
    BARE int below(int limit) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return static_cast<int>((state >> 20) % static_cast<unsigned>(limit));
    }
};

FUNCTION void leaf() { count(count_leaf); }
FUNCTION void recurse(int n) {
    count(count_recurse);
    n > 0 ? recurse(n - 1) : leaf();
}
static void pong(int n);
__attribute__((noinline)) static void ping(int n) {
    count(count_ping);
    n > 0 ? pong(n - 1) : leaf();
}
__attribute__((noinline)) static void pong(int n) {
    count(count_pong);
    n > 0 ? ping(n - 1) : leaf();
}
FUNCTION void throws_deep(int n) {
    count(count_throws_deep);
    if (n == 0)
        throw 1;
    throws_deep(n - 1);
    leaf();
}
FUNCTION void rethrows(int n) {
    count(count_rethrows);
    try {
        throws_deep(n);
    } catch (...) {
        leaf();
        throw;
    }
}
FUNCTION void catches(int n) {
    count(count_catches);
    try {
        rethrows(n);
    } catch (int) {
        leaf();
    }
    leaf();
}
FUNCTION void jumps_deep(std::jmp_buf& back, int n) {
    count(count_jumps_deep);
    if (n == 0)
        std::longjmp(back, 1);
    if (n > 0)
        jumps_deep(back, n - 1);
    leaf();
}
FUNCTION void lands(int n) {
    std::jmp_buf back;
    count(count_lands);
    if (setjmp(back) == 0)
        jumps_deep(back, n);
    leaf();
}
FUNCTION void loads(int calls) {
    count(count_loads);
    pthread_mutex_lock(&loader);
    void* plugin = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
    auto function = reinterpret_cast<int (*)(int)>(plugin ? dlsym(plugin, "call") : nullptr);
    for (int i = 0; function && i < calls; i++) {
        count(count_call);
        count(count_plugin_one);
        function(i);
    }
    if (plugin)
        dlclose(plugin);
    pthread_mutex_unlock(&loader);
}
FUNCTION void child_work() { asm volatile(""); }
FUNCTION void forks(int calls, bool directly) {
    int status = 0;
    count(count_forks);
    pthread_mutex_lock(&loader);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < calls; i++)
            child_work();
        directly ? _exit(7) : exit(7);
    }
    pthread_mutex_unlock(&loader);
    if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7)
        count(count_child_work, calls);
}
FUNCTION void leaves() {
    count(count_leaves);
    pthread_exit(nullptr);
}

static void run_actions(Random& random);
__attribute__((noinline)) static void* worker(void* argument) {
    Random random = *static_cast<Random*>(argument);
    std::free(argument);
    count(count_worker);
    run_actions(random);
    return nullptr;
}
FUNCTION void spawns(Random& random) {
    count(count_spawns);
    int number = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
    if (number >= max_threads)
        abort();
    auto* argument = static_cast<Random*>(std::malloc(sizeof(Random)));
    *argument = Random(static_cast<std::uint64_t>(random.below(1 << 30)), random.generation + 1);
    if (pthread_create(&threads[number], nullptr, worker, argument) != 0)
        abort();
}

static void act(Random& random, int depth);
FUNCTION void in_region(Random& random, int depth) {
    count(count_in_region);
    count(count_region);
    if (vftrace_region_begin)
        vftrace_region_begin("region");
    act(random, depth);
    if (vftrace_region_end)
        vftrace_region_end("region");
}
__attribute__((noinline)) static void act(Random& random, int depth) {
    count(count_act);
    int what = random.below(1000);
    if (what < 300)
        leaf();
    else if (what < 400)
        recurse(random.below(30));
    else if (what < 450)
        ping(random.below(40));
    else if (what < 550)
        catches(random.below(10));
    else if (what < 650)
        lands(random.below(10));
    else if (what < 680)
        loads(1 + random.below(3));
    else if (what < 683)
        forks(1 + random.below(20), random.below(4) == 0);
    else if (what < 692 && random.generation < generations)
        spawns(random);
    else if (what < 693 && random.generation > 0)
        leaves();
    else if (what < 800 && depth < 5)
        in_region(random, depth + 1);
    else if (depth < 5) {
        act(random, depth + 1);
        act(random, depth + 1);
    }
}
__attribute__((noinline)) static void run_actions(Random& random) {
    count(count_run_actions);
    for (int i = 0; i < actions; i++)
        act(random, 0);
}

BARE static void print_counts() {
    for (int i = 0; i < functions; i++)
        std::printf("%s %ld\n", names[i], counts[i]);
    std::fflush(stdout);
}
FUNCTION void ends(int status) {
    count(count_ends);
    print_counts();
    if (status > 0)
        exit(status);
}
FUNCTION void* end_of_other(void*) {
    count(count_end_of_other);
    ends(5);
    return nullptr;
}

int main(int argument_count, char** arguments) {
    if (argument_count < 3)
        return 2;
    Random random(std::strtoull(arguments[1], nullptr, 10), 0);
    plugin_path = arguments[2];
    count(count_main);
    for (int i = 0; i < first_threads; i++)
        spawns(random);
    run_actions(random);
    // A thread has a higher number than its creator: when all up to the last have ended, there are
    // no others.
    for (int i = 0; i < __atomic_load_n(&thread_count, __ATOMIC_RELAXED); i++)
        pthread_join(threads[i], nullptr);
    pthread_t other;
    switch (random.below(3)) {
    case 0:
        ends(0);
        return 3;
    case 1:
        ends(4);
    }
    pthread_create(&other, nullptr, end_of_other, nullptr);
    pthread_join(other, nullptr);
}
