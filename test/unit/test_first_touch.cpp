// First touch: memory nodes of processors, parts of blocks, what threads did with them, and the
// finding. How threads are observed is in test/runtime/sources/test_first_touch.py.
#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "efficiency_jobs.hpp"
#include "finding_lists.hpp"
#include "heap/memory_nodes.hpp"
#include "heap/placed_blocks.hpp"
#include "profile/placement.hpp"

using namespace vftrace;
using namespace vftrace::test;
using Catch::Contains;

TEST_CASE("processors belong to memory nodes", "[heap]") {
    CHECK(read_memory_nodes("0-2,8;3") == 2);
    CHECK(memory_node_of(0) == 0);
    CHECK(memory_node_of(2) == 0);
    CHECK(memory_node_of(8) == 0);
    CHECK(memory_node_of(3) == 1);
    CHECK(memory_node_of(4) == no_memory_node);
    CHECK(memory_node_of(1u << 20) == no_memory_node);
    // Tables that make no sense are read as far as they do.
    CHECK(read_memory_nodes("x;0-99999999999999999999") == 2);
    CHECK(read_memory_nodes("5-70000") == 1);
    CHECK(memory_node_of(1023) == 0);
    CHECK(read_memory_nodes(std::string(1000, ';')) == 128);
}

TEST_CASE("a page is on a memory node", "[heap]") {
    std::vector<char> touched(1, 'x');
    const std::uint16_t node =
        memory_node_of_page(reinterpret_cast<std::uintptr_t>(touched.data()));
    CHECK((node == no_memory_node || node < 128));
    CHECK(memory_node_of_page(0) == no_memory_node);
}

TEST_CASE("addresses are in parts of large blocks", "[heap]") {
    REQUIRE(prepare_placed_blocks());
    HeapSite site{}, other{};
    constexpr std::uintptr_t begin = 0x7f0000000000;
    constexpr std::size_t bytes = 32 << 20;
    add_placed_block(begin, bytes, site, 7, nullptr);
    add_placed_block(begin + bytes, 100, other, 8, nullptr);
    CHECK(part_of_block(begin - 1).site == nullptr);
    const BlockPart first = part_of_block(begin);
    CHECK(first.site == &site);
    CHECK(first.bytes == 1 << 20);
    CHECK(first.begin == begin);
    CHECK(first.monotonic_ns == 7);
    CHECK(*first.touched_on == 0);
    *first.touched_on = 3;
    CHECK(*part_of_block(begin + (1 << 20) - 1).touched_on == 3);
    CHECK(*part_of_block(begin + (1 << 20)).touched_on == 0);
    CHECK(part_of_block(begin + bytes - 1).site == &site);
    CHECK(part_of_block(begin + bytes + 99).site == &other);
    CHECK(part_of_block(begin + bytes + 100).site == nullptr);
    remove_placed_block(begin);
    CHECK(part_of_block(begin).site == nullptr);
    add_placed_block(begin, bytes, other, 9, nullptr);
    CHECK(part_of_block(begin).site == &other);
    CHECK(*part_of_block(begin).touched_on == 0);
    // More blocks than places: the first ones are known.
    for (std::uintptr_t i = 0; i < 2000; i++)
        add_placed_block(0x10000 + i * 0x1000, 0x1000, site, 10, nullptr);
    CHECK(part_of_block(0x10000).site == &site);
    CHECK(part_of_block(0x10000 + 1999 * 0x1000).site == nullptr);
}

TEST_CASE("intervals of proportions", "[heap]") {
    // Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine
    // 17 (1998), table I, method 3.
    const ErrorBounds usual = proportion_95(81, 263), none = proportion_95(0, 20),
                      all = proportion_95(29, 29);
    CHECK(usual.low == Approx(0.2553).margin(1e-4));
    CHECK(usual.high == Approx(0.3662).margin(1e-4));
    CHECK(none.low == 0);
    CHECK(none.high == Approx(0.1611).margin(1e-4));
    CHECK(all.low == Approx(0.8830).margin(1e-4));
    CHECK(all.high == Approx(1));
    CHECK(proportion_95(0, 0).high == 1);
}

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

// One thread on node 0 has touched the block; it and another one on node 1 use it.
std::vector<Placement> two_threads(std::uint32_t path) {
    return {{.path = path,
             .module = no_index,
             .offset = 0,
             .thread = 0,
             .memory_node = 0,
             .touches = 16384,
             .touches_seen = 100,
             .touched = 64 * mebibyte,
             .near_uses = 100,
             .far_uses = 0,
             .other_uses = 0},
            {.path = path,
             .module = no_index,
             .offset = 0,
             .thread = 1,
             .memory_node = 1,
             .touches = 0,
             .touches_seen = 0,
             .touched = 0,
             .near_uses = 0,
             .far_uses = 100,
             .other_uses = 4}};
}

}  // namespace

TEST_CASE("memory that one thread touched first is a finding", "[heap][findings]") {
    JobBuilder builder(1, 10.0);
    const std::uint32_t main = builder.path(0, "main", NodeKind::function, {2.0});
    const std::uint32_t path = builder.path(main, "fields", NodeKind::function, {8.0});
    Profile& profile = builder.profile;
    profile.placement = two_threads(path);
    const auto sites = site_placements(profile);
    REQUIRE(sites.size() == 1);
    CHECK(sites[0].page_bytes() == 4096);
    CHECK(SitePlacement::touchers(sites[0].threads) == 1);
    CHECK(SitePlacement::users(sites[0].threads) == 2);
    CHECK(sites[0].main_toucher().number == 0);
    CHECK(sites[0].far_share() == 0.5);
    const auto found = [&] { return of_rule(profile, "first-touch"); };
    REQUIRE(found().size() == 1);
    CHECK_THAT(found()[0].sentence,
               Contains("Thread 0 alone touched first the memory that was allocated by fields, "
                        "called by main; 2 threads on 2 memory nodes use it."));
    CHECK_THAT(found()[0].reason, Contains("50.0 % of 200 samples (43 to 57 %)"));
    CHECK(found()[0].is_remark());

    SECTION("not if each touched what it uses") {
        for (Placement& row : profile.placement)
            row.touched = 32 * mebibyte;
        CHECK(found().empty());
    }
    SECTION("not if all are on one node") {
        profile.placement[1].memory_node = 0;
        CHECK(found().empty());
    }
    SECTION("not if hardly any use is far") {
        profile.placement[1].far_uses = 20;
        CHECK(found().empty());
    }
    SECTION("not from few samples") {
        profile.placement[0].near_uses = 6;
        profile.placement[1].far_uses = 6;
        CHECK(found().empty());
    }
    SECTION("not from few page faults") {
        profile.placement[0].touches_seen = 3;
        CHECK(found().empty());
    }
    SECTION("not if it is used little") {
        profile.rank_metrics.push_back({0, add_metric(profile, MetricId::heap_use_samples), 1e5});
        CHECK(found().empty());
    }
    SECTION("not if it is not known where the memory is") {
        for (Placement& row : profile.placement)
            row.other_uses += std::exchange(row.near_uses, 0) + std::exchange(row.far_uses, 0);
        CHECK(found().empty());
    }
}
