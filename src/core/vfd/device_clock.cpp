#include "vfd/device_clock.hpp"

#include <algorithm>

namespace vftrace {
namespace {

// Later times come from damaged files and are left out, so that sums of two times do not overflow.
constexpr std::uint64_t latest_time = std::uint64_t{1} << 62;
// The least error of reading a clock, whatever was measured.
constexpr std::int64_t least_error_ns = 1000;

}  // namespace

void DeviceClock::add(std::uint64_t device_ns, std::int64_t own_ns, std::int64_t error_ns) {
    if (device_ns > latest_time || own_ns < 0 || error_ns < 0 ||
        static_cast<std::uint64_t>(own_ns) > latest_time ||
        static_cast<std::uint64_t>(error_ns) > latest_time)
        return;
    const auto moment = static_cast<std::int64_t>(device_ns);
    const std::int64_t offset = own_ns - moment;
    if (!turns_.empty()) {
        if (moment <= latest_device_ns_)
            return;
        const std::int64_t before = turns_.back().offset_ns;
        const std::int64_t difference = offset > before ? offset - before : before - offset;
        if (difference > least_error_ns + error_ns + error_ns_) {
            if (turns_.back().device_ns < latest_device_ns_)
                turns_.push_back({latest_device_ns_, before});
            turns_.push_back({moment, offset});
            error_ns_ = error_ns;
        }
    } else {
        turns_.push_back({moment, offset});
        error_ns_ = error_ns;
    }
    latest_device_ns_ = moment;
}

std::int64_t DeviceClock::own_ns(std::uint64_t device_ns) const {
    const auto moment = static_cast<std::int64_t>(std::min(device_ns, latest_time));
    const auto next =
        std::upper_bound(turns_.begin(), turns_.end(), moment,
                         [](std::int64_t time, const Turn& turn) { return time < turn.device_ns; });
    std::int64_t offset = turns_.front().offset_ns;
    if (next != turns_.begin()) {
        const Turn& turn = next[-1];
        offset = turn.offset_ns;
        if (next != turns_.end())
            offset +=
                static_cast<std::int64_t>(static_cast<double>(next->offset_ns - offset) *
                                          (static_cast<double>(moment - turn.device_ns) /
                                           static_cast<double>(next->device_ns - turn.device_ns)));
    }
    return std::max<std::int64_t>(moment + offset, 0);
}

}  // namespace vftrace
