#include "recover/follow.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <poll.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "recover/running_process.hpp"

namespace vftrace {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

bool is_there(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Waits for the end of a process.
class Watch {
  public:
    explicit Watch(std::int64_t pid)
        : pid_(pid), start_(start_of_process(pid)),
          descriptor_(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0))) {}
    ~Watch() {
        if (descriptor_ >= 0)
            close(descriptor_);
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    bool is_over() const { return !start_ || start_of_process(pid_) != start_; }

    void wait(milliseconds longest) const {
        pollfd ended{descriptor_, POLLIN, 0};
        if (descriptor_ >= 0)
            poll(&ended, 1, static_cast<int>(longest.count()));
        else  // a kernel before 5.3
            std::this_thread::sleep_for(longest);
    }

  private:
    std::int64_t pid_;
    std::optional<std::uint64_t> start_;
    int descriptor_;
};

void write_quietly(const std::string& path, const RecoveryRequest& request) {
    try {
        std::vector<std::unique_ptr<TreeFileInWork>> files;
        files.push_back(std::make_unique<TreeFileInWork>(path, request));
        // A process that is writing its profile itself does not need a copy.
        const bool wanted =
            request.occasion == Occasion::end || files[0]->record().state == ProcessState::running;
        if (files[0]->has_profile() && wanted)
            write_job(jobs_of(files)[0], request);
        if (request.occasion == Occasion::end)
            files[0]->remove_file();
    } catch (const std::exception&) {
        // The next attempt may succeed: the disk may have room again.
    }
}

}  // namespace

void follow_process(std::int64_t pid, double seconds, const std::string& path,
                    const RecoveryRequest& request) {
    constexpr double longest_interval = 1e6;
    const auto interval =
        milliseconds(static_cast<std::int64_t>(std::min(seconds, longest_interval) * 1000));
    RecoveryRequest copy = request;
    copy.occasion = Occasion::snapshot;
    const Watch watch(pid);
    Clock::time_point next = Clock::now() + interval;
    while (is_there(path) && !watch.is_over()) {
        // The file may be removed without notice while the process continues.
        const auto rest = std::chrono::duration_cast<milliseconds>(next - Clock::now());
        watch.wait(std::clamp(rest, milliseconds(10), milliseconds(1000)));
        if (Clock::now() < next || watch.is_over())
            continue;
        write_quietly(path, copy);
        next = std::max(next + interval, Clock::now());
    }
    // A process killed by a signal may already have requested its profile.
    constexpr int attempts = 60;
    RecoveryRequest last = request;
    last.occasion = Occasion::end;
    for (int i = 0; i < attempts && is_there(path); i++) {
        write_quietly(path, last);
        if (is_there(path))
            std::this_thread::sleep_for(milliseconds(1000));
    }
}

}  // namespace vftrace
