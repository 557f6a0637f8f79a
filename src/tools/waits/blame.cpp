#include "waits/blame.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

#include "export/replay.hpp"
#include "export/timeline.hpp"

namespace vftrace {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

// The path in which others wait, and the kind of waiting.
struct WaitingClass {
    std::uint32_t path;
    WaitPattern pattern;
    std::int64_t waiting = 0;  // number of current waits
};

// Follows one thread. Several ranks can wait for it at once, and each of them counts.
class Follower : public ReplayVisitor {
  public:
    Follower(const RankTrace& trace, std::uint32_t rank, std::span<const FoundWait> waits,
             std::span<const CriticalStretch> stretches, Blame& blame)
        : trace_(trace), rank_(rank), waits_(waits), stretches_(stretches), blame_(blame),
          meanwhile_(blame.time.size(), 0), critical_(blame.time.size(), 0) {
        at_ = trace.begin_ns();
        if (!waits.empty())
            at_ = std::min(at_, waits.front().begin);
        if (!stretches.empty())
            at_ = std::min(at_, stretches.front().begin);
    }

    void open(std::uint32_t stack, std::int64_t ns) override {
        go_on_to(trace_.clock(ns));
        open_.push_back(trace_.path_of_stack[stack]);
    }
    void close(const ReplayedCall& call) override {
        go_on_to(trace_.clock(call.ns));
        open_.pop_back();
    }
    // Counts for the innermost call that is known to have been open.
    void left_out(std::int64_t, std::int64_t to_ns, std::uint32_t stack) override {
        go_on_to(trace_.clock(to_ns), stack == no_index ? 0 : trace_.path_of_stack[stack]);
    }
    void end() {
        if (!waits_.empty() || !ends_.empty() || !stretches_.empty())
            go_on_to(never);
        share_out();
        for (std::uint32_t path = 0; path < critical_.size(); path++)
            if (critical_[path] > 0)
                blame_.critical[{rank_, path}] += critical_[path];
    }

  private:
    std::int64_t next_begin() const { return waits_.empty() ? never : waits_.front().begin; }
    std::int64_t next_end() const { return ends_.empty() ? never : ends_.top().first; }

    // In the innermost open path; outside all calls it is the program itself.
    void go_on_to(std::int64_t now) { go_on_to(now, open_.empty() ? 0 : open_.back()); }
    void go_on_to(std::int64_t now, std::uint32_t path) {
        if (now <= at_)
            return;
        if (now != never)
            blame_.time[path] += now - at_;
        while (!stretches_.empty() && stretches_.front().begin < now) {
            const CriticalStretch& stretch = stretches_.front();
            const std::int64_t begin = std::max(stretch.begin, at_);
            critical_[path] += std::max<std::int64_t>(std::min(stretch.end, now) - begin, 0);
            if (stretch.end > now)
                break;
            stretches_ = stretches_.subspan(1);
        }
        std::int64_t from = at_;
        at_ = now;
        while (true) {
            const std::int64_t next = std::min(next_begin(), next_end());
            if (!ends_.empty())
                add_meanwhile(path, std::min(next, now) - from);
            if (next >= now)
                return;
            from = std::max(next, from);
            change_waiting_thread(from);
        }
    }

    void add_meanwhile(std::uint32_t path, std::int64_t ns) {
        if (ns <= 0)
            return;
        if (meanwhile_[path] == 0)
            paths_meanwhile_.push_back(path);
        meanwhile_[path] += ns;
    }

    // Adds the work since the last begin or end of a wait to all waits during that time.
    void share_out() {
        for (const std::uint32_t path : paths_meanwhile_) {
            for (const WaitingClass& waiting : classes_)
                if (waiting.waiting > 0)
                    blame_.causes[{rank_, path, waiting.path, waiting.pattern}] +=
                        waiting.waiting * meanwhile_[path];
            meanwhile_[path] = 0;
        }
        paths_meanwhile_.clear();
    }

    void change_waiting_thread(std::int64_t now) {
        share_out();
        for (; next_begin() <= now; waits_ = waits_.subspan(1)) {
            const FoundWait& wait = waits_.front();
            const std::size_t index = class_of(wait);
            classes_[index].waiting++;
            ends_.push({wait.end, index});
        }
        for (; next_end() <= now; ends_.pop())
            classes_[ends_.top().second].waiting--;
        if (ends_.empty())
            classes_.clear();
    }

    std::size_t class_of(const FoundWait& wait) {
        for (std::size_t i = 0; i < classes_.size(); i++)
            if (classes_[i].path == wait.place.path && classes_[i].pattern == wait.pattern)
                return i;
        classes_.push_back({wait.place.path, wait.pattern});
        return classes_.size() - 1;
    }

    const RankTrace& trace_;
    const std::uint32_t rank_;
    std::span<const FoundWait> waits_;  // that have not yet begun
    std::span<const CriticalStretch> stretches_;
    Blame& blame_;
    std::vector<std::uint32_t> open_;  // paths
    std::int64_t at_ = 0;              // work before this has been added
    std::vector<WaitingClass> classes_;
    using End = std::pair<std::int64_t, std::size_t>;  // end of a wait, and its class
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
    std::vector<std::int64_t> meanwhile_;  // by path, since the last change; ns
    std::vector<std::uint32_t> paths_meanwhile_;
    std::vector<std::int64_t> critical_;  // by path
};

// The items of a thread, among sorted items.
template <class Item, class PlaceOf>
std::span<const Item> of_thread(std::span<const Item> items, std::uint32_t rank,
                                std::uint32_t thread, PlaceOf place_of) {
    const std::pair<std::uint32_t, std::uint32_t> wanted{rank, thread};
    const auto begin = std::partition_point(
        items.begin(), items.end(), [&](const Item& item) { return place_of(item) < wanted; });
    const auto end = std::partition_point(
        begin, items.end(), [&](const Item& item) { return place_of(item) == wanted; });
    return {begin, end};
}

}  // namespace

std::size_t KeyHash::operator()(const BlameKey& key) const {
    return mixed_number(std::uint64_t{key.rank} << 32 | key.path, key.waiting_path,
                        static_cast<std::uint64_t>(key.pattern));
}

std::size_t KeyHash::operator()(const PathOfRank& key) const {
    return mixed_number(key.rank, key.path, 0);
}

Blame find_blame(const RunTraces& traces, std::span<const FoundWait> waits,
                 std::span<const CriticalStretch> stretches,
                 const std::function<void(std::size_t)>& progress) {
    Blame blame;
    blame.time.assign(traces.paths().paths.size(), 0);
    for (std::uint32_t rank = 0; rank < traces.ranks().size(); rank++) {
        const RankTrace& trace = traces.ranks()[rank];
        for (std::uint32_t thread = 0; thread < trace.file->threads().size(); thread++) {
            const auto caused = of_thread(waits, rank, thread, [](const FoundWait& wait) {
                return std::pair{wait.cause_rank, wait.cause_thread};
            });
            const auto critical = of_thread(stretches, rank, thread, [](const CriticalStretch& s) {
                return std::pair{s.rank, s.thread};
            });
            if (thread > 0 && caused.empty() && critical.empty())
                continue;
            Follower follower(trace, rank, caused, critical, blame);
            replay_thread(*trace.file, thread, follower);
            follower.end();
            blame.samples += trace.file->threads()[thread].samples;
        }
        progress(rank + 1);
    }
    return blame;
}

}  // namespace vftrace
