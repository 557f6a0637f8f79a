// The JSON file of a profile: exact round trip, and a reader that no file can crash.
#include <catch2/catch.hpp>

#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <unistd.h>

#include "json_errors.hpp"
#include "mpi_sample_profile.hpp"
#include "notice_texts.hpp"
#include "profile/json_writer.hpp"
#include "profile/profile_json.hpp"
#include "readers/json_document.hpp"
#include "readers/profile_json_reader.hpp"
#include "sample_profile.hpp"
#include "written_text.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// The name of a file that is removed with the object.
struct TemporaryFile {
    TemporaryFile() { ::close(mkstemp(path)); }
    ~TemporaryFile() { unlink(path); }
    char path[32] = "/tmp/vftrace_json_XXXXXX";
};

Profile full_profile() {
    Profile profile = sample_profile();
    add_pause(profile, 12'345'678);
    RunInfo& run = profile.run;
    run.start_unix_ns = std::numeric_limits<std::int64_t>::max();
    run.end_unix_ns = std::numeric_limits<std::int64_t>::min();
    run.runtime_ns = 9'007'199'254'740'993;  // 2^53 + 1
    run.memory_bytes = std::numeric_limits<std::uint64_t>::max();
    run.ranks = 1'000'000;
    run.rank = 999'999;
    run.threads = 128;
    run.overhead.push_back({OverheadKind::mpi_wrappers, -1});
    run.notices = {
        other_notice("quotes \" and \\ and / and \n\t\r\b\x01 and Grüße \xF0\x9F\x98\x80"),
        other_notice("")};
    run.config_text = "{\n   \"a\": [1, {\"b\": \"}\\\"\"}],\n   \"n\": 12345678901234567890\n}";
    run.config_source = "/some where/vftrace.json";
    Function cxx;
    cxx.symbol = "_ZN1A3fooEi";
    cxx.name = "_ZN1A3fooEi";
    cxx.demangled = "A::foo(int)";
    cxx.display = "A::foo";
    cxx.offset = std::numeric_limits<std::uint64_t>::max();
    profile.functions.push_back(cxx);
    Path& path = profile.paths[3];
    path.calls = std::numeric_limits<std::uint64_t>::max();
    path.hash = std::numeric_limits<std::uint64_t>::max();
    path.exclusive_ns = std::numeric_limits<std::int64_t>::min();
    path.inclusive_ns = std::numeric_limits<std::int64_t>::max();
    path.overhead_ns = -7;
    path.flags = path_closed_without_exit | path_recursion_folded;
    profile.metrics = {{"bytes sent", "B", Reduction::sum}, {"temperature", "K", Reduction::max}};
    profile.metric_values = {{0, 1, 0.1}, {3, 0, 1e300}, {3, 1, -1.0 / 3.0}, {4, 0, 1e17}};
    return profile;
}

void check_equal(const MessageFigures& a, const MessageFigures& b) {
    CHECK(a.messages == b.messages);
    CHECK(a.bytes == b.bytes);
    CHECK(a.ns == b.ns);
    CHECK(a.bandwidth_sum == b.bandwidth_sum);
}

