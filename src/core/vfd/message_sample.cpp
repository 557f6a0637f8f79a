#include "vfd/message_sample.hpp"

#include <algorithm>
#include <limits>

namespace vftrace {

VfdMessageSample message_sample(const TracedMessage& message, std::uint32_t stack,
                                std::int64_t start_ns, std::int64_t end_ns) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t most_tried = 1000;
    std::int64_t count = message.count, type_bytes = message.type_bytes;
    if (count > most) {
        const std::int64_t first = count / most + 1;
        for (std::int64_t factor = first; factor < first + most_tried; factor++)
            if (count % factor == 0 && (type_bytes <= 0 || factor <= most / type_bytes)) {
                count /= factor;
                type_bytes *= factor;
                break;
            }
    }
    VfdMessageSample sample{};
    sample.kind = VfdSampleKind::message;
    sample.receives = message.received;
    sample.peer = message.peer;
    sample.datatype = message.datatype;
    sample.count = static_cast<std::int32_t>(std::clamp<std::int64_t>(count, 0, most));
    sample.type_bytes = static_cast<std::int32_t>(type_bytes);
    sample.tag = message.tag;
    sample.start_ns = start_ns;
    sample.end_ns = end_ns;
    sample.stack = static_cast<std::int32_t>(stack);
    sample.thread = static_cast<std::int32_t>(message.thread);
    return sample;
}

}  // namespace vftrace
