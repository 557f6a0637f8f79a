// Lists in the record of a process.
#include <catch2/catch.hpp>

#include "tree/tree_memory.hpp"

using namespace vftrace;

TEST_CASE("A list of the record keeps its items, also for readers, while it grows") {
    RecordList<CallRatio> list{};
    CHECK(items_of(list).empty());
    constexpr std::uint32_t many = 5000;
    REQUIRE(append(list, {0, 0.5f}));
    const std::span<const CallRatio> before = items_of(list);
    for (std::uint32_t i = 1; i < many; i++)
        REQUIRE(append(list, {i, static_cast<float>(i)}));
    REQUIRE(items_of(list).size() == many);
    for (std::uint32_t i = 1; i < many; i++)
        CHECK((items_of(list)[i].node == i && items_of(list)[i].calls == static_cast<float>(i)));
    REQUIRE(before.size() == 1);
    CHECK(before[0].calls == 0.5f);
}
