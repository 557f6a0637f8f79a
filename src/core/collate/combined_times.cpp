#include "collate/combined_times.hpp"

#include <algorithm>
#include <cmath>

#include "base/relaxed.hpp"
#include "record/thinned_time.hpp"

namespace vftrace {
namespace {

// What is known about the own time of a function, or about that of a function together with its
// callees without hooks, whose time the clock attributes to it.
struct Estimate {
    double clock = 0, clock_variance = 0;
    double samples = 0;  // ticks
    double count = 0;    // of samples
    double untimed = 0;  // samples of callees not all of whose calls are timed, ticks
};

// The error of the clock for each call, and for its caller's own time, as a fraction of the cost of
// a timed call: hooks cost more or less in a program than in the loops where they are measured, and
// a processor that waits for the clock has work in progress that it would not wait for otherwise.
constexpr double error_of_call = 1.0;

bool has_own_time(const NodeTimes& times) {
    return !times.is_paused() && !is_bookkeeping(*times.node);
}

bool is_function(const NodeTimes& times) { return times.node->kind == NodeKind::function; }

double squared(double x) { return x * x; }

// A damaged count of ticks must not do any harm.
constexpr double most_ticks = 0x1p61;

double sampled_ticks(const Node& samples) {
    return std::min(static_cast<double>(__atomic_load_n(&samples.weighted_ticks, __ATOMIC_RELAXED)),
                    most_ticks);
}

// The time that one sample represents.
double ticks_of_sample(const ThreadRecord& record, const std::vector<NodeTimes>& times) {
    double ticks = 0;
    for (const NodeTimes& own : times)
        if (own.node->kind == NodeKind::samples)
            ticks += sampled_ticks(*own.node);
    const std::uint64_t samples = __atomic_load_n(&record.samples, __ATOMIC_RELAXED);
    return ticks / static_cast<double>(std::max<std::uint64_t>(samples, 1));
}

// Time in which other threads had the processor that a thread could have used: part of the time by
// the clock, but not of any sample. It comes in pieces. Rows show it in proportion to the samples,
// because it says nothing about the function that happened to be interrupted.
struct Interruptions {
    double ticks = 0, count = 0;
    double of_samples = 0;  // ticks that all samples represent

    // For each tick of samples.
    double rate() const { return count > 0 ? ticks / of_samples : 0.0; }

    // The uncertainty of how much of it the clock has in calls that have `samples` ticks of
    // samples. Two parts: the lengths of the pieces are assumed to be distributed exponentially, so
    // that the mean of their squares is twice the squared mean; and schedulers interrupt a thread
    // where it enters the kernel rather than anywhere, so that some functions have none of the
    // pieces, and others several times their share.
    double variance(double samples) const {
        if (!(count > 0))
            return 0.0;
        const double share = rate() * samples;
        return 2 * ticks / count * share + share * share;
    }
};

Interruptions interruptions_of(const ThreadRecord& record, double period) {
    auto number = [](const std::uint64_t& value) {
        return static_cast<double>(__atomic_load_n(&value, __ATOMIC_RELAXED));
    };
    const double samples =
        number(record.samples) + number(record.other_samples) + number(record.lost_samples);
    if (!(samples > 0) || !(period > 0))
        return {};
    return {std::min(number(record.interrupted_ticks), most_ticks), number(record.interruptions),
            samples * period};
}

class Combination {
  public:
    Combination(std::vector<NodeTimes>& times, const NodePaths::Thread& thread,
                const HookCosts& costs, bool has_samples)
        : times_(times), thread_(thread), costs_(costs), has_samples_(has_samples),
          period_(ticks_of_sample(*thread.record, times)),
          interruptions_(interruptions_of(*thread.record, period_)), own_(times.size()),
          head_(times.size()), result_(times.size(), 0.0), variance_(times.size(), 0.0) {}

    void read();
    std::vector<Estimate> groups() const;
    double waiting_part(const std::vector<Estimate>& group) const;
    void estimate();
    void estimate_overhead();
    void take_clock();
    // False if there was nothing to do.
    bool balance_excess();
    void balance();
    void write();
    void write_times();  // without their errors
    MeasuringCost cost() const { return {result_[overhead], std::sqrt(variance_[overhead])}; }

  private:
    // The root does not have its own time; its element holds the cost of measuring instead.
    static constexpr std::size_t overhead = 0;
    struct Balance {
        double run, rest;
    };
    Balance difference() const;

    double error_of_clock(const Node& node) const;
    double sampled(const Estimate& group) const {
        return (1 + interruptions_.rate()) * group.samples;
    }
    double variance_of_samples(const Estimate& group) const;
    double variance_of_clock(const Estimate& group) const;
    // By the clock, the calls took longer than samples can explain.
    bool waits(const Estimate& group) const;

