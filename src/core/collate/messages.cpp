#include "collate/messages.hpp"

#include <cmath>

#include "base/relaxed.hpp"
#include "base/saturating.hpp"
#include "collate/unite.hpp"
#include "record/message_figures.hpp"

namespace vftrace {
namespace {

// Threads may continue to send while their figures are read.
MessageFigures in_seconds(const DirectionFigures& figures, double ns_per_tick) {
    return {relaxed(figures.messages), relaxed(figures.bytes),
            saturated_ns(static_cast<double>(relaxed(figures.ticks)), ns_per_tick),
            std::ldexp(static_cast<double>(figures.bytes_per_tick),
                       -static_cast<int>(rate_fraction_bits)) /
                ns_per_tick * 1e9};
}

}  // namespace

void collect_messages(Profile& profile, double ns_per_tick, const RequestCounts& requests,
                      const NodePaths& paths) {
    for (const NodePaths::Thread& thread : paths.threads()) {
        const ThreadMessages* messages =
            __atomic_load_n(&thread.record->messages, __ATOMIC_ACQUIRE);
        if (!messages)
            continue;
        for (const MessageEntry* entry = __atomic_load_n(&messages->first, __ATOMIC_ACQUIRE); entry;
             entry = __atomic_load_n(&entry->next_created, __ATOMIC_ACQUIRE)) {
            std::uint32_t path = paths(entry->node);
            if (path == no_index)
                continue;
            MessageFigures sent = in_seconds(entry->sent, ns_per_tick);
            MessageFigures received = in_seconds(entry->received, ns_per_tick);
            profile.messages.push_back({path, sent, received});
            if (entry->peer != all_peers)
                profile.matrix.push_back({profile.run.rank, entry->peer, path, sent, received});
        }
        for (std::size_t bin = 0; bin < size_bins; bin++) {
            SizeBin& sum = profile.message_sizes[bin];
            sum.sent += relaxed(messages->sizes[bin].sent);
            sum.received += relaxed(messages->sizes[bin].received);
        }
    }
    sort_and_unite(profile.messages);
    sort_and_unite(profile.matrix);

    std::vector<Notice>& notices = profile.run.notices;
    note_count(notices, NoticeCode::mpi_requests_open, requests.open);
    note_count(notices, NoticeCode::mpi_requests_freed_early, requests.freed_early);
    note_count(notices, NoticeCode::mpi_requests_cancelled, requests.cancelled);
}

}  // namespace vftrace
