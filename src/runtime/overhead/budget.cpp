#include "overhead/budget.hpp"

#include <algorithm>

#include "base/arena.hpp"
#include "base/mapped_table.hpp"
#include "base/relaxed.hpp"
#include "guest/floating_point.hpp"
#include "overhead/call_ratios.hpp"
#include "overhead/unwanted.hpp"
#include "record/node_cost.hpp"
#include "record/thinned_time.hpp"
#include "sampling/sample_booking.hpp"
#include "tree/call_tree.hpp"
#include "tree/event_buffer.hpp"
#include "tree/folding.hpp"
#include "tree/own_record.hpp"
#include "tree/upcalls.hpp"
#include "tree/visit_nodes.hpp"

namespace vftrace {

std::uint64_t next_review = ~std::uint64_t{0};

namespace {

// The number of calls that is enough to judge a function: more than the first examination and the
// period of timed calls that follows if its first calls were long, because the cost of these
// differs from that of later ones.
constexpr std::uint64_t fewest_calls = 2500;
// The part of the budget that reviews plan with: hooks cost more in a program, whose caches and
// branch predictors have other work, than in the loops that they are measured in.
constexpr double planned_part = 0.7;
// Functions whose calls cost more than half of their time lose their hooks at once, others only
// when the run has shown its behaviour; those whose calls cost less than the planned share of their
// time are kept, because all of them together cannot cost more.
constexpr double hopeless_ratio = 0.5;
// If all calls of a function are timed, they cost less than this part of the budget for their time.
constexpr double part_of_clocks = 0.5;
constexpr double settled_ms = 150;
// Excess cost is to be recovered within the run time so far, or within this time if that is longer.
constexpr double shortest_payback_ms = 1000;
// The minimum interval between two reviews, as a multiple of the time of one.
constexpr double rest_after_walk = 30;
// Functions that cost less than this part of the budget are not worth their row.
constexpr double smallest_part = 0.002;
// The first moments of a program are seldom typical.
constexpr double first_look_ms = 50, first_review_ms = 100, shortest_pause_ms = 20,
                 longest_pause_ms = 100;

// What calls of a function will cost on all its paths, and how long it ran.
struct ReviewedFunction : ByAddress {
    std::uint64_t calls = 0, calls_before = 0;  // now, and at the last review
    double next_call = 0;                       // sum over calls of what another one would cost
    double own = 0, own_before = 0;             // ticks in the function itself
    double callees = 0, callees_before = 0;     // and in what it calls, including the cost of that
    bool kept = false;
    bool leaves = false;  // loses its hooks in this review

