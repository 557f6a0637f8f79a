// What the kernel reports about processes that are sampled from outside, in the order of time.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "unwind/event_ring.hpp"
#include "unwind/stack_walker.hpp"

namespace vftrace {

// Why a process cannot be sampled, in one line, with the remedy if there is one.
class AttachError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Code that a process has mapped from a file.
struct CodeMapping {
    std::uintptr_t start, end;
    std::uint64_t file_offset;  // of what is at `start`
    std::uint64_t inode;
    std::string path;  // as the kernel names it to the process
};

// `ns`: monotonic_ns().
class SampleListener {
  public:
    virtual void sample(std::int32_t pid, std::int32_t tid, const Registers& registers,
                        const CopiedStack& stack) = 0;
    virtual void mapped(std::int32_t pid, CodeMapping mapping) = 0;
    virtual void named(std::int32_t pid, std::int32_t tid, std::string_view name) = 0;
    // The process continues as another program; its name follows.
    virtual void became_other_program(std::int32_t pid, std::uint64_t ns) = 0;
    virtual void thread_began(std::int32_t pid, std::int32_t tid, std::uint64_t ns) = 0;
    virtual void thread_ended(std::int32_t pid, std::int32_t tid, std::uint64_t ns) = 0;
    // Samples that did not fit into the ring, as we were too slow.
    virtual void lost(std::int32_t pid, std::uint64_t samples) = 0;

  protected:
    ~SampleListener() = default;
};

class SampleStream {
  public:
    // A sample for each `period_ns` of a thread's processor time in its own code, with the
    // innermost `stack_bytes` of its stack, a multiple of eight, at most most_stack_bytes.
    SampleStream(std::uint64_t period_ns, std::uint32_t stack_bytes);
    ~SampleStream();
    SampleStream(const SampleStream&) = delete;
    SampleStream& operator=(const SampleStream&) = delete;

    // Samples all threads of a process from now on, and those that they create. Returns the number
    // of threads for which the system has no descriptors left. Throws AttachError.
    std::size_t attach(std::int32_t pid);

    // Passes on what was reported since the last call.
    void read(SampleListener& listener);

    // The processor time of the process since attach(), with the kernel's work for it.
    std::uint64_t processor_ns(std::int32_t pid) const;

    // Ends all sampling: other files can have the descriptors.
    void stop();

    static constexpr std::uint32_t most_stack_bytes = 60 << 10;  // a record has less than 64 KiB

  private:
    using Files = std::vector<int>;
    struct Attached {
        std::map<std::int32_t, Files> threads;  // events of those that ran when we came
        std::vector<Files> ended;               // of those of them that have ended
    };
    struct Ring {
        EventRing ring;
        int file = -1;  // the event that it belongs to
    };

    int open_event(std::int32_t tid, int processor) const;
    void open_events(std::int32_t tid, const std::vector<int>& processors, Files& files);
    void send_to_ring(int file, int processor);
    void close_all(const Files& files) const;
    void pass_on(SampleListener& listener, const EventRecord& record, std::uint64_t ns);

    std::uint64_t period_ns_;
    std::uint32_t stack_bytes_;
    bool threads_only_ = true;   // the kernel knows perf_event_attr::inherit_thread
    std::map<int, Ring> rings_;  // by processor
    std::map<std::int32_t, Attached> processes_;
};

}  // namespace vftrace
