#include "waits/message_waits.hpp"

#include <algorithm>

#include "export/timeline.hpp"

namespace vftrace {

std::size_t MessageWaits::Hash::operator()(const Channel& channel) const {
    return mixed_number(channel.communicator, std::uint64_t{channel.from} << 32 | channel.to,
                        static_cast<std::uint32_t>(channel.tag));
}

void MessageWaits::send(std::uint64_t communicator, std::uint32_t to, std::int32_t tag,
                        const Operation& operation) {
    add({communicator, operation.started.rank, to, tag}, true, operation);
}

void MessageWaits::receive(std::uint64_t communicator, std::uint32_t from, std::int32_t tag,
                           const Operation& operation) {
    add({communicator, from, operation.started.rank, tag}, false, operation);
}

void MessageWaits::add(const Channel& channel, bool is_send, const Operation& operation) {
    Open& open = open_[channel];
    if (open.operations.empty() || open.are_sends == is_send) {
        open.are_sends = is_send;
        open.operations.push_back(operation);
        if (open.operations.size() > most_open) {
            open.operations.pop_front();
            counts_.unmatched++;
        }
        return;
    }
    const Operation other = open.operations.front();
    open.operations.pop_front();
    match(channel, is_send ? operation : other, is_send ? other : operation);
}

void MessageWaits::match(const Channel& channel, const Operation& send, const Operation& receive) {
    if (send.bytes != receive.bytes) {
        counts_.different++;
        return;
    }
    counts_.matched++;
    if (receive.end < send.start) {
        counts_.before_sent++;
        counts_.most_before_ns = std::max(counts_.most_before_ns, send.start - receive.end);
    }
    const std::int64_t least = channel.from == channel.to
                                   ? RunTraces::reading_error_ns
                                   : traces_.least_wait_ns(channel.from, channel.to);
    const std::int64_t waits_until = std::min(send.start, receive.end);
    const std::int64_t received = std::min(receive.start, send.end);
    if (waits_until - receive.enter > least) {
        late_senders_[std::uint64_t{channel.from} << 32 | channel.to].push_back(
            {send.start, receive.end, waits_.size()});
        waits_.add({.place = receive.waited,
                    .begin = receive.enter,
                    .end = waits_until,
                    .cause_rank = channel.from,
                    .cause_thread = send.started.thread,
                    .pattern = WaitPattern::late_sender});
    } else if (received - send.enter > least && receive.start <= send.end) {
        // A send that ended before the receive began has not waited for it.
        waits_.add({.place = send.waited,
                    .begin = send.enter,
                    .end = received,
                    .cause_rank = channel.to,
                    .cause_thread = receive.started.thread,
                    .pattern = WaitPattern::late_receiver});
    }
    find_wrong_order(channel, send, receive);
}

// Finds waits for a message from a rank during which this message, which was received later, had
// already been sent.
void MessageWaits::find_wrong_order(const Channel& channel, const Operation& send,
                                    const Operation& receive) {
    const auto known = late_senders_.find(std::uint64_t{channel.from} << 32 | channel.to);
    if (known == late_senders_.end())
        return;
    std::deque<LateSender>& late = known->second;
    constexpr std::size_t most_kept = 1000;
    for (std::size_t i = late.size(); i-- > 0;) {
        if (late[i].sent <= send.start)
            break;  // the remaining ones were sent even earlier
        if (receive.start >= late[i].received) {
            waits_[late[i].wait].pattern = WaitPattern::wrong_order;
            late.erase(late.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    if (late.size() > most_kept)
        late.pop_front();
}

MessageCounts MessageWaits::counts() const {
    MessageCounts counts = counts_;
    for (const auto& [channel, open] : open_)
        counts.unmatched += open.operations.size();
    return counts;
}

}  // namespace vftrace
