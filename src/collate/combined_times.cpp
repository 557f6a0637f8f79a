// One estimate of each function's time, of what the clock says and what samples do.
#include "collate/combined_times.hpp"

#include <algorithm>
#include <cmath>

namespace vftrace {
namespace {

// What is known of a function's own time; or of that of a function and of the callees without hooks
// whose time the clock has for it.
struct Estimate {
    double clock = 0, clock_variance = 0;
    double samples = 0;  // ticks
    double count = 0;    // of samples
};

// Part of what a timed call costs by which the clock is wrong about each call, and about its
// caller's own time: hooks cost more or less in a program than in the loops where they are
// measured, and a processor that waits for the clock has work under way that it would not wait for.
constexpr double error_of_call = 1.0;

bool has_own_time(const NodeTimes& times) {
    return !times.is_paused() && !is_bookkeeping(*times.node);
}

bool is_function(const NodeTimes& times) { return times.node->kind == NodeKind::function; }

double squared(double x) { return x * x; }

// A damaged count of ticks shall do no harm.
constexpr double most_ticks = 0x1p61;

double sampled_ticks(const Node& samples) {
    return std::min(static_cast<double>(__atomic_load_n(&samples.weighted_ticks, __ATOMIC_RELAXED)),
                    most_ticks);
}

// What one sample stands for.
double ticks_of_sample(const ThreadRecord& record, const std::vector<NodeTimes>& times) {
    double ticks = 0;
    for (const NodeTimes& own : times)
        if (own.node->kind == NodeKind::samples)
            ticks += sampled_ticks(*own.node);
    const std::uint64_t samples = __atomic_load_n(&record.samples, __ATOMIC_RELAXED);
    return ticks / static_cast<double>(std::max<std::uint64_t>(samples, 1));
}

class Combination {
  public:
    Combination(std::vector<NodeTimes>& times, const NodePaths::Thread& thread,
                const HookCosts& costs)
        : times_(times), thread_(thread), costs_(costs),
          period_(ticks_of_sample(*thread.record, times)), own_(times.size()), head_(times.size()),
          result_(times.size(), 0.0), variance_(times.size(), 0.0) {}

    void read();
    void estimate();
    void balance();
    void write();

  private:
    double error_of_clock(const Node& node) const;

