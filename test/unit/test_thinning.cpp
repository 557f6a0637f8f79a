// Estimates from a fraction of the calls, with calls that are interrupted or occasionally long.
#include <catch2/catch.hpp>

#include "record/thinned_time.hpp"
#include "tree/thinning.hpp"

using namespace vftrace;

namespace {

// A node whose calls are processed as the hooks would process them.
class CalledNode {
  public:
    CalledNode() {
        thinning_settings.active = true;
        thinning_settings.short_call = 400;
        node_.timing = first_timing(NodeKind::function, false);
    }
    void call(std::uint64_t ticks) {
        node_.calls++;
        if (++node_.timing < 0) {
            node_.inclusive_ticks += ticks;
            return;
        }
        if ((node_.timing & timing_mask) != 0)
            return;
        if (node_.timing == timed_call_due || begin_look(node_))
            note_thinned_call(random_, node_, ticks);
        else
            node_.inclusive_ticks += ticks;
    }
    double ticks() const {
        return static_cast<double>(node_.inclusive_ticks) + thinned_time(node_).ticks;
    }
    bool next_is_timed() const { return node_.timing + 1 == timed_call_due; }

  private:
    std::uint64_t random_ = 88172645463325252u;
    Node node_{};
};

}  // namespace

TEST_CASE("a wait for a processor does not count many times") {
    constexpr std::uint64_t interruption = 10'000'000, usual = 30;
    CalledNode node;
    std::uint64_t truth = 0, interruptions = 0;
    for (int i = 0; i < 1'000'000; i++) {
        // The worst case: only timed calls are interrupted.
        const bool hit = node.next_is_timed() && i / 40'000 > static_cast<int>(interruptions);
        interruptions += hit;
        node.call(hit ? interruption : usual);
        truth += hit ? interruption : usual;
    }
    REQUIRE(interruptions > 10);
    CHECK(node.ticks() > 0.9 * static_cast<double>(truth));
    CHECK(node.ticks() < 1.1 * static_cast<double>(truth));
}

TEST_CASE("calls that are occasionally long are not all taken for interruptions") {
    constexpr std::uint64_t rare = 1'000'000, usual = 30;
    CalledNode node;
    std::uint64_t truth = 0;
    for (int i = 0; i < 4'000'000; i++) {
        const std::uint64_t ticks = (i * 2'654'435'761u >> 8) % 1000 == 0 ? rare : usual;
        node.call(ticks);
        truth += ticks;
    }
    CHECK(node.ticks() > 0.6 * static_cast<double>(truth));
    CHECK(node.ticks() < 1.2 * static_cast<double>(truth));
}
