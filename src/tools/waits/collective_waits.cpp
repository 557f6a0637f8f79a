#include "waits/collective_waits.hpp"

#include <algorithm>

namespace vftrace {

CollectiveWaits::Communicator&
CollectiveWaits::communicator_of(const VfdCommunicator& communicator) {
    const auto [known, is_new] = communicators_.try_emplace(communicator.identity);
    Communicator& found = known->second;
    if (!is_new)
        return found;
    found.is_complete = communicator.size > 0 && communicator.size <= traces_.ranks().size();
    found.size = communicator.size;
    found.member_of_rank.assign(traces_.ranks().size(), no_index);
    for (std::uint32_t i = 0; i < communicator.size && found.is_complete; i++) {
        const std::uint32_t rank = traces_.index_of(
            communicator.ranks.empty() ? static_cast<std::int32_t>(i) : communicator.ranks[i]);
        found.is_complete = rank != RunTraces::no_rank && found.member_of_rank[rank] == no_index;
        if (found.is_complete)
            found.member_of_rank[rank] = i;
    }
    return found;
}

void CollectiveWaits::add(const VfdCommunicator& communicator, std::uint64_t number,
                          CollectiveShape shape, std::int32_t root, const Operation& operation) {
    if (shape == CollectiveShape::neighbours)
        return;
    Communicator& found = communicator_of(communicator);
    const std::uint32_t member = found.member_of_rank[operation.started.rank];
    if (!found.is_complete || member == no_index || communicator.size != found.size) {
        counts_.incomplete++;
        return;
    }
    const auto [place, is_new] = found.open.try_emplace(number);
    Instance& instance = place->second;
    if (is_new) {
        instance.shape = shape;
        instance.root = root;
        instance.is_there.assign(communicator.size, false);
    }
    if (instance.is_there[member] || instance.shape != shape || instance.root != root) {
        counts_.different++;
        return;
    }
    instance.is_there[member] = true;
    instance.parts.push_back({operation, member});
    if (instance.parts.size() == communicator.size) {
        evaluate(instance);
        found.open.erase(place);
    } else if (found.open.size() > most_open) {
        counts_.incomplete += found.open.begin()->second.parts.size();
        found.open.erase(found.open.begin());
    }
}

void CollectiveWaits::add_wait(const Operation& waiting, const Operation& cause,
                               WaitPattern pattern) {
    const std::int64_t end = std::min(cause.start, waiting.end);
    if (end - waiting.enter <= traces_.least_wait_ns(waiting.waited.rank, cause.started.rank))
        return;
    waits_.add({.place = waiting.waited,
                .begin = waiting.enter,
                .end = end,
                .cause_rank = cause.started.rank,
                .cause_thread = cause.started.thread,
                .pattern = pattern});
}

void CollectiveWaits::all_wait_for_the_last(const std::vector<Part>& parts, WaitPattern pattern) {
    const Operation& last = parts.back().operation;
    for (const Part& part : parts)
        if (&part.operation != &last)
            add_wait(part.operation, last, pattern);
}

// The parts are in the order of their start times.
void CollectiveWaits::evaluate(Instance& instance) {
    counts_.analysed++;
    std::vector<Part>& parts = instance.parts;
    const std::uint32_t root = traces_.index_of(instance.root);
    const auto is_root = [&](const Part& part) { return part.operation.started.rank == root; };
    const auto of_root = std::find_if(parts.begin(), parts.end(), is_root);
    switch (instance.shape) {
    case CollectiveShape::barrier:
        return all_wait_for_the_last(parts, WaitPattern::barrier);
    case CollectiveShape::all_to_all:
        return all_wait_for_the_last(parts, WaitPattern::all_to_all);
    case CollectiveShape::one_to_all:
        for (const Part& part : parts)
            if (of_root != parts.end() && !is_root(part))
                add_wait(part.operation, of_root->operation, WaitPattern::late_broadcast);
        return;
    case CollectiveShape::all_to_one: {
        const auto last = std::find_if_not(parts.rbegin(), parts.rend(), is_root);
        if (of_root != parts.end() && last != parts.rend())
            add_wait(of_root->operation, last->operation, WaitPattern::early_reduce);
        return;
    }
    case CollectiveShape::prefix: {
        std::sort(parts.begin(), parts.end(),
                  [](const Part& a, const Part& b) { return a.member < b.member; });
        const Operation* last = nullptr;
        for (const Part& part : parts) {
            if (last)
                add_wait(part.operation, *last, WaitPattern::early_scan);
            if (!last || part.operation.start > last->start)
                last = &part.operation;
        }
        return;
    }
    case CollectiveShape::neighbours:
        return;
    }
}

CollectiveCounts CollectiveWaits::counts() const {
    CollectiveCounts counts = counts_;
    for (const auto& [identity, communicator] : communicators_)
        for (const auto& [number, instance] : communicator.open)
            counts.incomplete += instance.parts.size();
    return counts;
}

}  // namespace vftrace
