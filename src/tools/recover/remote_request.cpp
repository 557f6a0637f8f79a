#include "recover/remote_request.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
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

// The head of the tree file, mapped for writing. Its descriptor stays open, to check the file that
// was mapped.
class ControlPage {
  public:
    ControlPage(const std::string& path, std::int64_t pid)
        : descriptor_(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)) {
        if (!descriptor_.is_open())
            fail(pid, fmt::format("its tree file cannot be written to: {}: {}", path,
                                  std::strerror(errno)));
        image_.emplace(FileImage::of_descriptor(descriptor_, path, sizeof(ProcessRecord)));
        void* const start = mmap(nullptr, sizeof(ProcessRecord), PROT_READ | PROT_WRITE, MAP_SHARED,
                                 descriptor_, 0);
        if (start == MAP_FAILED)
            fail(pid, std::strerror(errno));
        record_ = static_cast<ProcessRecord*>(start);
    }
    ~ControlPage() { munmap(record_, sizeof(ProcessRecord)); }
    ControlPage(const ControlPage&) = delete;
    ControlPage& operator=(const ControlPage&) = delete;

    // The record as it was when the object was created.
    const ProcessRecord& before() const { return image_->record(); }
    // Whether the page still exists: reading it after the file was truncated would end this
    // process.
    bool is_there() const {
        struct stat information;
        return fstat(descriptor_, &information) == 0 &&
               information.st_size >= static_cast<off_t>(sizeof(ProcessRecord));
    }
    // Waits a moment, which a process that has just been started may need.
    bool listens() const {
        constexpr std::chrono::milliseconds moment{500}, pause{10};
        for (auto waited = pause; waited < moment; waited += pause) {
            if (!is_there() || __atomic_load_n(&record_->control.listens, __ATOMIC_ACQUIRE))
                break;
            std::this_thread::sleep_for(pause);
        }
        return is_there() && __atomic_load_n(&record_->control.listens, __ATOMIC_ACQUIRE);
    }
    RemoteControl& control() { return record_->control; }
    bool is_paused() const {
        return __atomic_load_n(&record_->pause_started, __ATOMIC_ACQUIRE) != 0;
    }

  private:
    Descriptor descriptor_;
    std::optional<FileImage> image_;
    ProcessRecord* record_;
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
    ControlPage page(mapped_tree_file(pid), pid);
    const ProcessRecord& record = page.before();
    if (record.pid != pid || !still_runs(record))
        fail(pid, "its tree file belongs to another process");
    if (record.state != ProcessState::running)
        fail(pid, "is about to end");
    if (!page.listens())
        fail(pid, "cannot be switched: it was not started with the option start=off");
    const bool wants_off = request == RemoteRequest::stop;
    if (page.is_paused() == wants_off)
        return RemoteAnswer::was_so_before;
    RemoteControl& control = page.control();
    std::uint32_t before = __atomic_load_n(&control.request, __ATOMIC_ACQUIRE);
    constexpr std::uint32_t next_number = 0x100;
    const std::uint32_t wanted =
        ((before & ~(next_number - 1)) + next_number) | static_cast<std::uint32_t>(request);
    if (!__atomic_compare_exchange_n(&control.request, &before, wanted, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        fail(pid, "another process is switching it");
    const auto end = std::chrono::steady_clock::now() + patience;
    while (page.is_there() && still_runs(record)) {
        if (__atomic_load_n(&control.answered, __ATOMIC_ACQUIRE) == wanted)
            return RemoteAnswer::done;
        if (std::chrono::steady_clock::now() >= end)
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (page.is_there()) {
        std::uint32_t own = wanted;
        __atomic_compare_exchange_n(&control.request, &own, before, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
    }
    fail(pid, silence_of(pid, record));
}

}  // namespace vftrace
