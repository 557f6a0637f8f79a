#include "waits/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>

#include <fmt/core.h>

#include "collate/unite.hpp"
#include "export/left_out.hpp"
#include "waits/blame.hpp"
#include "waits/critical_path.hpp"
#include "waits/run_traces.hpp"

namespace vftrace {
namespace {

// The operations of all ranks in the order of their start times.
class MergedOperations {
  public:
    explicit MergedOperations(const RunTraces& traces) : traces_(traces) {
        for (std::uint32_t rank = 0; rank < traces.ranks().size(); rank++) {
            const VfdFile& file = *traces.ranks()[rank].file;
            streams_.push_back({file.operations(), {}});
            bytes_ += streams_.back().stream.size();
            read_next(rank);
        }
    }

    // Calls visit(rank, operation).
    template <class Visit>
    void for_each(Visit visit) {
        while (!next_.empty()) {
            const std::uint32_t rank = next_.top().second;
            next_.pop();
            visit(rank, streams_[rank].next);
            read_next(rank);
        }
    }

    double part_done() const {
        std::uint64_t done = 0;
        for (const Stream& one : streams_)
            done += one.stream.position();
        return bytes_ > 0 ? static_cast<double>(done) / static_cast<double>(bytes_) : 1.0;
    }

  private:
    struct Stream {
        VfdOperationStream stream;
        VfdOperation next;
    };
    using Next = std::pair<std::int64_t, std::uint32_t>;  // common time, rank

    void read_next(std::uint32_t rank) {
        Stream& one = streams_[rank];
        if (one.stream.next(one.next))
            next_.push({traces_.ranks()[rank].clock(one.next.start_ns), rank});
    }

