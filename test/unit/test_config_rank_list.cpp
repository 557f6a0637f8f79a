// Lists of ranks: what is accepted, and that nothing else is.
#include <catch2/catch.hpp>
#include <climits>

#include "config/rank_list.hpp"

using vftrace::RankList;

namespace {

// The members among the first ten ranks: "0 2 3".
std::string members(std::string_view text) {
    std::optional<RankList> list = RankList::parse(text);
    if (!list)
        return "rejected";
    std::string out;
    for (int rank = 0; rank < 10; rank++)
        if (list->contains(rank))
            out += (out.empty() ? "" : " ") + std::to_string(rank);
    return out;
}

}  // namespace

TEST_CASE("rank lists: words") {
    CHECK(RankList::parse("all")->is_all());
    CHECK(RankList::parse(" ALL ")->is_all());
    CHECK_FALSE(RankList::parse("all")->is_none());
    CHECK(RankList::parse("all")->contains(INT_MAX));
    CHECK(RankList::parse("none")->is_none());
    CHECK(RankList::parse("None")->is_none());
    CHECK_FALSE(RankList::parse("none")->contains(0));
    CHECK_FALSE(RankList::parse("3")->is_all());
    CHECK_FALSE(RankList::parse("3")->is_none());
}

TEST_CASE("rank lists: numbers and ranges") {
    CHECK(members("0") == "0");
    CHECK(members("1,3,5-7") == "1 3 5 6 7");
    CHECK(members("5-7,1,3") == "1 3 5 6 7");
    CHECK(members(" 1 , 3 - 5\t") == "1 3 4 5");
    CHECK(members("4-4") == "4");
    CHECK(members("2-8,3-4") == "2 3 4 5 6 7 8");
    CHECK(members("0-2,3-5,5,5,9") == "0 1 2 3 4 5 9");
    CHECK(members("007") == "7");
    CHECK(RankList::parse("2147483647")->contains(INT_MAX));
    CHECK(RankList::parse("0-2147483647,5,2147483647")->contains(INT_MAX));
    CHECK_FALSE(RankList::parse("0-2147483647")->contains(-1));
}

TEST_CASE("rank lists: input that Vftrace 2.0 crashed on or should reject") {
    for (const char* text : {"",
                             " ",
                             ",",
                             "1,,2",
                             "1,",
                             ",1",
                             "3-1",
                             "-",
                             "-1",
                             "1-",
                             "-1-2",
                             "1-2-3",
                             "1--2",
                             "foo",
                             "all,1",
                             "none,1",
                             "1,none",
                             "1 2",
                             "1.5",
                             "0x3",
                             "+1",
                             "1;2",
                             "2147483648",
                             "99999999999999999999999",
                             "1-99999999999999999999999",
                             "1\n,\n2x"}) {
        CAPTURE(text);
        CHECK(members(text) == "rejected");
    }
}

TEST_CASE("rank lists: the message") {
    CHECK(RankList::error_text("foo", "logfile_for_ranks") ==
          "Unable to properly parse given list \"foo\" for \"logfile_for_ranks\".\n"
          "Valid values are: \"all\", \"none\", \"a-b\", \"a,b\", or a mix of the latter two.");
}
