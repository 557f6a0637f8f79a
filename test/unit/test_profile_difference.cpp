// Comparing profiles, reading text logs, and merging.
#include <catch2/catch.hpp>

#include "collate/rank_figures.hpp"
#include "compare/filtered_in_one.hpp"
#include "compare/merge_profiles.hpp"
#include "compare/old_log_reader.hpp"
#include "compare/profile_difference.hpp"
#include "mpi_sample_profile.hpp"
#include "notice_texts.hpp"
#include "report/text_log.hpp"
#include "sample_profile.hpp"
#include "written_text.hpp"

using namespace vftrace;
using vftrace::test::mpi_sample_profile;
using vftrace::test::other_notice;
using vftrace::test::sample_profile;
using vftrace::test::texts_of;
using vftrace::test::written_text;

namespace {

ComparedPair pair_of(const Profile& a, const Profile& b) {
    return {compared_profile(a, "a", false, std::string::npos),
            compared_profile(b, "b", false, std::string::npos),
            {}};
}

const DifferenceRow& row_of(const std::vector<DifferenceRow>& rows, const std::string& text) {
    for (const DifferenceRow& row : rows)
        if (row.text == text)
            return row;
    FAIL("no row " << text);
    throw 0;
}

std::string log_of(const Profile& profile, ReportOptions options = {}) {
    return written_text([&](OutputFile& out) {
        write_text_log(profile, options, LogScope::summary, out);
        out.close();
    });
}

constexpr const char* old_log = R"(Vftrace 2.0.0
Runtime profile for application:
Total runtime:            0.22 s

Runtime profile
+-------+-----------+-----------+-----------+----------+--------+------+
| Calls | t_excl[s] | t_excl[%] | t_incl[s] | Function | Caller | STID |
+-------+-----------+-----------+-----------+----------+--------+------+
|     3 |     0.089 |      41.7 |     0.089 |     spin |    mid |   11 |
|    -5 |     0.010 |      41.7 |     0.010 | my | reg |   main |    2 |
|     1 |    -0.001 |      -nan |     0.213 |     main |   init |    4 |
|     0 |     0.000 |       0.0 |     0.000 |     init |   ---- |   10 |
+-------+-----------+-----------+-----------+----------+--------+------+

Global call stacks:
------------------------------------------
    STID   Call stack                     
------------------------------------------
   STID2   my | reg<main<init             
   STID4   main<init                      
  STID10   init                           
  STID11   something<else<init            
------------------------------------------
)";

}  // namespace

TEST_CASE("difference: a profile does not differ from itself") {
    const Profile profile = sample_profile();
    for (const DifferenceBy by : {DifferenceBy::function, DifferenceBy::path})
        for (const DifferenceRow& row : profile_difference(pair_of(profile, profile), by)) {
            CHECK(row.a.present);
            CHECK(row.b.present);
            CHECK(row.exclusive_ns() == 0);
            CHECK(row.inclusive_ns() == 0);
            CHECK(row.a.calls == row.b.calls);
        }
}

TEST_CASE("difference: by path and by function") {
    const Profile a = sample_profile();
    Profile b = a;
    b.paths[3].exclusive_ns += 50'000'000;
    b.paths[5].exclusive_ns -= 20'000'000;
    const auto paths = profile_difference(pair_of(a, b), DifferenceBy::path);
    REQUIRE(paths.size() == a.paths.size());
    CHECK(paths[0].text == "spin<mid<main<init");
    CHECK(paths[0].exclusive_ns() == 50'000'000);
    CHECK(paths[0].stid == 11);
    CHECK(paths[1].text == "spin<leaf<mid<main<init");
    const auto functions = profile_difference(pair_of(a, b), DifferenceBy::function);
    CHECK(functions[0].text == "spin");
    CHECK(functions[0].exclusive_ns() == 30'000'000);
    CHECK(row_of(functions, "leaf").a.calls == 7);
    CHECK(row_of(functions, "leaf").a.inclusive_ns == 124'000'000);
}