    std::vector<NodeTimes>& times_;
    const NodePaths::Thread& thread_;
    const HookCosts& costs_;
    double period_;
    std::vector<Estimate> own_;              // by node
    std::vector<std::uint32_t> head_;        // by node: the one around it that has hooks
    std::vector<double> result_, variance_;  // of exclusive time, ticks
};

// Of all calls of a function together, ticks.
double Combination::error_of_clock(const Node& node) const {
    if (node.kind != NodeKind::function)
        return 0;
    const bool prologue = (__atomic_load_n(&node.flags, __ATOMIC_RELAXED) & node_prologue) != 0;
    return error_of_call * (costs_.timed.all + (prologue ? costs_.prologue.all : 0)) *
           static_cast<double>(__atomic_load_n(&node.calls, __ATOMIC_RELAXED));
}

void Combination::read() {
    for (std::uint32_t i = 0; i < times_.size(); i++) {
        const NodeTimes& own = times_[i];
        head_[i] = i;
        if (own.node->kind == NodeKind::samples) {
            Estimate& function = own_[own.parent];
            function.samples += sampled_ticks(*own.node);
            function.count +=
                static_cast<double>(__atomic_load_n(&own.node->timed_calls, __ATOMIC_RELAXED));
        }
        if (i == 0 || !has_own_time(own))
            continue;
        own_[i].clock += static_cast<double>(own.exclusive);
        const double error = squared(error_of_clock(*own.node));
        own_[i].clock_variance += own.exclusive_variance + error;
        own_[own.parent].clock_variance += error;
        if (thread_.is_filtered(i) && own.parent != 0 && has_own_time(times_[own.parent]))
            head_[i] = head_[own.parent];
    }
}

// By groups of a function and the callees without hooks whose time is in its own by the clock:
// first what all took together, then who.
void Combination::estimate() {
    std::vector<Estimate> group(times_.size());
    for (std::uint32_t i = 1; i < times_.size(); i++) {
        Estimate& all = group[head_[i]];
        all.clock += own_[i].clock;
        all.clock_variance += own_[i].clock_variance;
        all.samples += own_[i].samples;
        all.count += own_[i].count;
    }
    std::vector<double> total(times_.size(), 0.0), total_variance(times_.size(), 0.0);
    for (std::uint32_t i = 1; i < times_.size(); i++) {
        if (head_[i] != i || !has_own_time(times_[i]))
            continue;
        const Estimate& all = group[i];
        const double variance_of_samples = squared(period_) * (all.count + 1);
        const double difference = all.clock - all.samples;
        const double both = all.clock_variance + variance_of_samples;
        // Time that no sample sees: waiting. What samples see beyond the clock is real.
        constexpr double certain = 4;
        const bool waits = difference > certain * std::sqrt(both);
        if (!is_function(times_[i]) || waits || both == 0) {
            total[i] = all.clock;
            total_variance[i] = all.clock_variance;
        } else {
            const double weight = variance_of_samples / both;  // of the clock
            total[i] = weight * all.clock + (1 - weight) * all.samples;
            total_variance[i] = all.clock_variance * variance_of_samples / both;
        }
    }
    constexpr double fewest_of_group = 8;
    for (std::uint32_t i = 1; i < times_.size(); i++) {
        const std::uint32_t head = head_[i];
        const Estimate& all = group[head];
        if (!has_own_time(times_[i]))
            continue;
        const bool by_samples = all.count >= fewest_of_group && all.samples > 0;
        double share = head == i ? 1.0 : 0.0;
        if (by_samples)
            share = own_[i].samples / all.samples;
        result_[i] = std::max(total[head], 0.0) * share;
        // Binomial: which of the group's samples were this one's.
        variance_[i] = total_variance[head] * squared(share);
        if (by_samples && share < 1)
            variance_[i] +=
                squared(total[head]) * (share * (1 - share) + 1 / all.count) / all.count;
        // What waits is the one that has the clock, as far as is known.
        if (by_samples && share < 1 && total[head] == all.clock && all.clock > all.samples) {
            const double waiting = all.clock - all.samples;
            result_[i] = own_[i].samples + (head == i ? waiting : 0.0);
        }
    }
}

// All together have taken what the run has, without what samples found in the library: the rest
// goes where most is uncertain.
void Combination::balance() {
    const double overhead = sampled_overhead(times_, *thread_.record);
    // What reviews took, which samples have seen too.
    auto run = std::min(
        static_cast<double>(__atomic_load_n(&thread_.record->review_ticks, __ATOMIC_RELAXED)),
        overhead);
    double sum = 0;
    for (std::size_t i = 1; i < times_.size(); i++) {
        if (!has_own_time(times_[i]))
            continue;
        if (times_[i].parent == 0)
            run += static_cast<double>(times_[i].raw_active);
        sum += result_[i];
    }
    double rest = run - overhead - sum;
    // What would be less than nothing leaves some of the rest to others.
    constexpr int rounds = 4;
    for (int round = 0; round < rounds && run > 0; round++) {
        double variance = 0, given = 0;
        for (std::size_t i = 1; i < times_.size(); i++)
            if (rest > 0 || result_[i] > 0)
                variance += variance_[i];
        if (!(variance > 0))
            return;
        for (std::size_t i = 1; i < times_.size(); i++) {
            if (!has_own_time(times_[i]) || !(rest > 0 || result_[i] > 0))
                continue;
            const double before = result_[i];
            result_[i] = std::max(before + rest * variance_[i] / variance, 0.0);
            given += result_[i] - before;
        }
        rest -= given;
    }
}

void Combination::write() {
    for (std::size_t i = 1; i < times_.size(); i++)
        times_[i].parent = thread_.parent_of(*times_[i].node);
    std::vector<double> active(result_);
    for (std::size_t i = times_.size(); i-- > 1;) {
        NodeTimes& own = times_[i];
        if (!has_own_time(own))
            continue;
        own.active = static_cast<std::int64_t>(std::min(active[i], most_ticks));
        own.exclusive_variance = variance_[i];
        own.combined = true;
        active[own.parent] += active[i];
    }
}

}  // namespace

double sampled_overhead(const std::vector<NodeTimes>& times, const ThreadRecord& record) {
    double cost = 0, harmless = 0;
    for (const NodeTimes& own : times) {
        cost += own.cost.all;
        harmless += own.harmless_cost;
    }
    const double counts = harmless > 0 ? cost / (cost + harmless) : 1.0;
    return counts * ticks_of_sample(record, times) *
           static_cast<double>(__atomic_load_n(&record.lost_samples, __ATOMIC_RELAXED));
}

void combine_with_samples(std::vector<NodeTimes>& times, const NodePaths::Thread& thread,
                          const HookCosts& costs) {
    Combination combination(times, thread, costs);
    combination.read();
    combination.estimate();
    combination.balance();
    combination.write();
}

}  // namespace vftrace
