// Compares our unwinder with libunwind in any program: when preloaded, it samples the main thread
// and lets both walk the stack, return address by return address.
//
//     STACK_WALKS_FOLDER=DIR [STACK_WALKS_PERIOD_US=N] LD_PRELOAD=stack_walks.so PROGRAM...
//
// When a process ends it writes DIR/PROCESS with a line "NAME COUNT" each for its stacks, and one
// for each kind of difference and place: "difference KIND MODULE+OFFSET COUNT", where the place is
// the last one that both had reached.
#define UNW_LOCAL_ONLY
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <libunwind.h>
#include <link.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "sampling/sample_timer.hpp"
#include "sampling/unwinder.hpp"

using namespace vftrace;

namespace {

#define STACK_WALKS_TEXT_OF(name) #name
#define STACK_WALKS_TEXT(name) STACK_WALKS_TEXT_OF(name)

// libunwind is opened, not linked: its _Unwind_RaiseException would otherwise replace the
// program's.
struct {
    decltype(&unw_init_local2) init;
    decltype(&unw_step) step;
    decltype(&unw_get_reg) get;
    decltype(&unw_set_caching_policy) cache;
    unw_addr_space_t* space;
} libunwind;

bool open_libunwind() {
    void* library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    auto load = [library](auto& function, const char* name) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        return function != nullptr;
    };
    return load(libunwind.init, STACK_WALKS_TEXT(unw_init_local2)) &&
           load(libunwind.step, STACK_WALKS_TEXT(unw_step)) &&
           load(libunwind.get, STACK_WALKS_TEXT(unw_get_reg)) &&
           load(libunwind.cache, STACK_WALKS_TEXT(unw_set_caching_policy)) &&
           load(libunwind.space, STACK_WALKS_TEXT(unw_local_addr_space)) &&
           libunwind.cache(*libunwind.space, UNW_CACHE_PER_THREAD) == 0;
}

constexpr std::size_t most_frames = 1000;
struct Walk {
    std::uintptr_t place[most_frames];
    std::size_t count;
};

Unwinder unwinder;
Walk ours, theirs;
SampleTimer timer;

void walk_by_us(const Registers& registers) {
    static constexpr OwnStack none;
    Unwinder::Place place{registers, none, false, 0, true, nullptr};
    for (ours.count = 0; ours.count < most_frames;) {
        ours.place[ours.count++] = place.registers.pc();
        if (!unwinder.step(place))
            break;
    }
}

void walk_by_libunwind(void* context) {
    unw_cursor_t cursor;
    theirs.count = 0;
    if (libunwind.init(&cursor, static_cast<unw_context_t*>(context), UNW_INIT_SIGNAL_FRAME) != 0)
        return;
    do {
        unw_word_t place;
        if (libunwind.get(&cursor, UNW_REG_IP, &place) != 0 || place == 0)
            break;
        theirs.place[theirs.count++] = place;
    } while (theirs.count < most_frames && libunwind.step(&cursor) > 0);
}

struct Difference {
    const char* kind;
    std::uintptr_t place;
    std::uintptr_t our_next, their_next;  // in the first such difference; 0: the walk ends
    std::uint64_t count;
};
constexpr std::size_t most_differences = 4096;
Difference differences[most_differences];
std::uint64_t stacks, agreed, frames, other_differences, our_ns, libunwind_ns;

void note_difference(const char* kind, std::uintptr_t place, std::uintptr_t our_next,
                     std::uintptr_t their_next) {
    for (Difference& difference : differences) {
        if (!difference.kind)
            difference = {kind, place, our_next, their_next, 0};
        if (difference.place == place && difference.kind == kind) {
            difference.count++;
            return;
        }
    }
    other_differences++;
}

void compare() {
    std::size_t same = 0;
    while (same < ours.count && same < theirs.count && ours.place[same] == theirs.place[same])
        same++;
    stacks++;
    frames += same;
    if (same == ours.count && same == theirs.count) {
        agreed++;
        return;
    }
    const std::uintptr_t our_next = same < ours.count ? ours.place[same] : 0,
                         their_next = same < theirs.count ? theirs.place[same] : 0;
    note_difference(!our_next     ? "we_end"
                    : !their_next ? "libunwind_ends"
                                  : "other_caller",
                    same ? ours.place[same - 1] : 0, our_next, their_next);
}

std::uint64_t now_ns() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_nsec);
}

void on_sample(int, siginfo_t* information, void* context) {
    const int saved_errno = errno;
    if (SampleTimer::sent(*information)) {
        const std::uint64_t start = now_ns();
        walk_by_us(interrupted_registers(context));
        const std::uint64_t middle = now_ns();
        walk_by_libunwind(context);
        our_ns += middle - start;
        libunwind_ns += now_ns() - middle;
        compare();
    }
    errno = saved_errno;
}

__attribute__((constructor)) void begin() {
    // A complete walk, so that libunwind does here what it does only once and needs memory for.
    if (!getenv("STACK_WALKS_FOLDER") || !open_libunwind())
        return;
    unw_context_t here;
    getcontext(&here);
    walk_by_libunwind(&here);
    struct sigaction action {};
    action.sa_sigaction = on_sample;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(sampling_signal, &action, nullptr);
    const char* period = getenv("STACK_WALKS_PERIOD_US");
    timer.start(static_cast<int>(syscall(SYS_gettid)),
                (period ? std::strtoull(period, nullptr, 10) : 1000) * 1000);
}

void print_place(std::FILE* file, std::uintptr_t place) {
    dl_find_object found;
    const bool known = _dl_find_object(reinterpret_cast<void*>(place), &found) == 0;
    const char* name = known ? found.dlfo_link_map->l_name : "";
    std::fprintf(file, "%s+0x%lx",
                 !known  ? "?"
                 : *name ? name
                         : "program",
                 known ? place - found.dlfo_link_map->l_addr : place);
}

__attribute__((destructor)) void end() {
    timer.stop();
    const char* folder = getenv("STACK_WALKS_FOLDER");
    if (!folder || stacks == 0)
        return;
    char name[4096];
    std::snprintf(name, sizeof name, "%s/%d", folder, getpid());
    std::FILE* file = std::fopen(name, "w");
    if (!file)
        return;
    std::fprintf(file, "program %s\n", program_invocation_short_name);
    for (auto& [what, count] : {std::pair{"stacks", stacks},
                                {"agreed", agreed},
                                {"frames", frames},
                                {"other_differences", other_differences},
                                {"our_ns", our_ns},
                                {"libunwind_ns", libunwind_ns}})
        std::fprintf(file, "%s %lu\n", what, count);
    for (const Difference& difference : differences)
        if (difference.kind) {
            std::fprintf(file, "difference %s ", difference.kind);
            for (std::uintptr_t place :
                 {difference.place, difference.our_next, difference.their_next}) {
                print_place(file, place);
                std::fprintf(file, " ");
            }
            std::fprintf(file, "%lu\n", difference.count);
        }
    std::fclose(file);
}

}  // namespace
