// Clock and samples combined: on simulated runs the estimates are right as often as they claim.
#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <vector>

#include "collected_profile.hpp"
#include "tree/callees.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// Ticks are nanoseconds.
constexpr double cost_of_hooks = 30, period = 4e6;

struct Called {
    double calls, own;  // of each call
};
// Long, middling, short and very short calls; main has the rest.
constexpr Called called[] = {{2000, 1e6}, {2e6, 1000}, {2e7, 100}, {5e7, 20}};
constexpr double own_of_main = 3e9;

// Where the clock has the times without a processor.
enum class Place {
    anywhere,
    caller_of_thinned,  // anywhere, but of the functions one call in 256 is timed, as a rule not an
                        // interrupted one
    main                // where it calls the kernel, whose scheduler prefers such places
};

struct Waiting {
    double pieces = 0, mean = 0;  // times without a processor, distributed exponentially
    Place place = Place::anywhere;
};

class Run {
  public:
    // In each function, hooks cost more or less than calibration says, within the assumed
    // uncertainty.
    Run(std::uint64_t seed, Waiting waiting) : random_(seed), place_(waiting.place) {
        std::normal_distribution<double> error(0, 1);
        double hooks = 0, inside_main = 0;
        for (const Called& function : called) {
            const double cost = place_ == Place::caller_of_thinned
                                    ? 0
                                    : cost_of_hooks * std::max(1 + error(random_), 0.05);
            work_.push_back(function.calls * function.own);
            inside_.push_back(function.calls * cost / 2);
            inside_main += function.calls * cost / 2;
            hooks += function.calls * cost;
        }
        work_.push_back(own_of_main);
        inside_.push_back(inside_main);
        sample(hooks);
        clock_ = work_;
        for (std::size_t i = 0; i < clock_.size(); i++)
            clock_[i] += inside_[i];
        wait(waiting);
    }

    Profile profile() {
        ProcessBuilder process;
        ThreadBuilder& thread = process.add_thread();
        double all = 0;
        for (const double ticks : clock_)
            all += ticks;
        Node& main = function(thread, thread.root(), 1, all);
        add_samples(thread, main, samples_.back());
        for (std::size_t i = 0; i < std::size(called); i++)
            add_samples(thread, function(thread, main, called[i].calls, clock_[i]), samples_[i]);
        thread.record.lost_samples = lost_;
        thread.record.interrupted_ticks = static_cast<std::uint64_t>(waited_);
        thread.record.interruptions = pieces_;
        for (const std::uint64_t samples : samples_)
            thread.record.samples += samples;
        process.record.sampled_beside_hooks = 1;
        process.record.sample_period_ns = static_cast<std::uint64_t>(period);
        CollectSettings settings{.end_ticks = static_cast<std::uint64_t>(all)};
        settings.corrected = true;
        settings.calibration.costs.timed = {cost_of_hooks, cost_of_hooks / 2, 0};
        Profile profile;
        collect_profile(profile, process.record, settings);
        return profile;
    }

    // By path from the first one below "init" on: main, then the functions.
    double truth(std::size_t path) const {
        return path == 0 ? work_.back() + waits_.back() : work_[path - 1] + waits_[path - 1];
    }

  private:
    Node& function(ThreadBuilder& thread, Node& caller, double calls, double ticks) const {
        static std::uintptr_t key = 0x1000;
        const bool thinned = place_ == Place::caller_of_thinned && &caller != &thread.root();
        Node& node =
            thread.add(&caller, NodeKind::function, key += 0x100, static_cast<std::uint64_t>(calls),
                       thinned ? 0 : static_cast<std::uint64_t>(ticks));
        if (thinned) {
            constexpr double stride = 16;
            const double timed = calls / stride, mean = ticks / calls;
            node.thinned_calls = static_cast<std::uint64_t>(calls);
            node.weighted_ticks = static_cast<std::uint64_t>(ticks);
            node.weight_squares = static_cast<std::uint64_t>(timed * stride * stride);
            node.ticks_squares = static_cast<std::uint64_t>(timed * mean * mean);
            node.timed_calls = static_cast<std::uint32_t>(timed);
            node.timing = timed_call_due;
        }
        return node;
    }
    static void add_samples(ThreadBuilder& thread, Node& node, std::uint64_t samples) {
        Node& counts = thread.add(&node, NodeKind::samples, samples_key);
        counts.timed_calls = static_cast<std::uint32_t>(samples);
        counts.weighted_ticks = static_cast<std::uint64_t>(static_cast<double>(samples) * period);
    }

    void sample(double hooks) {
        for (const double ticks : work_)
            samples_.push_back(std::poisson_distribution<std::uint64_t>(ticks / period)(random_));
        lost_ = std::poisson_distribution<std::uint64_t>(hooks / period)(random_);
    }

