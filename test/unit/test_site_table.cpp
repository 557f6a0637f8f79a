// The table of places whose hook calls were taken out.
#include <catch2/catch.hpp>

#include <algorithm>

#include "patch/site_table.hpp"

using namespace vftrace;

namespace {

long known_sites(const SiteTable& table) {
    return std::count_if(table.begin(), table.end(),
                         [](const KnownSite& site) { return site.address != 0; });
}

}  // namespace

TEST_CASE("An empty table of sites knows nothing") {
    SiteTable table;
    CHECK(table.find(0x1000) == nullptr);
    CHECK(table.begin() == table.end());
    table.forget(0, ~std::uintptr_t{0});
    CHECK(table.begin() == table.end());
}

TEST_CASE("Sites are found again, however many there are") {
    SiteTable table;
    constexpr std::uintptr_t count = 20000, first = 0x555555554000, distance = 5;
    for (std::uintptr_t i = 0; i < count; i++) {
        KnownSite* added = table.add(first + distance * i, first + i);
        REQUIRE(added);
        CHECK(added->state == SiteState::in_place);
        added->state = SiteState::removed;
        added->original = static_cast<std::uint8_t>(i);
    }
    CHECK(known_sites(table) == count);
    for (std::uintptr_t i = 0; i < count; i++) {
        KnownSite* found = table.find(first + distance * i);
        REQUIRE(found);
        CHECK((found->function == first + i && found->state == SiteState::removed &&
               found->original == static_cast<std::uint8_t>(i)));
        CHECK(table.add(first + distance * i, 0) == found);
        CHECK(table.find(first + distance * i + 1) == nullptr);
    }
    CHECK(known_sites(table) == count);
}

TEST_CASE("Sites of unloaded code are forgotten, those of other code stay") {
    SiteTable table;
    table.add(0x1000, 0x900)->state = SiteState::removed;
    table.add(0x1fff, 0x1f00)->state = SiteState::removed;
    table.add(0x2000, 0x2000)->state = SiteState::removed;
    table.add(0x5000, 0x1800)->state =
        SiteState::removed;  // a function of there, inlined elsewhere
    table.forget(0x1000, 0x2000);
    CHECK(table.find(0x1000) == nullptr);
    CHECK(table.find(0x1fff) == nullptr);
    CHECK(table.find(0x5000) == nullptr);
    REQUIRE(table.find(0x2000));
    CHECK(table.find(0x2000)->state == SiteState::removed);
    CHECK(known_sites(table) == 1);
}