    std::vector<NodeTimes>& times_;
    const NodePaths::Thread& thread_;
    const HookCosts& costs_;
    bool has_samples_;
    double period_;
    Interruptions interruptions_;
    std::vector<Estimate> own_;              // by node
    std::vector<std::uint32_t> head_;        // by node: the nearest one upwards that has hooks
    std::vector<double> result_, variance_;  // of exclusive time, ticks
    double reviews_ = 0;                     // ticks, which are not part of any row's time
};

// For all calls of a function together, ticks.
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

double Combination::variance_of_samples(const Estimate& group) const {
    return squared((1 + interruptions_.rate()) * period_) * (group.count + 1);
}

double Combination::variance_of_clock(const Estimate& group) const {
    return group.clock_variance + interruptions_.variance(group.samples + group.untimed);
}

// Time that samples have in excess of the clock is real.
bool Combination::waits(const Estimate& group) const {
    constexpr double certain = 4;
    return group.clock - sampled(group) >
           certain * std::sqrt(variance_of_clock(group) + variance_of_samples(group));
}

// A function and its callees without hooks, whose time the clock includes in the function's own.
std::vector<Estimate> Combination::groups() const {
    std::vector<Estimate> group(times_.size());
    for (std::uint32_t i = 1; i < times_.size(); i++) {
        Estimate& all = group[head_[i]];
        all.clock += own_[i].clock;
        all.clock_variance += own_[i].clock_variance;
        all.samples += own_[i].samples;
        all.count += own_[i].count;
    }
    // A call that represents others was not interrupted (tree/thinning.hpp): the clock has the
    // interruptions of the others in their caller.
    for (std::uint32_t i = 1; i < times_.size(); i++) {
        if (head_[i] != i || relaxed(times_[i].node->thinned_calls) == 0)
            continue;
        Estimate& caller = group[head_[times_[i].parent]];
        const ThinnedTime thinned = thinned_time(*times_[i].node);
        const double moved = interruptions_.rate() *
                             std::min(std::max(thinned.ticks, 0.0), std::max(group[i].clock, 0.0));
        group[i].clock += moved;
        caller.clock -= moved;
        caller.untimed += group[i].samples;
    }
    return group;
}

// How much of the time that functions have by the clock, beyond what samples explain, is waiting,
// from 0 to 1. Where interruptions are frequent, the clock has too much in some functions and too
// little in others: only what remains of the sum was spent waiting.
double Combination::waiting_part(const std::vector<Estimate>& group) const {
    if (!(interruptions_.rate() > 0))
        return 1;
    double excess = 0, all = 0;
    for (std::uint32_t i = 1; i < times_.size(); i++) {
        if (head_[i] != i || !has_own_time(times_[i]) || !is_function(times_[i]))
            continue;
        const double difference = group[i].clock - sampled(group[i]);
        all += difference;
        if (waits(group[i]))
            excess += difference;
    }
    return excess > 0 ? std::clamp(all / excess, 0.0, 1.0) : 1;
}

// First the total of each group, then its distribution.
void Combination::estimate() {
    const std::vector<Estimate> group = groups();
    const double waiting_part = this->waiting_part(group);
    std::vector<double> total(times_.size(), 0.0), total_variance(times_.size(), 0.0),
        waiting(times_.size(), 0.0);
    for (std::uint32_t i = 1; i < times_.size(); i++) {
        if (head_[i] != i || !has_own_time(times_[i]))
            continue;
        const Estimate& all = group[i];
        const double of_samples = variance_of_samples(all), of_clock = variance_of_clock(all);
        if (!is_function(times_[i]) || of_samples + of_clock == 0) {
            total[i] = all.clock;
            total_variance[i] = of_clock;
        } else if (waits(all)) {
            // Either waiting or a place where the thread is interrupted.
            const double excess = all.clock - sampled(all);
            waiting[i] = waiting_part * excess;
            total[i] = sampled(all) + waiting[i];
            total_variance[i] = squared(waiting_part) * of_clock +
                                squared(1 - waiting_part) * of_samples +
                                waiting_part * (1 - waiting_part) * squared(excess);
        } else {
            const double weight = of_samples / (of_samples + of_clock);  // of the clock
            total[i] = weight * all.clock + (1 - weight) * sampled(all);
            total_variance[i] = of_clock * of_samples / (of_samples + of_clock);
        }
    }
    for (std::uint32_t i = 1; i < times_.size(); i++) {
        const std::uint32_t head = head_[i];
        const Estimate& all = group[head];
        if (!has_own_time(times_[i]))
            continue;
        const bool by_samples = all.count > 0 && all.samples > 0;
        double share = head == i ? 1.0 : 0.0;
        if (by_samples)
            share = own_[i].samples / all.samples;
        result_[i] = std::max(total[head], 0.0) * share;
        // Binomial: which of the group's samples belong to this node.
        variance_[i] = total_variance[head] * squared(share);
        if (by_samples && share < 1)
            variance_[i] +=
                squared(total[head]) * (share * (1 - share) + 1 / all.count) / all.count;
        // As far as is known, it is the function with the clock that waits.
        if (by_samples && share < 1 && waiting[head] > 0)
            result_[i] = sampled(own_[i]) + (head == i ? waiting[head] : 0.0);
    }
}

// The cost of measuring: from calibration, whose error is a fraction of its result, and from the
// samples that found the library at work, of which a short run has few.
void Combination::estimate_overhead() {
    constexpr double error_of_calibration = 0.5;
    const ThreadRecord& record = *thread_.record;
    double cost = 0, harmless = 0;
    for (const NodeTimes& own : times_) {
        cost += own.cost.all;
        harmless += own.harmless_cost;
    }
    // Without what only took the place of waiting.
    const double counts = harmless > 0 ? cost / (cost + harmless) : 1.0;
    const auto lost = static_cast<double>(__atomic_load_n(&record.lost_samples, __ATOMIC_RELAXED));
    if (has_samples_)
        reviews_ = static_cast<double>(relaxed(record.review_ticks));
    const double calibrated = cost + reviews_, sampled = counts * period_ * lost;
    const double variance_of_calibrated = squared(error_of_calibration * cost);
    const double variance_of_sampled = squared(counts * period_) * (lost + 1);
    const double both = variance_of_calibrated + variance_of_sampled;
    result_[overhead] = calibrated;
    variance_[overhead] = variance_of_calibrated;
    if (!has_samples_ || !(both > 0))
        return;
    result_[overhead] += (sampled - calibrated) * variance_of_calibrated / both;
    variance_[overhead] = variance_of_calibrated * variance_of_sampled / both;
}

// The time of the run, and what the times and the overhead lack to add up to it.
Combination::Balance Combination::difference() const {
    double run = reviews_, sum = result_[overhead];
    for (std::size_t i = 1; i < times_.size(); i++) {
        const NodeTimes& own = times_[i];
        if (!has_own_time(own))
            continue;
        if (own.parent == 0)  // the hooks of these calls cost time before and after them
            run += static_cast<double>(own.raw_active) + own.cost.all - own.cost.inside;
        sum += result_[i];
    }
    return {run, run - sum};
}

// All times and the overhead must add up to the time of the run: the difference goes where the
// uncertainty is largest.
void Combination::balance() {
    const Balance found = difference();  // clang 14 cannot capture structured bindings
    const double run = found.run;
    double rest = found.rest;
    const auto is_part = [&](std::size_t i) {
        return (i == overhead || has_own_time(times_[i])) && (rest > 0 || result_[i] > 0);
    };
    // Times that would become negative leave part of the difference to others.
    constexpr int rounds = 4;
    for (int round = 0; round < rounds && run > 0; round++) {
        double variance = 0, given = 0;
        for (std::size_t i = 0; i < times_.size(); i++)
            if (is_part(i))
                variance += variance_[i];
        if (!(variance > 0))
            return;
        for (std::size_t i = 0; i < times_.size(); i++) {
            if (!is_part(i))
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
    write_times();
    for (std::size_t i = 1; i < times_.size(); i++) {
        if (!has_own_time(times_[i]))
            continue;
        times_[i].exclusive_variance = variance_[i];
        times_[i].combined = true;
    }
}

// The times by the clock alone. Those of functions that were suspended while their callees went on
// are negative, and add up with the others.
void Combination::take_clock() {
    for (std::uint32_t i = 1; i < times_.size(); i++)
        if (has_own_time(times_[i])) {
            result_[i] = own_[i].clock;
            variance_[i] = own_[i].clock_variance;
        }
}

bool Combination::balance_excess() {
    constexpr double negligible = 0.001;
    const auto [run, rest] = difference();
    if (!(run > 0) || rest > -negligible * run)
        return false;
    balance();
    return true;
}

void Combination::write_times() {
    std::vector<double> active(result_);
    for (std::size_t i = times_.size(); i-- > 1;) {
        NodeTimes& own = times_[i];
        if (!has_own_time(own))
            continue;
        own.active = static_cast<std::int64_t>(std::min(active[i], most_ticks));
        active[own.parent] += active[i];
    }
}

}  // namespace

MeasuringCost combine_with_samples(std::vector<NodeTimes>& times, const NodePaths::Thread& thread,
                                   const HookCosts& costs) {
    Combination combination(times, thread, costs, true);
    combination.read();
    combination.estimate();
    combination.estimate_overhead();
    combination.balance();
    combination.write();
    return combination.cost();
}

MeasuringCost balance_with_cost(std::vector<NodeTimes>& times, const NodePaths::Thread& thread,
                                const HookCosts& costs) {
    Combination combination(times, thread, costs, false);
    combination.read();
    combination.take_clock();
    combination.estimate_overhead();
    if (combination.balance_excess())
        combination.write_times();
    return combination.cost();
}

}  // namespace vftrace
