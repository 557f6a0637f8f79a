// The hash that numbers call paths must be Vftrace 2.0's, bit by bit.
#include <catch2/catch.hpp>

#include <string_view>

#include "collate/path_hash.hpp"

using vftrace::path_hash;
using namespace std::string_view_literals;

TEST_CASE("the hash of a call path is that of Vftrace 2.0") {
    CHECK(path_hash("mid<main<init\0"sv) == 0x01aac7750f9eb16bu);
}

TEST_CASE("all lengths modulo four give different hashes") {
    CHECK(path_hash("a\0"sv) != path_hash("a\0\0"sv));
    CHECK(path_hash("ab\0"sv) != path_hash("ba\0"sv));
    CHECK(path_hash("abcd\0"sv) != path_hash("abcd"sv));
    CHECK(path_hash(""sv) != path_hash("\0"sv));
}

TEST_CASE("long paths are hashed by the hash of the caller's path") {
    std::vector<std::string_view> names = {"mid", "main", "init"};
    CHECK(path_hash(names) == 0x01aac7750f9eb16bu);
    names.assign(vftrace::most_hashed_levels, "f");
    const std::uint64_t longest = path_hash(names);
    CHECK(path_hash(std::vector<std::string_view>(names.begin() + 1, names.end())) != longest);
    names.insert(names.begin(), "g");
    CHECK(path_hash(names) == vftrace::hash_of_longer_path("g", longest));
    names.insert(names.begin(), "h");
    CHECK(path_hash(names) ==
          vftrace::hash_of_longer_path("h", vftrace::hash_of_longer_path("g", longest)));
}