TEST_CASE("difference: new, vanished, and recursion") {
    const Profile a = sample_profile();
    Profile b = a;
    b.functions[3].name = b.functions[3].display = "whirl";
    b.paths.push_back(b.paths[2]);  // mid<leaf<main<init: a mid in a mid's callee
    b.paths.back().parent = 4;
    const auto rows = profile_difference(pair_of(a, b), DifferenceBy::function);
    CHECK_FALSE(row_of(rows, "spin").b.present);
    CHECK_FALSE(row_of(rows, "whirl").a.present);
    CHECK(row_of(rows, "whirl").a.calls == 0);
    CHECK(row_of(rows, "mid").b.calls == 6);
    CHECK(row_of(rows, "mid").b.inclusive_ns == row_of(rows, "mid").a.inclusive_ns);
}

TEST_CASE("difference: what is slower") {
    CHECK(is_slower(100, 111, {10, 0}));
    CHECK_FALSE(is_slower(100, 110, {10, 0}));
    CHECK_FALSE(is_slower(100, 111, {10, 12}));
    CHECK(is_slower(0, 1, {1e9, 1}));
    CHECK_FALSE(is_slower(0, 0, {0, 0}));
    CHECK_FALSE(is_slower(100, 90, {0, 0}));
    CHECK(is_slower(-100, 100, {100, 0}));
    CHECK(percent_more(200, 100) == -50);
}

TEST_CASE("difference: functions filtered in one run belong to their callers in both") {
    const Profile measured = sample_profile();  // spin is called by mid and by leaf
    Profile filtered = measured;
    std::uint32_t spin = no_index;
    for (std::uint32_t i = 0; i < measured.functions.size(); i++)
        if (measured.functions[i].name == "spin")
            spin = i;
    for (std::size_t i = filtered.paths.size(); i-- > 0;) {
        if (filtered.paths[i].function != spin)
            continue;
        filtered.paths[filtered.paths[i].parent].exclusive_ns += filtered.paths[i].exclusive_ns;
        filtered.paths.erase(filtered.paths.begin() + static_cast<std::ptrdiff_t>(i));
        for (Path& path : filtered.paths)
            if (path.parent != no_index && path.parent > i)
                path.parent--;
    }
    filtered.filtered.push_back({.function = spin, .calls = 2, .exclusive_ns = 1'000'000});
    for (const DifferenceBy by : {DifferenceBy::function, DifferenceBy::path}) {
        ComparedPair pair = pair_of(filtered, measured);
        fold_filtered_in_one(pair);
        REQUIRE(pair.filtered_in_one.size() == 1);
        CHECK(pair.filtered_in_one[0].function == "spin");
        CHECK(pair.filtered_in_one[0].in_a);
        CHECK(pair.filtered_in_one[0].a.calls == 2);
        for (const DifferenceRow& row : profile_difference(pair, by)) {
            INFO(row.text);
            CHECK(row.function != "spin");
            CHECK(row.a.present);
            CHECK(row.b.present);
            CHECK(row.exclusive_ns() == 0);
            CHECK(row.inclusive_ns() == 0);
        }
    }
    ComparedPair same = pair_of(filtered, filtered);
    fold_filtered_in_one(same);
    CHECK(same.filtered_in_one.empty());
    CHECK(same.a.paths.size() == filtered.paths.size());
}

TEST_CASE("difference: a log of this version is read") {
    for (const bool with_columns : {false, true}) {
        Profile profile = sample_profile();
        profile.functions[5].display = "quick<int><x> | y";
        profile.functions[3].display = "spün(long, int) const";
        vftrace::test::add_pause(profile, 5'000'000);
        ReportOptions options;
        options.show_callpath = options.show_overhead = with_columns;
        options.show_stacklist = !with_columns;
        const ComparedProfile log = parse_text_log(log_of(profile, options), "x.log");
        CHECK(log.application == "heat");
        CHECK(log.runtime_ns == 220'000'000);
        REQUIRE(log.paths.size() == 11);
        const ComparedPair pair{compared_profile(profile, "x.json", true, log.name_width), log, {}};
        for (const DifferenceBy by : {DifferenceBy::function, DifferenceBy::path})
            for (const DifferenceRow& row : profile_difference(pair, by)) {
                INFO(row.text);
                CHECK(row.a.present);
                CHECK(row.b.present);
                CHECK(row.a.calls == row.b.calls);
                CHECK(row.exclusive_ns() == 0);
                CHECK(row.inclusive_ns() == 0);
            }
    }
}