// Members that only runs with MPI have.
void check_equal_mpi(const Profile& a, const Profile& b) {
    CHECK(a.run.uses_mpi == b.run.uses_mpi);
    REQUIRE(a.ranks.size() == b.ranks.size());
    for (std::size_t i = 0; i < a.ranks.size(); i++) {
        const RankFigures &r = a.ranks[i], &s = b.ranks[i];
        CHECK(r.rank == s.rank);
        CHECK(r.host == s.host);
        CHECK(r.pid == s.pid);
        CHECK(r.threads == s.threads);
        CHECK(r.runtime_ns == s.runtime_ns);
        CHECK(r.overhead_ns == s.overhead_ns);
        CHECK(r.mpi_ns == s.mpi_ns);
        CHECK(r.memory_bytes == s.memory_bytes);
        CHECK(r.calls == s.calls);
    }
    REQUIRE(a.spread.size() == b.spread.size());
    for (std::size_t i = 0; i < a.spread.size(); i++) {
        CHECK(a.spread[i].ranks == b.spread[i].ranks);
        CHECK(a.spread[i].min_rank == b.spread[i].min_rank);
        CHECK(a.spread[i].max_rank == b.spread[i].max_rank);
        CHECK(a.spread[i].min_ns == b.spread[i].min_ns);
        CHECK(a.spread[i].max_ns == b.spread[i].max_ns);
    }
    REQUIRE(a.messages.size() == b.messages.size());
    for (std::size_t i = 0; i < a.messages.size(); i++) {
        CHECK(a.messages[i].path == b.messages[i].path);
        check_equal(a.messages[i].sent, b.messages[i].sent);
        check_equal(a.messages[i].received, b.messages[i].received);
    }
    REQUIRE(a.matrix.size() == b.matrix.size());
    for (std::size_t i = 0; i < a.matrix.size(); i++) {
        CHECK(a.matrix[i].rank == b.matrix[i].rank);
        CHECK(a.matrix[i].peer == b.matrix[i].peer);
        CHECK(a.matrix[i].path == b.matrix[i].path);
        check_equal(a.matrix[i].sent, b.matrix[i].sent);
        check_equal(a.matrix[i].received, b.matrix[i].received);
    }
    for (std::size_t i = 0; i < size_bins; i++) {
        CHECK(a.message_sizes[i].sent == b.message_sizes[i].sent);
        CHECK(a.message_sizes[i].received == b.message_sizes[i].received);
    }
}

void check_equal(const Profile& a, const Profile& b) {
    check_equal_mpi(a, b);
    const RunInfo &x = a.run, &y = b.run;
    CHECK(x.application == y.application);
    CHECK(x.command_line == y.command_line);
    CHECK(x.host == y.host);
    CHECK(x.pid == y.pid);
    CHECK(x.start_unix_ns == y.start_unix_ns);
    CHECK(x.end_unix_ns == y.end_unix_ns);
    CHECK(x.runtime_ns == y.runtime_ns);
    CHECK(x.paused_ns == y.paused_ns);
    CHECK(x.memory_bytes == y.memory_bytes);
    CHECK(x.threads == y.threads);
    CHECK(x.ranks == y.ranks);
    CHECK(x.rank == y.rank);
    CHECK(texts_of(x.notices) == texts_of(y.notices));
    CHECK(x.config_source == y.config_source);
    REQUIRE(x.overhead.size() == y.overhead.size());
    for (std::size_t i = 0; i < x.overhead.size(); i++) {
        CHECK(same_overhead(x.overhead[i], y.overhead[i]));
        CHECK(x.overhead[i].ns == y.overhead[i].ns);
    }
    REQUIRE(a.modules.size() == b.modules.size());
    for (std::size_t i = 0; i < a.modules.size(); i++) {
        CHECK(a.modules[i].path == b.modules[i].path);
        CHECK(a.modules[i].build_id == b.modules[i].build_id);
    }
    REQUIRE(a.functions.size() == b.functions.size());
    for (std::size_t i = 0; i < a.functions.size(); i++) {
        const Function &f = a.functions[i], &g = b.functions[i];
        CHECK(f.symbol == g.symbol);
        CHECK(f.name == g.name);
        CHECK(f.demangled == g.demangled);
        CHECK(f.display == g.display);
        CHECK(f.file == g.file);
        CHECK(f.line == g.line);
        CHECK(f.module == g.module);
        CHECK(f.offset == g.offset);
        CHECK(f.kind == g.kind);
    }
    REQUIRE(a.paths.size() == b.paths.size());
    for (std::size_t i = 0; i < a.paths.size(); i++) {
        const Path &p = a.paths[i], &q = b.paths[i];
        CHECK(p.parent == q.parent);
        CHECK(p.function == q.function);
        CHECK(p.stid == q.stid);
        CHECK(p.flags == q.flags);
        CHECK(p.hash == q.hash);
        CHECK(p.calls == q.calls);
        CHECK(p.inclusive_ns == q.inclusive_ns);
        CHECK(p.exclusive_ns == q.exclusive_ns);
        CHECK(p.overhead_ns == q.overhead_ns);
    }
    REQUIRE(a.metrics.size() == b.metrics.size());
    for (std::size_t i = 0; i < a.metrics.size(); i++) {
        CHECK(a.metrics[i].name == b.metrics[i].name);
        CHECK(a.metrics[i].unit == b.metrics[i].unit);
        CHECK(a.metrics[i].reduction == b.metrics[i].reduction);
    }
    REQUIRE(a.metric_values.size() == b.metric_values.size());
    for (std::size_t i = 0; i < a.metric_values.size(); i++) {
        CHECK(a.metric_values[i].path == b.metric_values[i].path);
        CHECK(a.metric_values[i].metric == b.metric_values[i].metric);
        CHECK(a.metric_values[i].value == b.metric_values[i].value);
    }
}

}  // namespace

