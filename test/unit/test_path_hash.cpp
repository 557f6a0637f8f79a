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
