// Cycles and instructions of threads, by the kernel's performance events: one group of events for
// each thread, so that one system call reads them all.
//
// Only user code counts, which the kernel allows every user for their own processes.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host_signals/perf_event.hpp"
#include "host_signals/signal_source.hpp"
#include "host_signals/signal_table.hpp"

namespace vftrace {

// The kernel's event for a figure.
struct ThreadEvent {
    SignalFigure figure;
    std::uint32_t type;
    std::uint64_t config;
};
inline constexpr ThreadEvent thread_events[] = {
    {SignalFigure::cycles, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {SignalFigure::reference_cycles, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {SignalFigure::instructions, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
};

class ThreadCycles {
  public:
    // The maximum number of threads that one call of read_some() reads; it then takes about 30 µs.
    static constexpr std::size_t most_at_once = 16;

    // `figures`: the wanted rows of the table; others than those of threads are ignored.
    // `sticker_hz`: 0 if it is not known. `events`: tests on machines that do not count cycles use
    // others.
    ThreadCycles(const HostFiles& files, std::span<const SignalFigure> figures, double sticker_hz,
                 std::span<const ThreadEvent> events = thread_events);

    bool has(SignalFigure figure) const { return find(figure) != nullptr; }
    struct Problem {
        SignalFigure figure;
        SignalProblem what;
    };
    // What cannot be counted; follow() may add to it.
    const std::vector<Problem>& problems() const { return problems_; }

    // From now on these threads count, which belong to this process or others of this user. What
    // threads that are gone have counted stays in the sums.
    void follow(std::span<const pid_t> threads);
    // Reads the next threads.
    void read_some();
    // What all threads had counted at their last reading; unknown_value if the latest read_some()
    // did not complete a pass over all threads, or if one cannot be read.
    double value(SignalFigure figure) const;

  private:
    static constexpr std::size_t most_events = 3;

    struct Event {
        SignalFigure figure;
        std::uint32_t type;
        std::uint64_t config;
        double unit = 1;  // of its counts, in the figure's unit
        double sum = 0;   // of all threads
    };
    // The arrays are in the order in which the group is read.
    struct Thread {
        pid_t id = 0;
        PerfDescriptor leader;
        std::array<PerfDescriptor, most_events> others;  // of events that cannot be mapped
        std::array<void*, most_events> pages = {};       // keep the others' events alive
        std::uint64_t enabled = 0, running = 0;          // ns, of the last reading
        std::array<std::uint64_t, most_events> counted = {};
        bool is_lost = false;  // the program has closed the descriptor: to be reopened

        Thread() = default;
        ~Thread();
        Thread(Thread&& other) noexcept;
        Thread& operator=(Thread&& other) noexcept;
    };

    const Event* find(SignalFigure figure) const;
    // Opens the events of a thread; returns 0 or an errno.
    int open_thread(Thread& thread) const;
    bool read_thread(Thread& thread);
    void add_problem(SignalFigure figure, int error);

    HostFiles files_;
    std::vector<Event> events_;
    std::vector<Thread> threads_;  // sorted
    std::vector<pid_t> wanted_;    // sorted; scratch of follow()
    std::vector<Problem> problems_;
    std::size_t next_ = 0;            // to be read
    std::size_t without_events_ = 0;  // threads that count, but cannot be opened
    bool all_read_ = true;
    bool pass_is_whole_ = true;  // all threads of this turn could be read
    bool any_lost_ = false;
    bool reported_ = false;
};

// One of these figures as a source.
class CyclesOfThreads : public SignalSource {
  public:
    CyclesOfThreads(const ThreadCycles& threads, SignalFigure figure)
        : threads_(threads), figure_(figure) {}
    void read(double /*now_s*/, std::span<double> values) override {
        values[0] = threads_.value(figure_);
    }

  private:
    const ThreadCycles& threads_;
    SignalFigure figure_;
};

}  // namespace vftrace