TEST_CASE("a profile is the same after writing and reading") {
    const Profile profile = full_profile();
    const std::string text = json_of(profile);
    const Profile read = parse_profile_json(text);
    check_equal(profile, read);
    CHECK(read.run.config_text == profile.run.config_text);
    CHECK(json_of(read) == text);
    check_equal({}, parse_profile_json(json_of({})));
}

TEST_CASE("a profile of an MPI run is the same after writing and reading") {
    const Profile sample = mpi_sample_profile();
    check_equal(sample, parse_profile_json(json_of(sample)));

    // The largest and smallest values of everything.
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
    const MessageFigures large{most, most, longest, 0.1 + 0.2}, none{};
    Profile profile = sample;
    profile.run.ranks = 0xffffffff;
    profile.ranks.back() = {0xfffffffe, "\"node\"", -1,   0xffffffff, -longest,
                            longest,    longest,    most, most};
    profile.spread[3] = {0xffffffff, 0, 0xfffffffe, -longest, longest};
    profile.spread.back() = {};
    profile.messages.back() = {profile.messages.back().path, none, large};
    profile.messages.front() = {0, large, {1, 0, 0, 9'007'199'254'740'993.0}};
    profile.matrix = {{0, unknown_peer, 7, large, large},
                      {0xfffffffe, 2'147'483'647, 3, large, none}};
    profile.message_sizes = {};
    profile.message_sizes.front() = {most, 0};
    profile.message_sizes[1] = {0, most};
    profile.message_sizes.back() = {1, 2};
    const std::string text = json_of(profile);
    const Profile read = parse_profile_json(text);
    check_equal(profile, read);
    CHECK(json_of(read) == text);
    CHECK(text.find("{\"from_bytes\": 9223372036854775808, \"to_bytes\": 18446744073709551615, "
                    "\"sent\": 1, \"received\": 2}") != std::string::npos);
}

TEST_CASE("a profile without MPI has none of its keys") {
    const std::string text = json_of(sample_profile());
    for (const char* key :
         {"\"communication\"", "\"message_sizes\"", "\"messages\"", "\"ranks\": ["})
        CHECK(text.find(key) == std::string::npos);
    CHECK(!parse_profile_json(replaced(text, "\"uses_mpi\": false,", "")).run.uses_mpi);
}

TEST_CASE("a bandwidth that is not a number is still written and read") {
    Profile profile = mpi_sample_profile();
    profile.messages[0].received.bandwidth_sum = std::numeric_limits<double>::infinity();
    CHECK(std::isnan(parse_profile_json(json_of(profile)).messages[0].received.bandwidth_sum));
}

TEST_CASE("application time is that of one rank") {
    CHECK(json_of(mpi_sample_profile()).find("\"application_ns\": 1993000000,") !=
          std::string::npos);
}

TEST_CASE("values that are not numbers and text that is not UTF-8 do not make invalid JSON") {
    Profile profile = full_profile();
    profile.metric_values[0].value = std::numeric_limits<double>::quiet_NaN();
    profile.metric_values[1].value = -std::numeric_limits<double>::infinity();
    profile.functions[4].name = "broken \xff name";
    const Profile read = parse_profile_json(json_of(profile));
    CHECK(std::isnan(read.metric_values[0].value));
    CHECK(std::isnan(read.metric_values[1].value));
    CHECK(read.functions[4].name == "broken \xEF\xBF\xBD name");
}

TEST_CASE("words of a later version do not make a profile unreadable") {
    const std::string text = json_of(full_profile());
    const Profile read =
        parse_profile_json(replaced(text, "\"kind\": \"region\"", "\"kind\": \"fibre\""));
    CHECK(read.functions[4].kind == NodeKind::other);
    CHECK(kind_word(read.functions[4]) == "fibre");
    CHECK(json_of(read) == replaced(text, "\"kind\": \"region\"", "\"kind\": \"fibre\""));
    const std::uint32_t flags = full_profile().paths[3].flags;
    CHECK((flags & path_closed_without_exit) != 0);
    CHECK(parse_profile_json(replaced(text, "\"closed-without-exit\"", "\"of-a-later-version\""))
              .paths[3]
              .flags == (flags & ~std::uint32_t{path_closed_without_exit}));
}

TEST_CASE("kinds with paths are written as words") {
    CHECK(kind_of_word("openmp") == NodeKind::openmp);
    CHECK(kind_of_word("") == NodeKind::other);
    CHECK(kind_of_word("graft") == NodeKind::other);
}

TEST_CASE("dates are written in UTC with nanoseconds") {
    Profile profile = sample_profile();
    CHECK(json_of(profile).find("\"start\": \"2026-11-21T01:32:50.123456789Z\"") !=
          std::string::npos);
    profile.run.start_unix_ns = -1;
    CHECK(json_of(profile).find("\"start\": \"1969-12-31T23:59:59.999999999Z\"") !=
          std::string::npos);
}

TEST_CASE("a file that cannot be written gives its errno") {
    CHECK(write_profile_json(sample_profile(), "/nonexistent/x.json") == ENOENT);
    CHECK(write_profile_json(sample_profile(), "/dev/full") == ENOSPC);
}

TEST_CASE("a file that cannot be read gives one clear error") {
    CHECK_THROWS_WITH(read_profile_json("/nonexistent/x.json"),
                      "/nonexistent/x.json: No such file or directory");
    CHECK_THROWS_WITH(read_profile_json("/"), "/: Is a directory");
    TemporaryFile file;
    CHECK_THROWS_WITH(read_profile_json(file.path),
                      std::string(file.path) + ": is not valid JSON: error in line 1");
}

TEST_CASE("each wrong value is named") {
    const std::string good = json_of(full_profile());
    REQUIRE(error_of(good) == "no error");
    auto error_with = [&](const std::string& what, const std::string& by) {
        return error_of(replaced(good, what, by));
    };
    CHECK(error_of("[]") == "the document: must be an object");
    CHECK(error_of("{}") == "is JSON, but not a vftrace profile");
    CHECK(error_with("\"version\": 1", "\"version\": 2") ==
          "has version 2 of the profile format, but this program reads version 1");
    CHECK(error_with("\"run\": {", "\"run\": 3, \"old\": {") == "run: must be an object");
    CHECK(error_with("\"pid\": 4711", "\"pid\": \"abc\"") == "run.pid: must be an integer");
    CHECK(error_with("\"pid\": 4711", "\"pid\": 1.5") == "run.pid: must be an integer");
    CHECK(error_with("\"ranks\": 1000000", "\"ranks\": -1") == "run.ranks: is out of range");
    CHECK(error_with("\"ranks\": 1000000", "\"ranks\": 1e300") == "run.ranks: is out of range");
    CHECK(error_with("\"memory_bytes\": 18446744073709551615",
                     "\"memory_bytes\": 18446744073709551616") ==
          "run.memory_bytes: is out of range");
    CHECK(error_with("\"host\": \"node17\",", "") == "run.host: is missing");
    CHECK(error_with("\"module\": 0", "\"module\": 1") == "functions[1].module: must be at most 0");
    CHECK(error_with("\"kind\": \"region\"", "\"kind\": 3") ==
          "functions[4].kind: must be a string");
    CHECK(error_with("\"id\": 2, \"parent\": 1", "\"id\": 2, \"parent\": 2") ==
          "nodes[2].parent: must be at most 1");
    CHECK(error_with("\"id\": 2, \"parent\": 1", "\"id\": 2, \"parent\": null") ==
          "nodes[2].parent: is missing");
    CHECK(error_with("\"id\": 0, \"parent\": null", "\"id\": 0, \"parent\": 0") ==
          "nodes[0].parent: must be null for the first one");
    CHECK(error_with("\"id\": 5", "\"id\": 6") == "nodes[5].id: must be the position in the list");
    CHECK(error_with("\"function\": 3", "\"function\": 99") ==
          "nodes[3].function: must be at most 7");
    CHECK(error_with("\"hash\": \"ffffffffffffffff\"", "\"hash\": \"1ffffffffffffffff\"") ==
          "nodes[3].hash: must be a hexadecimal number of at most 64 bits");
    CHECK(error_with("\"closed-without-exit\"", "5") == "nodes[3].flags: must be a string");
    CHECK(error_with("[[1, 0.1]]", "[[2, 0.1]]") ==
          "nodes[0].metrics: name a metric that is not in the list");
    CHECK(error_with("[[1, 0.1]]", "[[1]]") ==
          "nodes[0].metrics: must be pairs of a metric and its value");
    CHECK(error_with("\"nodes\": [", "\"nodes\": {}, \"old\": [") == "nodes: must be an array");
}

TEST_CASE("each wrong value of a run with MPI is named") {
    const std::string good = json_of(mpi_sample_profile());
    REQUIRE(error_of(good) == "no error");
    auto error_with = [&](const std::string& what, const std::string& by) {
        return error_of(replaced(good, what, by));
    };
    CHECK(error_with("\"uses_mpi\": true", "\"uses_mpi\": 1") ==
          "run.uses_mpi: must be true or false");

    CHECK(error_with("\"ranks\": {\"count\": 4", "\"ranks\": {\"count\": 0") ==
          "nodes[0].ranks.count: must be between 1 and the number of ranks");
    CHECK(error_with("\"ranks\": {\"count\": 4", "\"ranks\": {\"count\": 5") ==
          "nodes[0].ranks.count: must be between 1 and the number of ranks");
    CHECK(error_with("\"min_rank\": 2", "\"min_rank\": 4") ==
          "nodes[2].ranks.min_rank: must be at most 3");
    CHECK(error_with("\"min_ns\": 3000000", "\"min_ns\": 4000001") ==
          "nodes[1].ranks.min_ns: must not be larger than max_ns");
    CHECK(error_with("\"ranks\": {\"count\": 4", "\"ranks\": [], \"old\": {\"count\": 4") ==
          "nodes[0].ranks: must be an object");

    CHECK(error_with("\"messages\": {\"received\": {",
                     "\"messages\": {\"received\": 1, \"old\": {") ==
          "nodes[4].messages.received: must be an object");
    CHECK(error_with("\"time_ns\": 72000000, ", "") ==
          "nodes[4].messages.received.time_ns: is missing");
    CHECK(error_with("\"bytes\": 4800000", "\"bytes\": -1") ==
          "nodes[4].messages.received.bytes: is out of range");
    CHECK(error_with("\"bandwidth_sum\": 192000000000", "\"bandwidth_sum\": \"fast\"") ==
          "nodes[5].messages.sent.bandwidth_sum: must be a number");
    CHECK(error_with("\"bandwidth_sum\": 192000000000", "\"bandwidth_sum\": []") ==
          "nodes[5].messages.sent.bandwidth_sum: must be a number");
    CHECK(error_with("\"bandwidth_sum\": 192000000000", "\"bandwidth_sum\": -0.5") ==
          "nodes[5].messages.sent.bandwidth_sum: must not be negative");

    CHECK(error_with("{\"rank\": 1, \"host\"", "{\"rank\": 0, \"host\"") ==
          "ranks[1]: must be sorted by rank");
    CHECK(error_with("{\"rank\": 3, \"host\"", "{\"rank\": 4, \"host\"") ==
          "ranks[3].rank: must be at most 3");
    CHECK(error_with("\"ranks\": [", "\"ranks\": 4, \"old\": [") == "ranks: must be an array");

    CHECK(error_with("{\"rank\": 0, \"peer\": 3, \"node\": 9",
                     "{\"rank\": 0, \"peer\": 4, \"node\": 9") ==
          "communication[6].peer: must be at most 3");
    CHECK(error_with("\"peer\": 3", "\"peer\": -2") == "communication[6].peer: is out of range");
    CHECK(error_with("\"peer\": 1, \"node\": 9", "\"peer\": 1, \"node\": 12") ==
          "communication[2].node: must be at most 11");
    CHECK(error_with("\"peer\": 1, \"node\": 9", "\"peer\": 1, \"node\": 5") ==
          "communication[2]: must be sorted by rank, peer and node");
    CHECK(error_with("{\"rank\": 0, \"peer\": 3, \"node\": 10",
                     "{\"rank\": 4, \"peer\": 3, \"node\": 10") ==
          "communication[7].rank: must be at most 3");

    CHECK(error_with("\"from_bytes\": 4096", "\"from_bytes\": 4097") ==
          "message_sizes[1].from_bytes: must begin a range from a power of two to below the next");
    CHECK(error_with("\"to_bytes\": 8191", "\"to_bytes\": 8192") ==
          "message_sizes[1].from_bytes: must begin a range from a power of two to below the next");
    CHECK(error_with("\"from_bytes\": 4096, \"to_bytes\": 8191",
                     "\"from_bytes\": 0, \"to_bytes\": 0") ==
          "message_sizes[1].from_bytes: must be larger than the one before");
    CHECK(error_with("\"sent\": 600", "\"sent\": 0.5") ==
          "message_sizes[1].sent: must be an integer");
}

TEST_CASE("no truncated or damaged file crashes the reader") {
    const std::string good = json_of(GENERATE(full_profile(), mpi_sample_profile()));
    for (std::size_t length = 0; length + 2 < good.size(); length += 7)
        CHECK(error_of(good.substr(0, length)) != "no error");
    std::mt19937 random(1);
    const std::string interesting = "{}[]\",:-019eE.\\ \n";
    for (int i = 0; i < 2000; i++) {
        std::string text = good;
        for (int change = 0; change < 3; change++)
            text[random() % text.size()] = interesting[random() % interesting.size()];
        error_of(text);  // any exception other than ours fails the test
    }
    CHECK(error_of(std::string(1'000'000, '[')) == "is not valid JSON: error in line 1");
}

TEST_CASE("documents keep long integers and know where the configuration stands") {
    const JsonDocument numbers("[18446744073709551615, -9223372036854775808, 9007199254740993]");
    CHECK(numbers.root[0].GetUint64() == 18446744073709551615u);
    CHECK(numbers.root[1].GetInt64() == std::numeric_limits<std::int64_t>::min());
    CHECK(numbers.root[2].GetInt64() == 9007199254740993);
    const auto config_of = [](std::string_view text) {
        return std::string(JsonDocument(text).config);
    };
    CHECK(config_of("{\"a\": {\"config\": {\"x\": 1}}, \"config\":  { \"y\": \"}\"} }") ==
          "{ \"y\": \"}\"}");
    CHECK(config_of("{\"config\": null, \"b\": {}}").empty());
    CHECK(config_of("{\"config\": [{}]}").empty());
    CHECK(config_of("\xef\xbb\xbf{\"config\": {}}") == "{}");
    CHECK(config_of("[{\"config\": {}}]").empty());
    for (const char* text : {"", "{\"config\": {\"x\": ", "}}]]\"abc\\", "{}\n{}", "[1,]"})
        CHECK_THROWS_AS(JsonDocument(text), ProfileFormatError);
    CHECK_THROWS_AS(JsonDocument(std::string_view("{}\0", 3)), ProfileFormatError);
}

TEST_CASE("the writer escapes, separates and indents") {
    CHECK(written_text([](OutputFile& out) {
              JsonWriter json(out);
              json.begin_object();
              json.key("a\"b").string("x\n\t\\\x01\x7f"
                                      "\xff");
              json.key("empty").begin_array();
              json.end_array();
              json.key("row").begin_array(JsonWriter::Layout::compact);
              json.number(0.1);
              json.number(1e300);
              json.number(3);
              json.number(std::numeric_limits<double>::infinity());
              json.integer(std::numeric_limits<std::int64_t>::min());
              json.unsigned_integer(std::numeric_limits<std::uint64_t>::max());
              json.end_array();
              json.end_object();
          }) == "{\n"
                "  \"a\\\"b\": \"x\\n\\t\\\\\\u0001\\u007f\xEF\xBF\xBD\",\n"
                "  \"empty\": [],\n"
                "  \"row\": [0.1, 1e+300, 3, null, -9223372036854775808, 18446744073709551615]\n"
                "}\n");
}
