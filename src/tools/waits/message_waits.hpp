// Late senders and receivers: matches sends with receives, and finds the side that waited. For
// tools.
//
// Messages from one rank to another with one tag in one communicator are received in the order in
// which they were sent (MPI 4.1, 3.5), so the first send matches the first receive. Messages that
// do not have a counterpart yet are kept, except those that cannot have one because the other rank
// does not have a trace.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "waits/run_traces.hpp"
#include "waits/spilled_list.hpp"
#include "waits/wait.hpp"

namespace vftrace {

struct MessageCounts {
    std::uint64_t matched = 0;
    std::uint64_t unmatched = 0;      // sends and receives without the other side
    std::uint64_t different = 0;      // pairs whose sizes differ: they do not belong together
    std::uint64_t before_sent = 0;    // received before they were sent, by the clocks
    std::int64_t most_before_ns = 0;  // by how much, at most
};

class MessageWaits {
  public:
    // A send or receive that has been overtaken by more than this number of later ones is
    // discarded, because it will not have a counterpart.
    static constexpr std::size_t most_open = 100'000;

    MessageWaits(const RunTraces& traces, SpilledList<FoundWait>& waits)
        : traces_(traces), waits_(waits) {}

    // To be called in the order of start times. `communicator`: its identity.
    void send(std::uint64_t communicator, std::uint32_t to, std::int32_t tag,
              const Operation& operation);
    void receive(std::uint64_t communicator, std::uint32_t from, std::int32_t tag,
                 const Operation& operation);

    // To be called at the end.
    MessageCounts counts() const;

  private:
    struct Channel {
        std::uint64_t communicator;
        std::uint32_t from, to;
        std::int32_t tag;
        bool operator==(const Channel&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Channel& channel) const;
    };
    // Operations without a counterpart so far: sends, or receives.
    struct Open {
        std::deque<Operation> operations;
        bool are_sends = false;
    };
    // A wait for a late sender, during which other messages from that rank may already have been
    // sent.
    struct LateSender {
        std::int64_t sent, received;
        std::size_t wait;  // index of the wait
    };

    void add(const Channel& channel, bool is_send, const Operation& operation);
    void match(const Channel& channel, const Operation& send, const Operation& receive);
    void find_wrong_order(const Channel& channel, const Operation& send, const Operation& receive);

    const RunTraces& traces_;
    SpilledList<FoundWait>& waits_;
    std::unordered_map<Channel, Open, Hash> open_;
    std::unordered_map<std::uint64_t, std::deque<LateSender>> late_senders_;  // by pair of ranks
    MessageCounts counts_;
};

}  // namespace vftrace
