#include "host_signals/perf_event.hpp"

#include <cerrno>
#include <cstring>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"
#include "guest/spare_descriptors.hpp"
#include "host_signals/kernel_file.hpp"

namespace vftrace {

PerfDescriptor::PerfDescriptor(perf_event_attr& attributes, pid_t thread, int processor,
                               int group) {
    attributes.size = sizeof attributes;
    descriptor_ = static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, thread, processor, group, PERF_FLAG_FD_CLOEXEC));
    if (descriptor_ < 0)
        return;
    descriptor_ = move_descriptor_up(descriptor_);
    ioctl(descriptor_, PERF_EVENT_IOC_ID, &id_);
}

PerfDescriptor::PerfDescriptor(PerfDescriptor&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), id_(other.id_) {}

PerfDescriptor& PerfDescriptor::operator=(PerfDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(id_, other.id_);
    return *this;
}

bool PerfDescriptor::is_ours() const {
    std::uint64_t id = 0;
    return descriptor_ >= 0 && id_ != 0 && ioctl(descriptor_, PERF_EVENT_IOC_ID, &id) == 0 &&
           id == id_;
}

bool PerfDescriptor::read(void* data, std::size_t bytes) const {
    return is_ours() && ::read(descriptor_, data, bytes) == static_cast<ssize_t>(bytes);
}

void PerfDescriptor::close_it() {
    if (is_ours())
        close(descriptor_);
    descriptor_ = -1;
}

bool is_no_such_event(int error) {
    return error == ENOENT || error == ENODEV || error == EOPNOTSUPP || error == EINVAL;
}

std::string why_no_perf_event(int error, const std::string& processes_files, int most_paranoid) {
    if (is_no_such_event(error))
        return "this machine does not have this counter (virtual machines rarely do)";
    std::string text = std::strerror(error);
    if (error != EACCES && error != EPERM)
        return text;
    const auto paranoid = number_in_file(processes_files + "/sys/kernel/perf_event_paranoid");
    if (paranoid && *paranoid > most_paranoid)
        append_format(text,
                      "; kernel.perf_event_paranoid is %d: an administrator can allow it with "
                      "\"sysctl kernel.perf_event_paranoid=%d\", or give the program CAP_PERFMON",
                      static_cast<int>(*paranoid), most_paranoid);
    else
        text += "; perhaps a container forbids perf_event_open, or CAP_PERFMON is missing";
    return text;
}

}  // namespace vftrace
