// Memory for unguarded containers.
#include <catch2/catch.hpp>

#include <cstdint>
#include <cstring>

#include "guest/reserve.hpp"

using namespace vftrace;

namespace {
int times_reported;
}

TEST_CASE("memory from the reserve is reported, aligned and disjoint", "[reserve]") {
    when_reserve_is_used = [] { times_reported++; };
    char* first = static_cast<char*>(take_from_reserve(1));
    char* second = static_cast<char*>(take_from_reserve(100));
    REQUIRE(first);
    REQUIRE(second);
    CHECK(times_reported == 2);
    CHECK(second >= first + 1);
    CHECK(reinterpret_cast<std::uintptr_t>(second) % alignof(std::max_align_t) == 0);
    std::memset(second, 1, 100);
    CHECK(is_from_reserve(first));
    CHECK(is_from_reserve(second + 99));
    CHECK_FALSE(is_from_reserve(&times_reported));
    CHECK_FALSE(is_from_reserve(nullptr));
}

TEST_CASE("the reserve ends", "[reserve]") {
    CHECK_FALSE(take_from_reserve(SIZE_MAX));
    int pieces = 0;
    while (take_from_reserve(64 * 1024))
        pieces++;
    CHECK(pieces > 0);
    CHECK(pieces < 64);
    CHECK_FALSE(take_from_reserve(64 * 1024));
}
