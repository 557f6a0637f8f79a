// Parts of report pages: columns, and anonymous profiles.
#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

#include "mpi_sample_profile.hpp"
#include "page/anonymous.hpp"
#include "page/columns.hpp"
#include "page/page_profile.hpp"
#include "sample_profile.hpp"

using namespace vftrace;
using vftrace::test::mpi_sample_profile;
using vftrace::test::sample_profile;

namespace {

std::string encoding_of(const std::vector<std::int64_t>& values, std::string* bytes = nullptr) {
    PageColumns columns;
    columns.integers("list", "name", values.size(), [&](std::size_t i) { return values[i]; });
    if (bytes)
        *bytes = columns.bytes();
    const std::string directory = columns.directory_json();
    const std::size_t at = directory.find("\"name\", \"");
    return directory.substr(at + std::strlen("\"name\", \""), 1);
}

}  // namespace

TEST_CASE("columns have the shortest encoding") {
    std::string bytes;
    CHECK(encoding_of({0, 0, 0}, &bytes) == "z");
    CHECK(bytes.empty());
    CHECK(encoding_of({5, 0, 127}, &bytes) == "u");
    CHECK(bytes == std::string("\x05\x00\x7f", 3));
    CHECK(encoding_of({300, 0}, &bytes) == "u");
    CHECK(bytes == std::string("\xac\x02\x00", 3));
    CHECK(encoding_of({1000000, 1000001, 999999}, &bytes) == "d");
    CHECK(bytes == std::string("\x80\x89\x7a\x02\x03", 5));
    // A difference that does not fit into 64 bits wraps around, and wraps back when it is read.
    CHECK(encoding_of({std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::int64_t>::max(),
                       std::numeric_limits<std::int64_t>::min()}) == "d");
}

TEST_CASE("columns of numbers are integers if all values are") {
    PageColumns columns;
    const double values[] = {1.5, std::numeric_limits<double>::quiet_NaN()};
    columns.numbers("list", "some", 2, [&](std::size_t i) { return values[i]; });
    CHECK(columns.bytes().size() == 16);
    CHECK(columns.bytes().substr(8) == std::string(8, '\0'));
    columns.numbers("list", "whole", 2, [&](std::size_t) { return 3.0; });
    CHECK(columns.bytes().size() == 18);
}

TEST_CASE("columns of texts may have any bytes") {
    PageColumns columns;
    const std::string_view texts[] = {"a", "", std::string_view("\0\xff", 2)};
    columns.texts("list", "name", 3, [&](std::size_t i) { return texts[i]; });
    CHECK(columns.bytes() == std::string("\x01\x00\x02"
                                         "a\x00\xff",
                                         6));
}

TEST_CASE("a block contains the length of its object") {
    PageColumns columns;
    columns.integers("list", "name", 1, [](std::size_t) { return 7; });
    const std::string block = page_block("{\"kind\":\"x\"}", columns);
    std::uint32_t length = 0;
    std::memcpy(&length, block.data(), sizeof length);
    CHECK(block.size() == 4 + length + 1);
    CHECK(block[4] == '{');
    CHECK(block[3 + length] == '}');
    CHECK(block.back() == 7);
}

TEST_CASE("an anonymous profile does not show where it was measured") {
    Profile profile = sample_profile();
    profile.run.notices = {{NoticeCode::other, {std::string("node17: /home/user/x.cfg is gone")}}};
    profile.ranks = {{0, "node17", 4711}, {1, "node18", 4712}, {2, "node17", 4713}};
    make_anonymous(profile);
    const std::string block = page_profile(profile, "run 1", "", {});
    for (const char* secret : {"node1", "/home", "4711", "--cells", "0123456789abcdef"})
        CHECK(block.find(secret) == std::string::npos);
    CHECK(profile.ranks[0].host == "host-1");
    CHECK(profile.ranks[1].host == "host-2");
    CHECK(profile.ranks[2].host == "host-1");
    CHECK(sentence(profile.run.notices[0]) == "host-1: x.cfg is gone");
    CHECK(profile.modules[0].path == "heat");
}

TEST_CASE("a page has every list of a profile") {
    const std::string block = page_profile(mpi_sample_profile(), "halo", "", {});
    for (const char* list : {"\"paths\"", "\"functions\"", "\"ranks\"", "\"spread\"",
                             "\"communication\"", "\"messages\"", "\"message_sizes\""})
        CHECK(block.find(list) != std::string::npos);
}
