// Waiting in collectives. For tools.
//
// The records of all ranks about a collective are matched by its communicator and its number within
// that.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "record/collective_shapes.hpp"
#include "waits/run_traces.hpp"
#include "waits/spilled_list.hpp"
#include "waits/wait.hpp"

namespace vftrace {

struct CollectiveCounts {
    std::uint64_t analysed = 0;
    std::uint64_t incomplete = 0;  // calls that are not in the traces of all ranks
    std::uint64_t different = 0;   // calls for which the data of ranks differ
};

class CollectiveWaits {
  public:
    // The number of collectives of one communicator that can be open at a time; beyond it the
    // oldest one is discarded.
    static constexpr std::size_t most_open = 10'000;

    CollectiveWaits(const RunTraces& traces, SpilledList<FoundWait>& waits)
        : traces_(traces), waits_(waits) {}

    // A rank's part in a collective. `root`: in MPI_COMM_WORLD, -1 if none.
    void add(const VfdCommunicator& communicator, std::uint64_t number, CollectiveShape shape,
             std::int32_t root, const Operation& operation);

    // To be called at the end.
    CollectiveCounts counts() const;

  private:
    struct Part {
        Operation operation;
        std::uint32_t member;  // index in the communicator
    };
    struct Instance {
        CollectiveShape shape{};
        std::int32_t root = -1;
        std::vector<Part> parts;
        std::vector<bool> is_there{};  // present ones, by member
    };
    struct Communicator {
        std::map<std::uint64_t, Instance> open;  // by number
        // By index into RunTraces::ranks(): the index in the communicator; no_index if not in it.
        std::vector<std::uint32_t> member_of_rank;
        std::uint32_t size = 0;
        bool is_complete = false;  // all of its ranks have traces
    };

    Communicator& communicator_of(const VfdCommunicator& communicator);
    void evaluate(Instance& instance);
    void add_wait(const Operation& waiting, const Operation& cause, WaitPattern pattern);
    void all_wait_for_the_last(const std::vector<Part>& parts, WaitPattern pattern);

    const RunTraces& traces_;
    SpilledList<FoundWait>& waits_;
    std::unordered_map<std::uint64_t, Communicator> communicators_;
    CollectiveCounts counts_;
};

}  // namespace vftrace