TEST_CASE("difference: a log of Vftrace 2.0") {
    const ComparedProfile log = parse_text_log(old_log, "old.log");
    REQUIRE(log.paths.size() == 4);
    CHECK(log.application.empty());
    CHECK(log.paths[0].path == "spin<mid<...");  // in the list, its number belongs to another path
    CHECK(log.paths[0].exclusive_ns == 89'000'000);
    CHECK(log.paths[1].function == "my | reg");
    CHECK(log.paths[1].path == "my | reg<main<init");
    CHECK(log.paths[1].calls == 0);
    CHECK(log.paths[2].exclusive_ns == -1'000'000);
    CHECK(log.paths[3].path == "init");
}

TEST_CASE("difference: damaged logs are refused in one line") {
    const std::string log = old_log;
    for (std::size_t length = 0; length < log.find("\nGlobal"); length += 7)
        CHECK_THROWS_AS(parse_text_log(log.substr(0, length), "cut.log"), ComparisonError);
    auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = log;
        text.replace(text.find(from), from.size(), to);
        try {
            parse_text_log(text, "bad.log");
        } catch (const ComparisonError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    CHECK(changed("t_excl[s]", "t_excl[x]").find("does not have a column \"t_excl[s]\"") !=
          std::string::npos);
    CHECK(changed("0.089", "zero!").find("bad.log:9: \"zero!\" is not a time") !=
          std::string::npos);
    CHECK(changed("|   11", "|   1x").find("not an STID") != std::string::npos);
    CHECK(changed("|     3", "|    3").find("does not fit") != std::string::npos);
    CHECK(changed("+-------+-", "+-------x-").find("damaged") != std::string::npos);
    CHECK_THROWS_AS(parse_text_log(std::string("\0\xff\n\n+|", 6), "x"), ComparisonError);
    CHECK_THROWS_AS(read_text_log("/"), ComparisonError);
    CHECK_THROWS_AS(read_text_log("/nowhere.log"), ComparisonError);
}

namespace {

// The profile that one rank of a job would write alone.
Profile rank_profile(std::uint32_t rank, std::uint32_t ranks) {
    Profile profile = sample_profile();
    profile.run.uses_mpi = true;
    profile.run.rank = rank;
    profile.run.ranks = ranks;
    profile.run.ended = rank == 1 ? "signal 11 (Segmentation fault)" : "";
    profile.run.notices = {{NoticeCode::finalize_not_called, {rank}}};
    profile.paths[3].exclusive_ns += 1'000'000 * rank;
    profile.ranks = {rank_figures(profile)};
    return profile;
}

std::string error_of(auto merge) {
    try {
        merge();
    } catch (const MergeError& error) {
        return error.what();
    }
    return "merged";
}

}  // namespace

TEST_CASE("merge: ranks of one run") {
    const Profile job = merge_ranks({rank_profile(2, 3), rank_profile(0, 3), rank_profile(1, 3)},
                                    {"two", "zero", "one"});
    CHECK(job.run.rank == 0);
    CHECK(job.run.ranks == 3);
    REQUIRE(job.ranks.size() == 3);
    CHECK(job.ranks[2].rank == 2);
    CHECK(job.paths[3].calls == 9);
    CHECK(job.paths[3].exclusive_ns == 270'000'000);
    REQUIRE(job.spread.size() == job.paths.size());
    CHECK(job.spread[3].ranks == 3);
    CHECK(job.spread[3].min_rank == 0);
    CHECK(job.spread[3].max_rank == 2);
    CHECK(job.spread[3].max_ns == 91'000'000);
    CHECK(job.run.ended == "signal 11 (Segmentation fault) (rank 1)");
    CHECK(texts_of(job.run.notices) == std::vector<std::string>{"MPI_Finalize was not called."});
}

TEST_CASE("merge: missing ranks are reported and may be added later") {
    const Profile part = merge_ranks({rank_profile(1, 3), rank_profile(2, 3)}, {"one", "two"});
    REQUIRE(part.run.notices.size() == 2);
    CHECK(full_sentence(part.run.notices[1]) ==
          "2 of 3 ranks are in this profile: there was no file from rank 0.");
    const Profile job = merge_ranks({part, rank_profile(0, 3)}, {"part", "zero"});
    CHECK(texts_of(job.run.notices) == std::vector<std::string>{"MPI_Finalize was not called."});
    CHECK(job.ranks.size() == 3);
    CHECK(job.paths[3].exclusive_ns == 270'000'000);
    CHECK(job.spread[3].ranks == 3);
}

TEST_CASE("merge: files that do not belong together") {
    CHECK(error_of([] { merge_ranks({sample_profile()}, {"x"}); }) ==
          "x is not from a rank of an MPI program (--runs merges several runs)");
    CHECK(error_of([] {
              merge_ranks({rank_profile(1, 2), rank_profile(1, 2)}, {"x", "y"});
          }).find("y: duplicate profile of rank 1") == 0);
    CHECK(error_of([] {
              merge_ranks({rank_profile(0, 2), rank_profile(1, 3)}, {"x", "y"});
          }) == "x is from a run with 2 ranks, y from one with 3");
    CHECK(error_of([] {
              Profile other = rank_profile(1, 2);
              other.run.application = "cold";
              merge_ranks({rank_profile(0, 2), other}, {"x", "y"});
          }) == "x is from the program \"heat\", y from \"cold\"");
    CHECK(error_of([] {
              Profile later = rank_profile(1, 2);
              later.run.start_unix_ns += 3'600'000'000'000;
              merge_ranks({rank_profile(0, 2), later}, {"x", "y"});
          }).find("different runs") != std::string::npos);
    CHECK(error_of([] {
              merge_runs({rank_profile(0, 2), sample_profile()}, {"x", "y"}, RunReduction::sum);
          }) != "merged");
}

TEST_CASE("merge: several runs") {
    const Profile one = sample_profile();
    Profile two = one;
    two.paths[3].exclusive_ns += 3'000'000;
    two.paths[3].calls += 1;
    two.run.runtime_ns += 20'000'000;
    two.run.notices = {other_notice("Something.")};
    const Profile sum = merge_runs({one, two}, {"x", "y"}, RunReduction::sum);
    CHECK(sum.paths[3].calls == 7);
    CHECK(sum.paths[3].exclusive_ns == 181'000'000);
    CHECK(sum.run.runtime_ns == 460'000'000);
    CHECK(texts_of(sum.run.notices) ==
          std::vector<std::string>{"Something. (in 1 of 2 runs)",
                                   "This profile is the sum of 2 runs."});
    CHECK(sum.spread.empty());
    const Profile mean = merge_runs({one, two}, {"x", "y"}, RunReduction::mean);
    CHECK(mean.paths[3].calls == 4);  // 3.5, rounded
    CHECK(mean.paths[3].exclusive_ns == 90'500'000);
    CHECK(mean.run.runtime_ns == 230'000'000);
}

TEST_CASE("merge: runs of an MPI program") {
    const Profile run = mpi_sample_profile();
    const Profile mean = merge_runs({run, run}, {"x", "y"}, RunReduction::mean);
    REQUIRE(mean.ranks.size() == run.ranks.size());
    CHECK(mean.run.ranks == run.run.ranks);
    CHECK(mean.matrix.size() == run.matrix.size());
    CHECK(mean.matrix[0].sent.messages == run.matrix[0].sent.messages);
    CHECK(mean.matrix[0].received.bytes == run.matrix[0].received.bytes);
    for (std::size_t i = 0; i < run.ranks.size(); i++)
        CHECK(mean.ranks[i].mpi_ns == run.ranks[i].mpi_ns);
    for (std::size_t i = 0; i < run.paths.size(); i++)
        CHECK(mean.paths[i].calls == run.paths[i].calls);
    CHECK(mean.message_sizes[13].sent == run.message_sizes[13].sent);
}
