// From the message figures of all threads to those of the profile.
#include "collate/messages.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "collate/profile_merger.hpp"
#include "mpi/messages.hpp"
#include "mpi/requests.hpp"
#include "mpi/session.hpp"
#include "tree/registry.hpp"

namespace vftrace {
namespace {

MessageFigures in_seconds(const DirectionFigures& figures, double ns_per_tick) {
    return {figures.messages, figures.bytes,
            static_cast<std::int64_t>(static_cast<double>(figures.ticks) * ns_per_tick),
            std::ldexp(static_cast<double>(figures.bytes_per_tick),
                       -static_cast<int>(rate_fraction_bits)) /
                ns_per_tick * 1e9};
}

// Elements of a sorted vector with the same key become one.
template <class Element, class Key>
void merge_equal(std::vector<Element>& elements, Key key) {
    std::sort(elements.begin(), elements.end(),
              [&](const Element& a, const Element& b) { return key(a) < key(b); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < elements.size(); i++) {
        if (kept > 0 && key(elements[kept - 1]) == key(elements[i])) {
            add(elements[kept - 1].sent, elements[i].sent);
            add(elements[kept - 1].received, elements[i].received);
        } else {
            elements[kept++] = elements[i];
        }
    }
    elements.resize(kept);
}

void note(Profile& profile, std::uint64_t count, const char* what) {
    if (count)
        profile.run.incidents.push_back({count, what});
}

}  // namespace

void collect_messages(Profile& profile, double ns_per_tick, const PathOfNode& path_of) {
    for (const ThreadState* state = first_thread_state(); state; state = state->next) {
        if (!state->record->messages)
            continue;
        for (const MessageEntry* entry = state->record->messages->first; entry;
             entry = entry->next_created) {
            std::uint32_t path = path_of(entry->node);
            if (path == no_index)
                continue;
            MessageFigures sent = in_seconds(entry->sent, ns_per_tick);
            MessageFigures received = in_seconds(entry->received, ns_per_tick);
            profile.messages.push_back({path, sent, received});
            if (entry->peer != all_peers)
                profile.matrix.push_back({static_cast<std::uint32_t>(mpi_process.rank), entry->peer,
                                          path, sent, received});
        }
        for (std::size_t bin = 0; bin < size_bins; bin++) {
            profile.message_sizes[bin].sent += state->record->messages->sizes[bin].sent;
            profile.message_sizes[bin].received += state->record->messages->sizes[bin].received;
        }
    }
    merge_equal(profile.messages, [](const PathMessages& m) { return m.path; });
    merge_equal(profile.matrix, [](const PeerMessages& m) { return std::tuple(m.peer, m.path); });

    RequestCounts requests = request_counts();
    note(profile, requests.open,
         "MPI requests were never completed: their messages are not shown.");
    note(profile, requests.freed_early,
         "MPI requests were freed before they were complete: what they sent is shown, what they "
         "received is not.");
    note(profile, requests.cancelled, "MPI requests were cancelled.");
}

}  // namespace vftrace
