#include "recover/remote_request.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>

#include <fmt/core.h>

#include "base/descriptor.hpp"
#include "recover/file_image.hpp"
#include "recover/running_process.hpp"

namespace vftrace {
namespace {

[[noreturn]] void fail(std::int64_t pid, const std::string& why) {
    throw TreeFileError(fmt::format("{}: {}", pid, why));
}

// The words of the tree file by which a process is switched. They are read and written by system
// calls, not mapped: the file's owner may truncate it at any moment.
class ControlWords {
  public:
    ControlWords(const std::string& path, std::int64_t pid)
        : descriptor_(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)) {
        if (!descriptor_.is_open())
            fail(pid, fmt::format("its tree file cannot be written to: {}: {}", path,
                                  std::strerror(errno)));
        image_.emplace(FileImage::of_descriptor(descriptor_, path, sizeof(ProcessRecord)));
    }

    // The record as it was when the object was created.
    const ProcessRecord& before() const { return image_->record(); }
    // Nothing if the file has been truncated.
    std::optional<RemoteControl> now() const {
        RemoteControl control;
        if (!read(offsetof(ProcessRecord, control), control))
            return std::nullopt;
        return control;
    }
    // Waits a moment, which a process that has just been started may need.
    bool listens() const {
        constexpr std::chrono::milliseconds moment{500}, pause{10};
        for (auto waited = pause; waited < moment; waited += pause) {
            const std::optional<RemoteControl> control = now();
            if (!control || control->listens)
                return control.has_value();
            std::this_thread::sleep_for(pause);
        }
        return false;
    }
    bool is_paused() const {
        decltype(ProcessRecord::pause_started) started{};
        return read(offsetof(ProcessRecord, pause_started), started) && started != 0;
    }
    // Keeps out other commands, until the object is destroyed. The process never writes a request.
    bool lock() const {
        struct flock words {};
        words.l_type = F_WRLCK;
        words.l_whence = SEEK_SET;
        words.l_start = request_place;
        words.l_len = sizeof(RemoteControl::request);
        return fcntl(descriptor_, F_OFD_SETLK, &words) == 0;
    }
    bool write_request(std::uint32_t request) const {
        return pwrite(descriptor_, &request, sizeof request, request_place) == sizeof request;
    }

  private:
    static constexpr off_t request_place =
        offsetof(ProcessRecord, control) + offsetof(RemoteControl, request);

    template <class Value>
    bool read(std::size_t offset, Value& value) const {
        int error;
        return read_at(descriptor_, offset, reinterpret_cast<char*>(&value), sizeof value, error) ==
               sizeof value;
    }

    Descriptor descriptor_;
    std::optional<FileImage> image_;
};

std::string silence_of(std::int64_t pid, const ProcessRecord& record) {
    if (!still_runs(record))
        return "ended before it answered";
    if (is_stopped(pid))
        return "does not answer: it is stopped";
    return "does not answer: the library's thread cannot run, or the process is no longer the "
           "program that was started";
}

}  // namespace

RemoteAnswer send_request(std::int64_t pid, RemoteRequest request,
                          std::chrono::milliseconds patience) {
    const ControlWords words(mapped_tree_file(pid), pid);
    const ProcessRecord& record = words.before();
    if (record.pid != pid || !still_runs(record))
        fail(pid, "its tree file belongs to another process");
    if (record.state != ProcessState::running)
        fail(pid, "is about to end");
    if (!words.listens())
        fail(pid, "cannot be switched: it was not started with the option start=off");
    const bool wants_off = request == RemoteRequest::stop;
    if (words.is_paused() == wants_off)
        return RemoteAnswer::was_so_before;
    if (!words.lock())
        fail(pid, "another process is switching it");
    const std::optional<RemoteControl> control = words.now();
    const std::uint32_t before = control ? control->request : 0;
    constexpr std::uint32_t next_number = 0x100;
    const std::uint32_t wanted =
        ((before & ~(next_number - 1)) + next_number) | static_cast<std::uint32_t>(request);
    if (!control || !words.write_request(wanted))
        fail(pid, "its tree file cannot be written to");
    const auto end = std::chrono::steady_clock::now() + patience;
    for (std::optional<RemoteControl> now; still_runs(record) && (now = words.now());) {
        if (now->answered == wanted)
            return RemoteAnswer::done;
        if (std::chrono::steady_clock::now() >= end)
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (words.now())
        words.write_request(before);
    fail(pid, silence_of(pid, record));
}

}  // namespace vftrace