    void wait(Waiting waiting) {
        waits_.assign(work_.size(), 0.0);
        if (waiting.pieces == 0)
            return;
        std::discrete_distribution<std::size_t> place(clock_.begin(), clock_.end());
        std::exponential_distribution<double> length(1 / waiting.mean);
        pieces_ = static_cast<std::uint64_t>(waiting.pieces);
        for (std::uint64_t i = 0; i < pieces_; i++) {
            const double ticks = length(random_);
            waited_ += ticks;
            clock_[waiting.place == Place::anywhere ? place(random_) : clock_.size() - 1] += ticks;
        }
        // The waiting time is distributed in proportion to the work.
        double all = 0;
        for (const double ticks : work_)
            all += ticks;
        for (std::size_t i = 0; i < work_.size(); i++)
            waits_[i] = waited_ * work_[i] / all;
    }

    std::mt19937_64 random_;
    Place place_;
    std::vector<double> work_, inside_, clock_, waits_;  // ticks; of the functions, main's last
    std::vector<std::uint64_t> samples_;
    std::uint64_t lost_ = 0, pieces_ = 0;
    double waited_ = 0;
};

struct Figures {
    double covered = 0;     // fraction of the 95 % intervals that contain the truth
    double worst_bias = 0;  // of a function, as a fraction of its time
};

Figures simulate(Waiting waiting) {
    constexpr int runs = 400;
    constexpr std::size_t paths = std::size(called) + 1;
    double covered = 0;
    std::vector<double> bias(paths);
    for (int seed = 1; seed <= runs; seed++) {
        Run run(static_cast<std::uint64_t>(seed), waiting);
        const Profile profile = run.profile();
        REQUIRE(profile.paths.size() == paths + 1);
        for (std::size_t i = 0; i < paths; i++) {
            const Path& path = profile.paths[i + 1];
            const double off = static_cast<double>(path.exclusive_ns) - run.truth(i);
            covered += std::abs(off) <= 1.96 * static_cast<double>(path.exclusive_error_ns);
            bias[i] += off / run.truth(i) / runs;
        }
    }
    Figures figures{covered / (runs * paths), 0};
    for (const double of_function : bias)
        figures.worst_bias = std::max(figures.worst_bias, std::abs(of_function));
    return figures;
}

}  // namespace

TEST_CASE("clock and samples: intervals of 95 % hold the truth") {
    const Figures figures = simulate({});
    CAPTURE(figures.covered, figures.worst_bias);
    CHECK(figures.covered > 0.93);
    CHECK(figures.covered < 0.99);
    CHECK(figures.worst_bias < 0.02);
}

TEST_CASE("clock and samples: time without a processor is shared by all functions") {
    const Figures figures = simulate({300, 1e7});  // 3 s
    CAPTURE(figures.covered, figures.worst_bias);
    CHECK(figures.covered > 0.92);
    CHECK(figures.worst_bias < 0.03);
}

// Beside other programs, on the same processor: half of the time, or nine tenths.
TEST_CASE("clock and samples: interruptions that the clock has in few functions") {
    const Place place = GENERATE(Place::anywhere, Place::caller_of_thinned, Place::main);
    const double pieces = GENERATE(1000, 10000);
    const Figures figures = simulate({pieces, 1e7, place});
    CAPTURE(static_cast<int>(place), pieces, figures.covered, figures.worst_bias);
    CHECK(figures.covered > 0.90);
    CHECK(figures.worst_bias < 0.03);
}

TEST_CASE("clock and samples: a function without hooks has few samples, with their uncertainty") {
    ProcessBuilder process;
    ThreadBuilder& thread = process.add_thread();
    process.load_module();
    const auto function = [&](Node& caller, std::uintptr_t key, std::uint64_t calls, double ticks,
                              std::uint32_t samples) -> Node& {
        Node& node =
            thread.add(&caller, NodeKind::function, key, calls, static_cast<std::uint64_t>(ticks));
        node.module = 0;
        Node& counts = thread.add(&node, NodeKind::samples, samples_key);
        counts.timed_calls = samples;
        counts.weighted_ticks = static_cast<std::uint64_t>(samples * period);
        return node;
    };
    Node& main = function(thread.root(), 0x401000, 1, 3e9, 740);
    Node& caller = function(main, 0x402000, 500, 20e6, 2);
    function(caller, 0x403000, 1000, 1e5, 3);
    UnwantedFunction unwanted{0x403000, 0, 0, Unwanted::over_budget, HooksLeft::none};
    process.record.unwanted = {&unwanted, 1, 1};
    thread.record.samples = 745;
    process.record.sampled_beside_hooks = 1;
    CollectSettings settings{.end_ticks = 3'000'000'000};
    settings.corrected = true;
    settings.calibration.costs.timed = {cost_of_hooks, cost_of_hooks / 2, 0};
    Profile profile;
    collect_profile(profile, process.record, settings);
    const Path& removed = profile.paths.back();
    CHECK(static_cast<double>(removed.exclusive_ns) == Approx(12e6).epsilon(0.05));
    CHECK(removed.exclusive_error_ns > 3e6);
    CHECK(removed.exclusive_error_ns < 9e6);
}
