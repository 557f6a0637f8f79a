#include "host_signals/file_sources.hpp"

#include <cerrno>

#include "base/text.hpp"

namespace vftrace {

bool CounterFiles::add(KernelFile& file, std::uint64_t range) {
    const auto now = file.number();
    if (!now || *now < 0)
        return false;
    counters_.push_back({std::move(file), range, CounterSum(static_cast<std::uint64_t>(*now))});
    return true;
}

// If a counter has grown by no more than the hardware can have used in the meantime, its value is
// trusted without checking the identity of the file, except in every n-th reading. Everything else
// is checked, including a counter that has not changed, because its device may have disappeared.
std::optional<std::int64_t> CounterFiles::next_number(Counter& counter, double most_growth) const {
    constexpr unsigned check_every = 16;
    if (readings_ % check_every != 0) {
        const auto now = counter.file.unchecked_number();
        const auto last = static_cast<double>(counter.sum.last());
        if (now && static_cast<double>(*now) > last &&
            static_cast<double>(*now) <= last + most_growth)
            return now;
    }
    return counter.file.number();
}

void CounterFiles::read(double now_s, std::span<double> values) {
    constexpr double most_watts = 5000;  // of a processor; boards with many are checked
    const double most_growth = most_watts * (now_s - last_s_) / file_unit_;
    last_s_ = now_s;
    for (std::size_t i = 0; i < counters_.size(); i++) {
        Counter& counter = counters_[i];
        const auto now = next_number(counter, most_growth);
        values[i] = now && *now >= 0
                        ? file_unit_ * static_cast<double>(counter.sum.after(
                                           static_cast<std::uint64_t>(*now), counter.range))
                        : unknown_value;
    }
    readings_++;
}

bool StateFiles::add(KernelFile& file) {
    if (!file.number())
        return false;
    files_.push_back(std::move(file));
    return true;
}

void StateFiles::read(double /*now_s*/, std::span<double> values) {
    for (std::size_t i = 0; i < files_.size(); i++) {
        const auto now = files_[i].number();
        values[i] = now ? file_unit_ * static_cast<double>(*now) : unknown_value;
    }
}

void UnreadableFiles::add(const KernelFile& file) {
    if (count_++ > 0)
        return;
    first_ = file.path();
    why_ = file.why_not();
    denied_ = file.error() == EACCES || file.error() == EPERM;
}

std::string UnreadableFiles::text(const char* signal) const {
    std::string text = format("%s: %s: %s", signal, first_.c_str(), why_.c_str());
    if (count_ > 1)
        append_format(text, " (and %zu more file%s)", count_ - 1, count_ == 2 ? "" : "s");
    if (denied_)
        append_format(
            text,
            "; an administrator can make it readable with \"chmod a+r %s\" (until the next boot) "
            "or a udev rule (permanently), or give the program CAP_DAC_READ_SEARCH",
            first_.c_str());
    return text + " (see man vftrace-run)";
}

}  // namespace vftrace