    const RunTraces& traces_;
    std::vector<Stream> streams_;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next_;
    std::uint64_t bytes_ = 0;
};

Operation on_common_clock(const RankTrace& trace, std::uint32_t rank, const VfdOperation& found) {
    Operation operation;
    operation.started = {rank, found.thread, trace.path_of_stack[found.stack]};
    operation.waited = {rank, found.completing_thread, trace.path_of_stack[found.completing_stack]};
    operation.start = trace.clock(found.start_ns);
    operation.enter = trace.clock(found.enter_ns);
    operation.end = trace.clock(found.end_ns);
    operation.bytes = found.bytes;
    return operation;
}

void find_waits(const RunTraces& traces, SpilledList<FoundWait>& waits, WaitAnalysis& analysis,
                const std::function<void(double)>& progress) {
    constexpr std::uint64_t operations_between = 1 << 18;
    MessageWaits messages(traces, waits);
    CollectiveWaits collectives(traces, waits);
    MergedOperations operations(traces);
    operations.for_each([&](std::uint32_t rank, const VfdOperation& found) {
        const RankTrace& trace = traces.ranks()[rank];
        const VfdCommunicator& communicator =
            trace.file->extension().communicators[found.communicator];
        const Operation operation = on_common_clock(trace, rank, found);
        if (++analysis.operations % operations_between == 0)
            progress(operations.part_done());
        if (found.is_collective()) {
            collectives.add(communicator, found.number,
                            static_cast<CollectiveShape>(found.what - VfdOperation::collectives),
                            found.peer, operation);
            return;
        }
        const std::uint32_t peer = traces.index_of(found.peer);
        if (peer == RunTraces::no_rank)
            analysis.messages.unmatched++;
        else if (found.what == VfdOperation::send)
            messages.send(communicator.identity, peer, found.tag, operation);
        else
            messages.receive(communicator.identity, peer, found.tag, operation);
    });
    const std::uint64_t with_others = analysis.messages.unmatched;
    analysis.messages = messages.counts();
    analysis.messages.unmatched += with_others;
    analysis.collectives = collectives.counts();
}

// A call that waits for several ranks at once, such as MPI_Waitall, waits until the last of them
// arrives. Late senders come first, because it is not known whether a send that ends in the same
// call as a receive was buffered.
void keep_one_of_each_call(SpilledList<FoundWait>& waits) {
    const auto call_of = [](const FoundWait& wait) {
        return std::tuple(wait.place.rank, wait.place.thread, wait.begin);
    };
    const auto order_in_call = [](const FoundWait& wait) {
        return std::tuple(wait.pattern == WaitPattern::late_receiver, -wait.end, wait.cause_rank);
    };
    const std::span<FoundWait> all = waits.items();
    std::sort(all.begin(), all.end(), [&](const FoundWait& a, const FoundWait& b) {
        return call_of(a) != call_of(b) ? call_of(a) < call_of(b)
                                        : order_in_call(a) < order_in_call(b);
    });
    const auto end =
        std::unique(all.begin(), all.end(), [&](const FoundWait& a, const FoundWait& b) {
            return call_of(a) == call_of(b);
        });
    waits.keep(static_cast<std::size_t>(end - all.begin()));
}

void add_wait_states(const RunTraces& traces, std::span<const FoundWait> waits, Profile& profile) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, WaitPattern>, WaitState> states;
    for (const FoundWait& wait : waits) {
        const std::uint32_t rank = traces.ranks()[wait.place.rank].rank;
        WaitState& state = states[{rank, wait.place.path, wait.pattern}];
        state.rank = rank;
        state.path = wait.place.path;
        state.pattern = wait.pattern;
        state.waits++;
        state.ns += wait.ns();
        state.longest_ns = std::max(state.longest_ns, wait.ns());
    }
    for (const auto& [key, state] : states)
        profile.wait_states.push_back(state);
}

void add_blame(const RunTraces& traces, const Blame& blame, WaitAnalysis& analysis) {
    Profile& profile = analysis.profile;
    for (const auto& [key, ns] : blame.causes)
        profile.wait_causes.push_back(
            {traces.ranks()[key.rank].rank, key.path, key.pattern, key.waiting_path, ns});

    // D. Boehme et al., Scalable critical-path based performance analysis, IPDPS 2012: the
    // imbalance of a path is its time on the critical path minus the mean of the ranks without
    // waiting.
    std::vector<std::int64_t> working = blame.time, critical(blame.time.size(), 0);
    for (const WaitState& state : profile.wait_states)
        working[state.path] -= std::min(working[state.path], state.ns);
    for (const auto& [key, ns] : blame.critical)
        critical[key.path] += ns;
    const auto ranks = static_cast<double>(traces.ranks().size());
    for (const auto& [key, ns] : blame.critical) {
        const auto whole = static_cast<double>(critical[key.path]);
        const double imbalance =
            std::max(0.0, whole - static_cast<double>(working[key.path]) / ranks);
        profile.critical_path.push_back(
            {traces.ranks()[key.rank].rank, key.path, ns,
             std::llround(imbalance * static_cast<double>(ns) / whole)});
        analysis.critical_ns += ns;
    }
    sort_rows(profile.wait_causes);
    sort_rows(profile.critical_path);
}

// The largest error of the clock of any rank.
std::int64_t clock_error_ns(const RunTraces& traces) {
    std::int64_t error = 0;
    for (const RankTrace& rank : traces.ranks())
        error = std::max(error, rank.clock_error_ns);
    return error;
}

// Waits longer than this are counted between any two ranks; shorter ones only if the clocks of the
// two ranks are precise enough.
std::int64_t shortest_wait_ns(const RunTraces& traces) {
    return 2 * clock_error_ns(traces) + RunTraces::reading_error_ns;
}

std::string text_of_clocks(const RunTraces& traces) {
    const std::int64_t error = clock_error_ns(traces);
    const double shortest = static_cast<double>(shortest_wait_ns(traces)) / 1e3;
    if (error == 0)
        return fmt::format(
            "all ranks share one clock; waits shorter than {:.1f} us are not counted", shortest);
    switch (traces.clock_source()) {
    case ClockSource::measured:
        return fmt::format(
            "clock differences between ranks were measured through MPI, to within {:.1f} "
            "us; waits shorter than {:.1f} us are not counted",
            static_cast<double>(error) / 1e3, shortest);
    case ClockSource::same_host:
    case ClockSource::wall_clock:
    case ClockSource::own_start:
        break;
    }
    return fmt::format("the clocks of the ranks were not compared; waits shorter than {:.1f} s "
                       "are not counted, as they may be clock errors",
                       shortest / 1e6);
}

void add_remarks(const RunTraces& traces, WaitAnalysis& analysis) {
    std::vector<std::string>& remarks = analysis.remarks;
    remarks.push_back(text_of_clocks(traces));
    if (const std::size_t there = traces.ranks().size(); there < traces.processes())
        remarks.push_back(fmt::format("traces of {} of {} ranks are missing: waiting for these "
                                      "ranks, and in collectives with them, is not seen",
                                      traces.processes() - there, traces.processes()));
    std::uint64_t dropped = 0, without = 0;
    for (const RankTrace& rank : traces.ranks()) {
        without += !rank.file->extension().has_operations;
        for (const VfdGap& gap : rank.file->extension().gaps)
            dropped += gap.events;
    }
    std::vector<NamedTrace> named;
    for (const RankTrace& rank : traces.ranks())
        named.push_back({rank.file.get(), fmt::format("rank {}", rank.rank)});
    if (const std::string text = text_on_left_out(named); !text.empty())
        remarks.push_back(text + ". The work in between counts for the innermost call that is "
                                 "known to have been open");
    if (without > 0)
        remarks.push_back(
            fmt::format("{} of the traces {} MPI calls waited for", without,
                        without == 1 ? "does not record what its" : "do not record what their"));
    if (dropped > 0)
        remarks.push_back(
            fmt::format("{} {} missing in the traces, so sends and receives may be mixed up",
                        dropped, dropped == 1 ? "event is" : "events are"));
    const MessageCounts& messages = analysis.messages;
    if (messages.unmatched > 0)
        remarks.push_back(fmt::format("{} {} a counterpart in the traces", messages.unmatched,
                                      messages.unmatched == 1 ? "send or receive does not have"
                                                              : "sends and receives do not have"));
    if (messages.different > 0)
        remarks.push_back(
            fmt::format("{} {} of a send and a receive {} left out, because their sizes differ",
                        messages.different, messages.different == 1 ? "pair" : "pairs",
                        messages.different == 1 ? "is" : "are"));
    if (messages.before_sent > 0)
        remarks.push_back(fmt::format("{} received before {} sent, by up to {:.1f} us: the clocks "
                                      "are wrong by at least this much",
                                      messages.before_sent == 1
                                          ? "1 message was"
                                          : fmt::format("{} messages were", messages.before_sent),
                                      messages.before_sent == 1 ? "it was" : "they were",
                                      static_cast<double>(messages.most_before_ns) / 1e3));
    const CollectiveCounts& collectives = analysis.collectives;
    if (collectives.incomplete > 0)
        remarks.push_back(fmt::format(
            "{} {} left out: {}", collectives.incomplete,
            collectives.incomplete == 1 ? "call of a collective is" : "calls of collectives are",
            collectives.incomplete == 1
                ? "not all of its ranks recorded it, or it connects two groups"
                : "not all of their ranks recorded them, or they connect two groups"));
    if (collectives.different > 0)
        remarks.push_back(fmt::format(
            "{} {} left out: the records of the ranks differ", collectives.different,
            collectives.different == 1 ? "call of a collective is" : "calls of collectives are"));
}

}  // namespace

