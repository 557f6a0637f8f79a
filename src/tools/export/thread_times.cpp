#include "export/thread_times.hpp"

#include <algorithm>

#include "base/saturating.hpp"

namespace vftrace {
namespace {

// Damaged files may have any times. Sums of differences of these cannot overflow.
std::int64_t plausible(std::int64_t ns) {
    return std::clamp(ns, std::int64_t{0}, std::int64_t{1} << 62);
}

// The times in which the thread did not run its program, and their sum between two times.
class Waits {
  public:
    Waits(const VfdFile& trace, std::uint32_t thread) {
        for (const VfdGap& gap : trace.extension().gaps)
            if (gap.thread == thread && gap.waited != 0)
                gaps_.push_back({plausible(gap.start_ns), plausible(gap.end_ns)});
        std::sort(gaps_.begin(), gaps_.end(),
                  [](const Gap& a, const Gap& b) { return a.start_ns < b.start_ns; });
    }

    // Times are to be requested in ascending order.
    std::int64_t between(std::int64_t from, std::int64_t to) {
        std::int64_t waited = 0;
        for (std::size_t i = next_; i < gaps_.size() && gaps_[i].start_ns < to; i++) {
            waited += std::max<std::int64_t>(0, std::min(gaps_[i].end_ns, to) -
                                                    std::max(gaps_[i].start_ns, from));
            if (gaps_[i].end_ns <= to && i == next_)
                next_++;
        }
        return std::min(waited, to - from);
    }

  private:
    struct Gap {
        std::int64_t start_ns, end_ns;
    };
    std::vector<Gap> gaps_;
    std::size_t next_ = 0;
};

// The messages that each stack sent and received.
class MessageSums {
  public:
    explicit MessageSums(TracedTimes& times) : times_(times) {}
    ~MessageSums() {
        std::sort(times_.messages.begin(), times_.messages.end(),
                  [](const PathMessages& a, const PathMessages& b) { return a.path < b.path; });
    }
    MessageSums(const MessageSums&) = delete;
    MessageSums& operator=(const MessageSums&) = delete;

    void add(const VfdSample& sample) {
        const VfdMessageSample& message = sample.message;
        place_.resize(times_.paths.size(), no_index);
        std::uint32_t& place = place_[sample.stack];
        if (place == no_index) {
            place = static_cast<std::uint32_t>(times_.messages.size());
            times_.messages.push_back({sample.stack, {}, {}});
        }
        PathMessages& sums = times_.messages[place];
        MessageFigures& sum = message.receives ? sums.received : sums.sent;
        const std::int64_t bytes = std::int64_t{message.count} * message.type_bytes;
        const std::int64_t ns =
            std::max<std::int64_t>(0, plausible(message.end_ns) - plausible(message.start_ns));
        sum.messages++;
        add_saturating(sum.bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(0, bytes)));
        add_saturating(sum.ns, ns);
        if (ns > 0)
            sum.bandwidth_sum += static_cast<double>(bytes) * 1e9 / static_cast<double>(ns);
    }

  private:
    TracedTimes& times_;
    std::vector<std::uint32_t> place_;  // by stack: index into the list
};

// The times after which the open calls are not known.
std::vector<std::int64_t> ends_of_drops(const VfdFile& trace, std::uint32_t thread,
                                        std::uint64_t& dropped) {
    std::vector<std::int64_t> ends;
    for (const VfdGap& gap : trace.extension().gaps)
        if (gap.thread == thread && gap.waited == 0) {
            ends.push_back(plausible(gap.start_ns));
            add_saturating(dropped, gap.events);
        }
    std::sort(ends.begin(), ends.end());
    return ends;
}

// The stack of open calls, for a trace of every call.
class NestedCalls {
  public:
    explicit NestedCalls(TracedTimes& times) : times_(times), open_(times.paths.size(), 0) {}