    double calls_since() const {
        return static_cast<double>(calls - std::min(calls, calls_before));
    }
    double expected() const {
        return calls ? calls_since() * next_call / static_cast<double>(calls) : 0.0;
    }
    double ratio() const { return expected() / (own_since() + 1); }
    double own_since() const { return std::max(own - own_before, 0.0); }
    // Otherwise its own time may become long once the hooks of its callees have been removed.
    bool is_leaf_like() const { return callees - callees_before <= 2 * own_since(); }
};

BudgetSettings settings;
MappedTable<ReviewedFunction> functions;
CallRatios call_ratios;
std::uint64_t last_review;
double ticks_of_reviews;
bool at_work;
bool looked;  // the look before the first review is done

// Adds one node to its function and subtracts it from its caller's own time.
void add_node(const Node& node) {
    if (node.kind == NodeKind::root)
        return;
    const NodeCost cost = cost_of(node, settings.costs);
    const double time = static_cast<double>(relaxed(node.inclusive_ticks)) +
                        thinned_time(node).ticks - cost.surplus - cost.inside;
    if (kind_of_calls(node) == NodeKind::function) {
        if (ReviewedFunction* own = functions.find_or_add({{node.key}})) {
            const std::uint64_t calls = relaxed(node.calls);
            own->calls += calls;
            own->next_call += static_cast<double>(calls) * cost_of_next_call(node, settings.costs);
            own->own += time;
            own->kept |= (relaxed(node.flags) & (node_kept | node_precise)) != 0;
        }
    }
    if (node.parent && node.parent->kind == NodeKind::function)
        if (ReviewedFunction* caller = functions.find_or_add({{node.parent->key}})) {
            caller->own -= time + cost.all;
            caller->callees += time + cost.all;
        }
}

void begin_review() {
    functions.visit([](ReviewedFunction& function) {
        function.calls_before = function.calls;
        function.calls = 0;
        function.own_before = function.own;
        function.callees_before = function.callees;
        function.next_call = function.own = function.callees = 0;
        function.leaves = false;
    });
}

// What all functions have cost so far.
struct Costs {
    double all = 0;      // ticks, all threads
    double longest = 0;  // of the thread with most
};

Costs add_all_nodes() {
    Costs costs;
    visit_threads([&](const ThreadRecord& thread) {
        double of_thread = 0;
        visit_nodes(thread, [&](const Node& node) {
            add_node(node);
            call_ratios.look_at(node);
            of_thread += cost_of(node, settings.costs).all;
        });
        costs.all += of_thread;
        costs.longest = std::max(costs.longest, of_thread);
    });
    return costs;
}

// The share of the time that measuring may take from now on.
double share_from_now_on(double spent, double elapsed) {
    const double too_much = std::max(spent - settings.share * elapsed, 0.0);
    const double payback = std::max(elapsed, shortest_payback_ms * settings.ticks_per_ms);
    return std::max(settings.share * planned_part - too_much / payback, settings.share / 10);
}

// Functions whose hooks may be removed; holds memory for as long as the object exists.
class Candidates {
  public:
    Candidates(double smallest_cost, double smallest_ratio)
        : bytes_(functions.count() * sizeof(Candidate)) {
        candidates_ = static_cast<Candidate*>(map_memory(bytes_));
        if (!candidates_)
            return;
        functions.visit([&](ReviewedFunction& function) {
            if (!function.kept && function.calls >= fewest_calls &&
                function.expected() >= smallest_cost && function.ratio() >= smallest_ratio &&
                !is_unwanted(function.address))
                candidates_[count_++] = {function.ratio(), &function};
        });
        Candidate* leaves_end = std::partition(begin(), end(), [](const Candidate& candidate) {
            return candidate.function->is_leaf_like();
        });
        // Leaves first; the others when none is left.
        if (leaves_end != begin())
            count_ = static_cast<std::size_t>(leaves_end - begin());
        std::sort(begin(), end(),
                  [](const Candidate& a, const Candidate& b) { return a.ratio > b.ratio; });
    }
    ~Candidates() {
        if (candidates_)
            unmap_memory(candidates_, bytes_);
    }
    Candidates(const Candidates&) = delete;
    Candidates& operator=(const Candidates&) = delete;

    struct Candidate {
        double ratio;  // of cost to own time
        ReviewedFunction* function;
    };
    // Those with the largest cost for their time come first; only functions that call little, if
    // there are any.
    Candidate* begin() { return candidates_; }
    Candidate* end() { return candidates_ + count_; }

