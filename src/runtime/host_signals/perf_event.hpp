// perf_event_open(2) for signals.
#pragma once

#include <cstdint>
#include <linux/perf_event.h>
#include <string>
#include <sys/types.h>

namespace vftrace {

// An event's descriptor. Programs close descriptors that they do not know, so it may now belong to
// another file: the kernel's number of the event shows that.
class PerfDescriptor {
  public:
    PerfDescriptor() = default;
    // If that fails, it is not open, and errno is set.
    PerfDescriptor(perf_event_attr& attributes, pid_t thread, int processor, int group);
    ~PerfDescriptor() { close_it(); }
    PerfDescriptor(PerfDescriptor&& other) noexcept;
    PerfDescriptor& operator=(PerfDescriptor&& other) noexcept;

    explicit operator bool() const { return descriptor_ >= 0; }
    int number() const { return descriptor_; }
    bool is_ours() const;
    // read(2) of exactly this many bytes; false if there are fewer, or the descriptor is not ours.
    bool read(void* data, std::size_t bytes) const;

  private:
    void close_it();

    int descriptor_ = -1;
    std::uint64_t id_ = 0;
};

// Whether that errno means that there is no such event here, rather than that it is forbidden.
bool is_no_such_event(int error);

// "Permission denied; kernel.perf_event_paranoid is 3, ..." with what helps. `most_paranoid`: the
// highest setting that allows the event.
std::string why_no_perf_event(int error, const std::string& processes_files, int most_paranoid);

}  // namespace vftrace