    void pass(std::int64_t ns) {
        if (!calls_.empty())
            times_.paths[calls_.back()].exclusive_ns += ns;
    }
    void enter(std::uint32_t stack) {
        calls_.push_back(stack);
        open_[stack]++;
        times_.paths[stack].calls++;
    }
    void exit(std::uint32_t stack) {
        if (open_[stack] == 0) {
            times_.contradictions += stack != 0;  // init only has an exit
            return;
        }
        while (calls_.back() != stack)
            close();
        close();
    }
    // Forgets the open calls: they may have ended, and others may have begun.
    void forget() {
        while (!calls_.empty())
            close();
    }
    // Sets the calls that are open right before or after a sample, without earlier information.
    void assume(const VfdFile& trace, std::uint32_t stack, const std::vector<bool>& inside) {
        std::vector<std::uint32_t> path;
        for (; stack != no_index && inside[stack]; stack = trace.stacks()[stack].parent)
            path.push_back(stack);
        for (; !path.empty(); path.pop_back()) {
            calls_.push_back(path.back());
            open_[path.back()]++;
        }
    }
    bool knows_nothing() const { return calls_.empty(); }

  private:
    void close() {
        open_[calls_.back()]--;
        calls_.pop_back();
    }

    TracedTimes& times_;
    std::vector<std::uint32_t> calls_;
    std::vector<std::uint32_t> open_;  // by stack: how often it is in calls_
};

// The stacks that a thread was in itself: those of its samples and all below them, without the
// first stack.
std::vector<bool> stacks_inside(const VfdFile& trace, std::uint32_t thread) {
    std::vector<bool> inside(trace.stacks().size(), false);
    VfdSampleStream samples = trace.samples(thread);
    for (VfdSample sample; samples.next(sample);)
        if (sample.kind != VfdSampleKind::message)
            inside[sample.stack] = true;
    inside[0] = false;
    for (std::uint32_t i = 1; i < inside.size(); i++)
        inside[i] = inside[i] || inside[trace.stacks()[i].parent];
    return inside;
}

void replay_every_call(const VfdFile& trace, std::uint32_t thread, TracedTimes& times,
                       const std::vector<bool>& inside) {
    Waits waits(trace, thread);
    const std::vector<std::int64_t> drops = ends_of_drops(trace, thread, times.dropped);
    auto next_drop = drops.begin();
    NestedCalls calls(times);
    bool any = false, unknown = false;
    MessageSums messages(times);
    VfdSampleStream samples = trace.samples(thread);
    for (VfdSample sample; samples.next(sample);) {
        if (sample.kind == VfdSampleKind::message) {
            messages.add(sample);
            continue;
        }
        // The last sample, the exit of init, may be older than the one before.
        const std::int64_t ns = std::max(plausible(sample.ns), times.last_ns);
        if (!any) {
            times.first_ns = times.last_ns = ns;
            times.first_stack = sample.stack;
        }
        for (; next_drop != drops.end() && *next_drop <= ns; ++next_drop) {
            // The time up to the drop belongs to the call that was innermost.
            const std::int64_t from = times.last_ns, to = std::max(*next_drop, from);
            calls.pass(to - from - waits.between(from, to));
            times.last_ns = to;
            calls.forget();
            unknown = true;
        }
        const bool enters = sample.kind == VfdSampleKind::enter;
        if (unknown) {
            calls.assume(trace, enters ? trace.stacks()[sample.stack].parent : sample.stack,
                         inside);
            unknown = false;
        }
        calls.pass(ns - times.last_ns - waits.between(times.last_ns, ns));
        times.last_ns = ns;
        any = true;
        if (enters)
            calls.enter(sample.stack);
        else
            calls.exit(sample.stack);
    }
    calls.forget();
}

std::uint32_t common_caller(const VfdFile& trace, std::uint32_t a, std::uint32_t b) {
    while (a != b && a != no_index && b != no_index)
        (a > b ? a : b) = trace.stacks()[std::max(a, b)].parent;
    return a == b ? a : no_index;
}

// What is known of the calls that were open while events were left out.
class LeftOutCalls {
  public:
    LeftOutCalls(const VfdFile& trace, std::uint32_t thread)
        : trace_(trace), is_older_(trace.hides_what_was_left_out()),
          stream_(trace.left_out(thread)), has_next_(stream_.next(next_)) {}

