// Cycles and instructions of threads.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "host_signals/thread_cycles.hpp"
#include "host_tree.hpp"

using namespace vftrace;
using namespace vftrace::test;
using Catch::Matchers::Contains;

namespace {

// For so many milliseconds of the thread's processor time, however fast the processor is.
void work(double ms) {
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return 1e3 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e6;
    };
    for (const double end = now() + ms; now() < end;)
        ;
}

// Causes one page fault per page, wherever malloc would have taken the memory from.
void touch_pages(std::size_t pages) {
    constexpr std::size_t page = 4096;
    void* memory =
        mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    madvise(memory, pages * page, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < pages; i++)
        static_cast<volatile char*>(memory)[i * page] = 1;
    munmap(memory, pages * page);
}

// Events that exist on every machine, used instead of the processor's.
constexpr ThreadEvent events_of_software[] = {
    {SignalFigure::cycles, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {SignalFigure::reference_cycles, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {SignalFigure::instructions, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
};
constexpr SignalFigure all_of_threads[] = {SignalFigure::cycles, SignalFigure::reference_cycles,
                                           SignalFigure::instructions};

// Waits until it is let go, then works.
class Worker {
  public:
    explicit Worker(double ms) : thread_([this, ms] { run(ms); }) {
        while (id == 0)
            std::this_thread::yield();
    }
    void let_go() {
        goes_ = true;
        thread_.join();
    }
    std::atomic<pid_t> id = 0;

  private:
    void run(double ms) {
        id = gettid();
        while (!goes_)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        work(ms);
    }
    std::atomic<bool> goes_ = false;
    std::thread thread_;
};

std::size_t open_files() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        count++;
    return count;
}

double value(ThreadCycles& cycles, SignalFigure figure) {
    cycles.read_some();
    return cycles.value(figure);
}

}  // namespace

TEST_CASE("threads that come and go count while they are followed") {
    const std::size_t before = open_files();
    ThreadCycles cycles({"/sys", "/proc"}, all_of_threads, 0, events_of_software);
    if (!cycles.has(SignalFigure::cycles)) {
        WARN("perf_event_open: " << cycles.problems().at(0).what.text);
        return;
    }
    const auto ns = [&] { return value(cycles, SignalFigure::cycles); };
    CHECK(ns() == 0);
    const pid_t self = gettid();
    cycles.follow(std::vector<pid_t>{self});
    CHECK(open_files() == before + 1);  // of three events
    work(20);
    touch_pages(1000);
    const double own = ns();
    CHECK(own > 5e6);
    CHECK(cycles.value(SignalFigure::reference_cycles) >= 900);
    CHECK(cycles.value(SignalFigure::instructions) == 0);

    Worker worker(50);
    cycles.follow(std::vector<pid_t>{worker.id, self});
    worker.let_go();
    cycles.follow(std::vector<pid_t>{self});  // its counts are read once more
    CHECK(open_files() == before + 1);
    const double both = ns();
    CHECK(both > own + 20e6);
    cycles.follow(std::vector<pid_t>{self, worker.id});  // it ended long ago
    CHECK(ns() >= both);
    CHECK(ns() < both + 20e6);
    cycles.follow({});
    CHECK(open_files() == before);
    const double last = ns();
    CHECK(last > both);
    work(1);
    CHECK(ns() == last);
    CHECK(cycles.problems().empty());
}

TEST_CASE("threads of another process are followed if rights allow") {
    ThreadCycles cycles({"/sys", "/proc"}, all_of_threads, 0, events_of_software);
    if (!cycles.has(SignalFigure::cycles))
        return;
    const pid_t child = fork();
    if (child == 0) {
        work(20);
        pause();
    }
    cycles.follow(std::vector<pid_t>{child});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(value(cycles, SignalFigure::cycles) > 1e6);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK(!std::isnan(value(cycles, SignalFigure::cycles)));
    if (geteuid() != 0) {
        cycles.follow(std::vector<pid_t>{1});
        CHECK(std::isnan(value(cycles, SignalFigure::cycles)));
        CHECK(cycles.problems().size() == 1);
        cycles.follow({});
        CHECK(value(cycles, SignalFigure::cycles) > 1e6);
    }
}

TEST_CASE("many threads take turns, 16 at a time") {
    ThreadCycles cycles({"/sys", "/proc"}, all_of_threads, 0, events_of_software);
    if (!cycles.has(SignalFigure::cycles))
        return;
    std::vector<std::unique_ptr<Worker>> workers;
    std::vector<pid_t> ids;
    for (int i = 0; i < 40; i++) {
        workers.push_back(std::make_unique<Worker>(100));
        ids.push_back(workers.back()->id);
    }
    cycles.follow(ids);
    for (int turn = 0; turn < 3; turn++) {
        CHECK(std::isnan(value(cycles, SignalFigure::cycles)));
        CHECK(std::isnan(value(cycles, SignalFigure::instructions)));
        CHECK(!std::isnan(value(cycles, SignalFigure::cycles)));
    }
    // Threads that come and go meanwhile do not keep the others from their turn either.
    bool all_had_it = false;
    for (int change = 0; change < 6; change++) {
        ids.pop_back();
        cycles.follow(ids);
        all_had_it |= !std::isnan(value(cycles, SignalFigure::cycles));
    }
    CHECK(all_had_it);
    for (const auto& worker : workers)
        ids.push_back(worker->id);
    cycles.follow(ids);
    while (std::isnan(value(cycles, SignalFigure::cycles)))
        continue;
    for (const auto& worker : workers)
        worker->let_go();
    value(cycles, SignalFigure::cycles);
    value(cycles, SignalFigure::cycles);
    CHECK(value(cycles, SignalFigure::cycles) > 40 * 1000);
}

TEST_CASE("an event's descriptor that the program has closed is left alone") {
    ThreadCycles cycles({"/sys", "/proc"}, all_of_threads, 0, events_of_software);
    if (!cycles.has(SignalFigure::cycles))
        return;
    const auto lowest_free = [] {
        const int descriptor = dup(0);
        close(descriptor);
        return descriptor;
    };
    std::vector<int> before;
    for (int descriptor = 0; descriptor < 1024; descriptor++)
        if (fcntl(descriptor, F_GETFD) >= 0)
            before.push_back(descriptor);
    cycles.follow(std::vector<pid_t>{gettid()});
    const int free = lowest_free();
    int ours = -1;
    for (int descriptor = 0; descriptor < 1024; descriptor++)
        if (fcntl(descriptor, F_GETFD) >= 0 &&
            std::find(before.begin(), before.end(), descriptor) == before.end())
            ours = descriptor;
    REQUIRE(ours > free);  // not among the low numbers that programs use
    REQUIRE(dup2(0, ours) == ours);
    CHECK(std::isnan(value(cycles, SignalFigure::cycles)));
    cycles.follow(std::vector<pid_t>{gettid()});  // opens another one
    work(1);
    CHECK(value(cycles, SignalFigure::cycles) > 1e5);
    cycles.follow({});
    CHECK(fcntl(ours, F_GETFD) >= 0);
    close(ours);
}

TEST_CASE("cycles and instructions of this process, if the processor counts them") {
    SignalReader reader({.gpus = false}, requests("CPU_CYCLES_THREAD, CPU_INSTRUCTIONS_RETIRED"));
    if (reader.signals().size() != 2) {
        WARN("no cycles here: " << reader.problems().at(0));
        return;
    }
    CHECK(values(reader)["CPU_CYCLES_THREAD"] == 0);
    reader.follow_threads(std::vector<pid_t>{gettid()});
    work(3);
    const auto now = values(reader);
    CHECK(now.at("CPU_INSTRUCTIONS_RETIRED") > 10e6);
    CHECK(now.at("CPU_INSTRUCTIONS_RETIRED") < 200e6);
    CHECK(now.at("CPU_CYCLES_THREAD") > 1e6);
}

TEST_CASE("reference cycles are the time on a processor if the machine does not count them") {
    const HostTree host;
    host.write("proc/cpuinfo", "cpu MHz\t\t: 1000.0\n");
    SignalReader reader(host.settings(), requests("CPU_CYCLES_REFERENCE, TIME"));
    if (reader.signals().size() != 2)
        return;
    reader.follow_threads(std::vector<pid_t>{gettid()});
    const auto before = values(reader);
    work(15);
    const auto after = values(reader);
    const double counted = after.at("CPU_CYCLES_REFERENCE") - before.at("CPU_CYCLES_REFERENCE");
    CHECK(counted > 1e6);
    // At 1 GHz no more than the time allows, unless the processor counts them itself.
    if (counted > 1.05e9 * (after.at("TIME") - before.at("TIME")))
        WARN("this machine counts reference cycles");

    const HostTree nothing;
    SignalReader unknown(nothing.settings(), requests("CPU_CYCLES_REFERENCE"));
    if (unknown.signals().empty())
        CHECK_THAT(unknown.problems().at(0), Contains("nominal frequency is not known"));
}
