// Time in which threads could have run and had no processor.
#include "sampling/processor_waits.hpp"

#include <charconv>
#include <cstring>
#include <string_view>

#include "guest/proc_status.hpp"

namespace vftrace {
namespace {

// Of a file about a thread.
class ThreadFile {
  public:
    ThreadFile(int thread, std::string_view file) {
        constexpr std::string_view folder = "/proc/self/task/";
        std::memcpy(path_, folder.data(), folder.size());
        char* end = std::to_chars(path_ + folder.size(), path_ + longest - 1, thread).ptr;
        *end++ = '/';
        std::memcpy(end, file.data(), file.size());
        end[file.size()] = '\0';
    }
    const char* path() const { return path_; }

  private:
    static constexpr int longest = 40;
    char path_[longest + 20];
};

}  // namespace

ProcessorWaits processor_waits(int thread) {
    const ThreadFile schedule(thread, "schedstat"), status(thread, "status");
    std::uint64_t numbers[2];  // time on a processor, time of waiting for one
    if (numbers_in_line(schedule.path(), numbers, 2) != 2)
        return {};
    const std::uint64_t interrupted = number_in_status(status.path(), "nonvoluntary_ctxt_switches");
    const std::uint64_t by_itself = number_in_status(status.path(), "voluntary_ctxt_switches");
    if (interrupted == 0)
        return {};
    const double part =
        static_cast<double>(interrupted) / static_cast<double>(interrupted + by_itself);
    return {static_cast<std::uint64_t>(static_cast<double>(numbers[1]) * part), interrupted};
}

}  // namespace vftrace