    // Whether events were left out between the last sample and the one at `ns`.
    bool any_until(std::int64_t ns) {
        bool any = is_older_;
        innermost_ = no_index;
        for (; has_next_ && next_.ns <= ns; has_next_ = stream_.next(next_)) {
            const std::uint32_t stack = next_.stack == vfd_no_stack ? 0 : next_.stack;
            innermost_ = any ? common_caller(trace_, innermost_, stack) : stack;
            any = true;
        }
        return any;
    }
    // The innermost call that was open then. Older files do not have it: it was not further inside
    // than what has called both of what was open before and after.
    std::uint32_t innermost(std::uint32_t before, std::uint32_t after) const {
        return is_older_ ? common_caller(trace_, before, after) : innermost_;
    }

  private:
    const VfdFile& trace_;
    const bool is_older_;
    VfdLeftOutStream stream_;
    VfdLeftOut next_{};
    bool has_next_;
    std::uint32_t innermost_ = no_index;
};

void replay_thinned(const VfdFile& trace, std::uint32_t thread, TracedTimes& times,
                    const std::vector<bool>& inside, const std::vector<bool>& is_pause) {
    LeftOutCalls left_out(trace, thread);
    Waits waits(trace, thread);
    ends_of_drops(trace, thread, times.dropped);
    const std::int64_t interval = trace.header().numbers.interval_ns;
    auto pass = [&](std::uint32_t stack, std::int64_t ns) {
        if (stack != no_index && inside[stack])
            times.paths[stack].exclusive_ns += ns;
    };
    std::uint32_t after = no_index;  // where the thread was after the last sample
    bool any = false;
    MessageSums messages(times);
    VfdSampleStream samples = trace.samples(thread);
    for (VfdSample sample; samples.next(sample);) {
        if (sample.kind == VfdSampleKind::message) {
            messages.add(sample);
            continue;
        }
        const std::int64_t ns = std::max(plausible(sample.ns), times.last_ns);
        if (!any) {
            times.first_ns = times.last_ns = ns;
            times.first_stack = sample.stack;
        }
        any = true;
        const std::uint32_t caller = trace.stacks()[sample.stack].parent;
        const bool enters = sample.kind == VfdSampleKind::enter;
        const std::int64_t passed = ns - times.last_ns - waits.between(times.last_ns, ns);
        // The exit of init only marks the end of the run.
        const std::uint32_t before = sample.stack == 0 ? after : enters ? caller : sample.stack;
        const std::int64_t first = std::min(passed, interval);
        const bool is_paused = after != no_index && is_pause[after];
        if (!left_out.any_until(ns) || is_paused)
            pass(after, first);
        else if (const std::uint32_t known = left_out.innermost(after, before);
                 known != no_index &&
                 (inside[known] || (known == 0 && (after != 0 || before != 0))))
            times.paths[known].left_out_ns += first;
        pass(before, passed - first);
        after = enters ? sample.stack : caller;
        times.paths[sample.stack].calls += enters;
        times.last_ns = ns;
    }
}

// Inclusive time is that of a path and all paths below it: a call that was folded into a path
// further up counts for that path.
void add_up_inclusive(const VfdFile& trace, const std::vector<bool>& inside,
                      const std::vector<bool>& is_pause, TracedTimes& times) {
    for (std::uint32_t i = static_cast<std::uint32_t>(times.paths.size()); i-- > 1;) {
        PathTimes& path = times.paths[i];
        path.inclusive_ns += path.exclusive_ns + path.left_out_ns;
        const std::uint32_t caller = trace.stacks()[i].parent;
        if (inside[i] && inside[caller] && !is_pause[i])
            times.paths[caller].inclusive_ns += path.inclusive_ns;
    }
}

}  // namespace

TracedTimes times_of_thread(const VfdFile& trace, std::uint32_t thread,
                            const std::vector<bool>& is_pause) {
    TracedTimes times;
    times.paths.resize(trace.stacks().size());
    const std::vector<bool> inside = stacks_inside(trace, thread);
    if (trace.header().numbers.interval_ns > 0)
        replay_thinned(trace, thread, times, inside, is_pause);
    else
        replay_every_call(trace, thread, times, inside);
    add_up_inclusive(trace, inside, is_pause, times);
    return times;
}

}  // namespace vftrace
