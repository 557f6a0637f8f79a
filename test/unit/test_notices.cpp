// Notices: their sentences, their merging, and their JSON.
#include <catch2/catch.hpp>

#include <set>

#include "collation_job.hpp"
#include "compare/merge_profiles.hpp"
#include "json_errors.hpp"
#include "notice_texts.hpp"
#include "sample_profile.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

using Texts = std::vector<std::string>;

Profile with_notices(std::vector<Notice> notices) {
    Profile profile = sample_profile();
    profile.run.notices = std::move(notices);
    return profile;
}

// As in the file of a rank that ended alone.
Profile of_rank(std::uint32_t rank, std::vector<Notice> notices) {
    Profile profile = with_notices(std::move(notices));
    profile.run.uses_mpi = true;
    profile.run.rank = rank;
    profile.run.ranks = 3;
    profile.ranks = {{rank, "node", 1, 1, 1, 1, 1, 1, 1}};
    return profile;
}

Texts sum_of_runs(const std::vector<Profile>& runs, RunReduction reduction = RunReduction::sum) {
    return texts_of(
        merge_runs(runs, std::vector<std::string>(runs.size(), "x"), reduction).run.notices);
}

Texts merged_ranks(const std::vector<Profile>& ranks) {
    return texts_of(merge_ranks(ranks, std::vector<std::string>(ranks.size(), "x")).run.notices);
}

// A profile's JSON text with this in place of its only notice.
Profile read_with(const std::string& element) {
    const std::string text = json_of(with_notices({other_notice("PLACE")}));
    return parse_profile_json(replaced(
        text, "{\"code\": \"other\", \"arguments\": [\"PLACE\"], \"text\": \"PLACE\"}", element));
}

}  // namespace

TEST_CASE("notices: the table is sound") {
    std::set<std::string_view> words;
    for (std::size_t i = 1; i < notice_codes; i++) {
        const Notice notice{static_cast<NoticeCode>(i), {}};
        CAPTURE(word_of(notice));
        CHECK(words.insert(word_of(notice)).second);
        CHECK(word_of(notice).find_first_not_of("abcdefghijklmnopqrstuvwxyz-") ==
              std::string_view::npos);
        CHECK(notice_code(word_of(notice)) == notice.code);
        // Notices that are added up have only numbers as arguments; those about a single rank may
        // have none.
        const std::string_view text = kind_of(notice).text;
        const NoticeMerging merging = kind_of(notice).merging;
        if (merging == NoticeMerging::add)
            CHECK(text.find(":text}") == std::string_view::npos);
        CHECK((text.find('[') != std::string_view::npos) == (merging == NoticeMerging::part));
        if (merging == NoticeMerging::part)
            CHECK(arguments_fit(notice));
    }
    CHECK(notice_code("nonsense") == NoticeCode::unknown);
    CHECK(notice_code("") == NoticeCode::unknown);
}