  private:
    std::size_t bytes_, count_ = 0;
    Candidate* candidates_;
};

// Makes the nodes of functions that are unwanted now find that out at their next call.
void report_nodes() {
    visit_threads([](ThreadRecord& thread) {
        if (thread.nodes_at_removal == 0 && !unwanted_functions.empty())
            thread.nodes_at_removal = thread.node_count;
        visit_nodes(thread, [&](Node& node) {
            if (node.kind != NodeKind::function)
                return;
            const ReviewedFunction* function = functions.find(node.key);
            if (function && function->leaves)
                call_ratios.note_removal(thread, node);
            if (relaxed(node.timing) < 0 && is_unwanted(node.key))
                __atomic_store_n(&node.timing, look_due - 1, __ATOMIC_RELAXED);
        });
    });
}

// The cost of hooks in this program as a multiple of what calibration found: they have the lines of
// the caches to themselves while they are calibrated. Based on the samples that found the library
// at work.
double factor_of_program(double calibrated) {
    if (!process_record->sampled_beside_hooks || !(calibrated > 0))
        return 1;
    constexpr double prior = 20;  // samples
    constexpr double least = 0.7, most = 10;
    const auto period = static_cast<double>(ticks_of(process_record->sample_period_ns));
    if (!(period > 0))
        return 1;
    double samples = 0;
    visit_threads([&](const ThreadRecord& thread) {
        samples += std::max(static_cast<double>(relaxed(thread.lost_samples)) -
                                static_cast<double>(relaxed(thread.review_ticks)) / period,
                            0.0);
    });
    const double expected = calibrated / period;
    return std::clamp((samples + prior) / (expected + prior), least, most);
}

// Returns for how many ticks there should be no other review.
double review(std::uint64_t now) {
    const double elapsed =
        static_cast<double>(now - process_record->start.ticks - process_record->paused_ticks);
    const double period = static_cast<double>(now - last_review);
    begin_review();
    const Costs spent = add_all_nodes();
    const double rest = rest_after_walk * static_cast<double>(tree_ticks() - now);
    if (spent.all <= 0 || elapsed <= 0 || period <= 0)
        return rest;
    // The number of threads that share the cost.
    const double threads = spent.all / spent.longest;
    double expected = 0;
    functions.visit([&](const ReviewedFunction& function) {
        if (!is_unwanted(function.address))
            expected += function.expected();
    });
    const double factor = factor_of_program(spent.all);
    const double allowed = share_from_now_on(factor * spent.longest + ticks_of_reviews, elapsed) *
                           period * threads / factor;
    const double smallest = settings.share * smallest_part * period * threads;
    if (expected <= allowed)
        return rest;
    const bool settled = elapsed >= settled_ms * settings.ticks_per_ms;
    const double least_ratio = settled ? settings.share * planned_part : hopeless_ratio;
    for (const auto& [ratio, function] : Candidates(smallest, least_ratio)) {
        if (expected <= allowed || !add_unwanted(function->address, Unwanted::over_budget, now))
            break;
        expected -= function->expected();
        function->leaves = true;
    }
    report_nodes();
    return rest;
}

// At half of the time before the first review: later numbers of calls of functions for each call of
// their callers are compared with these.
void first_look() {
    visit_threads([](const ThreadRecord& thread) {
        visit_nodes(thread, [](const Node& node) { call_ratios.look_at(node); });
    });
    const double rest = (first_review_ms - first_look_ms) * settings.ticks_per_ms;
    __atomic_store_n(&next_review, tree_ticks() + static_cast<std::uint64_t>(rest),
                     __ATOMIC_RELAXED);
}

void review_and_plan(std::uint64_t now) {
    const double rest = review(now);
    const std::uint64_t end = tree_ticks();
    ticks_of_reviews += static_cast<double>(end - now);
    last_review = now;
    const double elapsed = static_cast<double>(end - process_record->start.ticks);
    const double pause = std::clamp(elapsed / 10, shortest_pause_ms * settings.ticks_per_ms,
                                    longest_pause_ms * settings.ticks_per_ms);
    __atomic_store_n(&next_review, end + static_cast<std::uint64_t>(std::max(pause, rest)),
                     __ATOMIC_RELAXED);
}

}  // namespace

void start_budget(const BudgetSettings& chosen) {
    settings = chosen;
    functions = {};
    call_ratios.clear();
    looked = false;
    ticks_of_reviews = 0;
    at_work = false;
    last_review = process_record->start.ticks;
    __atomic_store_n(&next_review,
                     settings.share > 0 ? last_review + static_cast<std::uint64_t>(
                                                            first_look_ms * settings.ticks_per_ms)
                                        : ~std::uint64_t{0},
                     __ATOMIC_RELAXED);
}

void review_budget(ThreadState& state, std::uint64_t now) {
    if (__atomic_exchange_n(&at_work, true, __ATOMIC_ACQUIRE))
        return;
    HeldFloatingPointTraps held;
    if (traces_every_event()) {
        // Functions keep their hooks until the trace is thinned.
        __atomic_store_n(&next_review,
                         now + static_cast<std::uint64_t>(first_look_ms * settings.ticks_per_ms),
                         __ATOMIC_RELAXED);
    } else if (looked) {
        review_and_plan(now);
    } else {
        first_look();
        looked = true;
    }
    take_out_own_time(state, now);
    __atomic_store_n(&at_work, false, __ATOMIC_RELEASE);
}

std::uint64_t short_call_ticks(const HookCosts& costs, double share) {
    // Functions that are timed at every call then stay: otherwise a function with most of the time,
    // for which the clock costs more than the budget, would lose its hooks although it could be
    // thinned.
    const double times = share > 0 ? std::clamp(1 / (share * part_of_clocks), 10.0, 200.0) : 10.0;
    return static_cast<std::uint64_t>(times * costs.timed.all);
}

}  // namespace vftrace