WaitAnalysis analyse_waits(const std::vector<std::string>& files,
                           const std::function<void(double)>& progress) {
    const RunTraces traces(files);
    WaitAnalysis analysis;
    analysis.profile = traces.paths();
    analysis.profile.run.shortest_wait_ns = shortest_wait_ns(traces);
    SpilledList<FoundWait> waits;
    find_waits(traces, waits, analysis, [&](double done) { progress(done / 2); });
    keep_one_of_each_call(waits);
    add_wait_states(traces, waits.items(), analysis.profile);

    const std::span<FoundWait> all = waits.items();
    std::sort(all.begin(), all.end(), [](const FoundWait& a, const FoundWait& b) {
        return std::tuple(a.end, a.place.rank, a.begin) < std::tuple(b.end, b.place.rank, b.begin);
    });
    SpilledList<CriticalStretch> stretches;
    walk_critical_path(traces, waits, stretches);

    std::sort(all.begin(), all.end(), [](const FoundWait& a, const FoundWait& b) {
        return std::tuple(a.cause_rank, a.cause_thread, a.begin) <
               std::tuple(b.cause_rank, b.cause_thread, b.begin);
    });
    const std::span<CriticalStretch> critical = stretches.items();
    std::sort(
        critical.begin(), critical.end(), [](const CriticalStretch& a, const CriticalStretch& b) {
            return std::tuple(a.rank, a.thread, a.begin) < std::tuple(b.rank, b.thread, b.begin);
        });
    const Blame blame = find_blame(traces, waits.items(), stretches.items(), [&](std::size_t done) {
        progress(0.5 +
                 0.5 * static_cast<double>(done) / static_cast<double>(traces.ranks().size()));
    });
    analysis.samples = blame.samples;
    add_blame(traces, blame, analysis);
    add_remarks(traces, analysis);
    return analysis;
}

}  // namespace vftrace