TEST_CASE("notices: sentences") {
    auto text = [](NoticeCode code, std::vector<NoticeArgument> arguments) {
        const Notice notice{code, std::move(arguments)};
        REQUIRE(arguments_fit(notice));
        return sentence(notice);
    };
    CHECK(text(NoticeCode::mpi_requests_cancelled, {7}) == "7 MPI requests were cancelled.");
    CHECK(text(NoticeCode::trace_waits, {3, 1'234'567'890}) ==
          "Threads waited 3 times until their events were written, 1.235 s in all; this is not "
          "included in the times of calls.");
    CHECK(text(NoticeCode::trace_thinned, {1'500'000})
              .starts_with("The trace was thinned (at most one event per 1.5 ms): "));
    CHECK(text(NoticeCode::tree_file_damaged, {1}).starts_with("1 piece of"));
    CHECK(text(NoticeCode::tree_file_damaged, {2}).starts_with("2 pieces of"));
    CHECK(text(NoticeCode::trace_cut_short, {1}) == "1 trace ends early: it could not be written.");
    CHECK(text(NoticeCode::trace_cut_short, {2}) ==
          "2 traces end early: they could not be written.");
    CHECK(text(NoticeCode::module_changed, {std::string("/lib/x [y] {z}")}) ==
          "/lib/x [y] {z} changed or disappeared after it was loaded: its functions are shown by "
          "their addresses. To get names, write new builds to other files while a program runs, or "
          "put the old one back before \"vftrace recover\".");
    CHECK(text(NoticeCode::snapshot_of_rank, {3}) ==
          "A snapshot of one process of an MPI job: this profile is of rank 3 alone.");
    CHECK(text(NoticeCode::snapshot_of_rank, {}) == "A snapshot of one process of an MPI job.");
    CHECK(text(NoticeCode::ranks_without_profile, {2, 3, 1}) ==
          "2 of 3 ranks are in this profile: there was no file from rank 1.");
    CHECK(text(NoticeCode::ranks_without_profile, {1, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) ==
          "1 of 12 ranks are in this profile: there was no file from ranks 1, 2, 3, 4, 5, 6, 7, 8 "
          "and 3 more.");
    CHECK(text(NoticeCode::ranks_without_profile, {1, 5000}) ==
          "1 of 5000 ranks are in this profile: there was no file from the others.");
}

TEST_CASE("notices: arguments that do not fit") {
    auto fit = [](NoticeCode code, std::vector<NoticeArgument> arguments) {
        const Notice notice{code, std::move(arguments)};
        sentence(notice);  // copes with missing arguments
        return arguments_fit(notice);
    };
    CHECK_FALSE(fit(NoticeCode::calls_dropped, {}));
    CHECK_FALSE(fit(NoticeCode::calls_dropped, {1, 2}));
    CHECK_FALSE(fit(NoticeCode::calls_dropped, {std::string("x")}));
    CHECK_FALSE(fit(NoticeCode::module_changed, {1}));
    CHECK_FALSE(fit(NoticeCode::trace_waits, {1}));
    CHECK_FALSE(fit(NoticeCode::tree_file_damaged, {}));
    CHECK_FALSE(fit(NoticeCode::snapshot_of_rank, {1, 2}));
    CHECK_FALSE(fit(NoticeCode::ranks_without_profile, {1, 2, std::string("x")}));
}

TEST_CASE("notices: a job has the sums of its ranks' numbers") {
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < 3; rank++)
        own.push_back(RankProfile(rank).profile);
    own[0].run.notices = {{NoticeCode::trace_waits, {1, 2'000'000'000}}};
    own[1].run.notices = {{NoticeCode::module_changed, {std::string("/lib/x")}},
                          {NoticeCode::mpi_requests_open, {2}}};
    own[2].run.notices = {{NoticeCode::mpi_requests_open, {3}},
                          {NoticeCode::trace_waits, {4, 500'000'000}}};
    CHECK(texts_of(collate(own).job.run.notices) ==
          Texts{"/lib/x changed or disappeared after it was loaded: its functions are shown by "
                "their addresses. To get names, write new builds to other files while a program "
                "runs, or put the old one back before \"vftrace recover\". (on rank 1)",
                "5 MPI requests were never completed: their messages are not shown.",
                "Threads waited 5 times until their events were written, 2.500 s in all; this is "
                "not included in the times of calls."});
}

TEST_CASE("notices: files of ranks that are merged") {
    const Notice changed{NoticeCode::module_changed, {std::string("/lib/x")}};
    const Profile zero =
        of_rank(0, {{NoticeCode::mpi_requests_open, {4}}, {NoticeCode::mpi_abort_called, {0}}});
    const Profile one = of_rank(
        1, {changed, {NoticeCode::mpi_requests_open, {6}}, {NoticeCode::calls_dropped, {1}}});
    const Profile two = of_rank(2, {changed});
    CHECK(merged_ranks({zero, one, two}) ==
          Texts{"/lib/x changed or disappeared after it was loaded: its functions are shown by "
                "their addresses. To get names, write new builds to other files while a program "
                "runs, or put the old one back before \"vftrace recover\". (on 2 ranks)",
                "10 MPI requests were never completed: their messages are not shown.",
                "1 call could not be recorded: it was made inside the profiler or nested too "
                "deeply, or there was not enough memory.",
                "The program called MPI_Abort. (on rank 0)"});
    // In any order, and through files.
    const Profile part = merge_ranks({two, zero}, {"two", "zero"});
    CHECK(merged_ranks({parse_profile_json(json_of(part)), one}) == merged_ranks({zero, one, two}));
}

TEST_CASE("notices: runs that are merged") {
    const Profile one =
        with_notices({{NoticeCode::calls_dropped, {3}}, {NoticeCode::samples_lost, {1}}});
    const Profile two = with_notices({{NoticeCode::calls_dropped, {6}}});
    const std::string calls = " calls could not be recorded: they were made inside the profiler or "
                              "nested too deeply, or there was not enough memory.";
    const std::string samples = "1 sample was taken inside the profiler itself and is left out.";
    CHECK(sum_of_runs({one, two}) ==
          Texts{"9" + calls, samples + " (in 1 of 2 runs)", "This profile is the sum of 2 runs."});
    CHECK(sum_of_runs({one, two, with_notices({})}, RunReduction::mean) ==
          Texts{"3" + calls + " (in 2 of 3 runs)", samples + " (in 1 of 3 runs)",
                "This profile is the mean of 3 runs."});
}

TEST_CASE("notices: JSON") {
    const std::string text = json_of(with_notices({{NoticeCode::calls_dropped, {3}, 2, 1}}));
    CHECK(
        text.find("{\"code\": \"calls-dropped\", \"arguments\": [3], \"text\": \"3 calls could") !=
        std::string::npos);
    CHECK(text.find(" not enough memory.\", \"ranks\": 2, \"first_rank\": 1}") !=
          std::string::npos);
    const Profile all = with_notices({{NoticeCode::unknown, {1}, 0, 0, 0, 0, "later", "Later."},
                                      {NoticeCode::module_changed, {std::string("12")}, 1, 7},
                                      {NoticeCode::calls_dropped, {~std::uint64_t{0}}},
                                      {NoticeCode::finalize_not_called, {}},
                                      {NoticeCode::ranks_without_profile, {1, 3, 0, 2}},
                                      {NoticeCode::sum_of_runs, {2}, 0, 0, 1, 3}});
    const Profile read = parse_profile_json(json_of(all));
    CHECK(json_of(read) == json_of(all));
    REQUIRE(read.run.notices.size() == all.run.notices.size());
    for (std::size_t i = 0; i < all.run.notices.size(); i++) {
        CHECK(read.run.notices[i].code == all.run.notices[i].code);
        CHECK(read.run.notices[i].arguments == all.run.notices[i].arguments);
    }
}

TEST_CASE("notices: files of the previous version have only sentences") {
    std::string text = json_of(sample_profile());
    text = replaced(text, "\"warnings\": []",
                    "\"warnings\": [\"3 calls were lost.\", \"Something.\"]");
    text = replaced(text, "{\"code\": \"function-hooks\", \"label\"", "{\"label\"");
    const Profile old = parse_profile_json(text);
    CHECK(texts_of(old.run.notices) == Texts{"3 calls were lost.", "Something."});
    REQUIRE(old.run.overhead.size() == 1);
    CHECK(old.run.overhead[0].kind == OverheadKind::function_hooks);
    CHECK(sum_of_runs({old, sample_profile()})[0] == "3 calls were lost. (in 1 of 2 runs)");
}

TEST_CASE("notices: codes of a later version are kept") {
    const std::string later =
        R"({"code": "later", "arguments": [4, "x", 12345678901234567890], "text": "4 x came later."})";
    const Profile read = read_with(later);
    CHECK(texts_of(read.run.notices) == Texts{"4 x came later."});
    CHECK(json_of(read).find(later) != std::string::npos);
    const Profile merged =
        merge_runs({read, read, sample_profile()}, {"a", "b", "c"}, RunReduction::sum);
    CHECK(full_sentence(merged.run.notices[0]) == "4 x came later. (in 2 of 3 runs)");
    CHECK(json_of(merged).find(later.substr(0, later.size() - 1) +
                               ", \"runs\": 2, \"of_runs\": 3}") != std::string::npos);
    const Profile job = merge_ranks({of_rank(0, read.run.notices), of_rank(1, {})}, {"a", "b"});
    CHECK(full_sentence(job.run.notices[0]) == "4 x came later. (on rank 0)");
    CHECK(job.run.notices[0].arguments == read.run.notices[0].arguments);
    // A known code with arguments of a later version.
    const Profile more = read_with(
        R"({"code": "calls-dropped", "arguments": [4, 5], "text": "4 calls of 5 threads."})");
    CHECK(texts_of(more.run.notices) == Texts{"4 calls of 5 threads."});
    CHECK(json_of(more).find("\"calls-dropped\", \"arguments\": [4, 5]") != std::string::npos);
}

TEST_CASE("notices: overhead of a kind of a later version is kept") {
    const std::string text = json_of(sample_profile());
    const std::string later = R"({"code": "later", "label": "Later hooks", "time_ns": 5})";
    const Profile read = parse_profile_json(replaced(
        text, R"({"code": "function-hooks", "label": "Function hooks", "time_ns": 2000000})",
        later));
    CHECK(json_of(read).find(later) != std::string::npos);
    const Profile sum =
        merge_runs({read, read, sample_profile()}, {"a", "b", "c"}, RunReduction::sum);
    CHECK(json_of(sum).find(R"({"code": "later", "label": "Later hooks", "time_ns": 10})") !=
          std::string::npos);
    CHECK(sum.run.overhead.size() == 2);
}

TEST_CASE("notices: wrong values are named") {
    auto error_with = [](const std::string& element) {
        const std::string text = json_of(with_notices({other_notice("PLACE")}));
        return error_of(
            replaced(text, "{\"code\": \"other\", \"arguments\": [\"PLACE\"], \"text\": \"PLACE\"}",
                     element));
    };
    CHECK(error_with("3") == "run.notices[0]: must be an object");
    CHECK(error_with("{}") == "run.notices[0].code: is missing");
    CHECK(error_with(R"({"code": "x", "text": "x"})") == "run.notices[0].arguments: is missing");
    CHECK(error_with(R"({"code": "x", "text": "x", "arguments": [-1]})") ==
          "run.notices[0].arguments: is out of range");
    CHECK(error_with(R"({"code": "x", "text": "x", "arguments": [{}]})")
              .starts_with("run.notices[0].arguments: must be"));
}
