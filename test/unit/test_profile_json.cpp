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

#include "profile/json_scan.hpp"
#include "profile/json_writer.hpp"
#include "profile/profile_json.hpp"
#include "profile/profile_json_reader.hpp"
#include "sample_profile.hpp"
#include "written_text.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// A file name that is removed again.
struct TemporaryFile {
    TemporaryFile() { ::close(mkstemp(path)); }
    ~TemporaryFile() { unlink(path); }
    char path[32] = "/tmp/vftrace_json_XXXXXX";
};

std::string json_of(const Profile& profile) {
    TemporaryFile file;
    REQUIRE(write_profile_json(profile, file.path) == 0);
    std::ifstream in(file.path);
    return {std::istreambuf_iterator<char>(in), {}};
}

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
    run.overhead.push_back({"MPI wrappers", -1});
    run.warnings = {"quotes \" and \\ and / and \n\t\r\b\x01 and Grüße \xF0\x9F\x98\x80", ""};
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

void check_equal(const Profile& a, const Profile& b) {
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
    CHECK(x.warnings == y.warnings);
    CHECK(x.config_source == y.config_source);
    REQUIRE(x.overhead.size() == y.overhead.size());
    for (std::size_t i = 0; i < x.overhead.size(); i++) {
        CHECK(x.overhead[i].label == y.overhead[i].label);
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

std::string error_of(const std::string& text) {
    try {
        parse_profile_json(text);
    } catch (const ProfileFormatError& error) {
        return error.what();
    }
    return "no error";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), by);
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

TEST_CASE("what is no number or no UTF-8 does not make invalid JSON") {
    Profile profile = full_profile();
    profile.metric_values[0].value = std::numeric_limits<double>::quiet_NaN();
    profile.metric_values[1].value = -std::numeric_limits<double>::infinity();
    profile.functions[4].name = "broken \xff name";
    const Profile read = parse_profile_json(json_of(profile));
    CHECK(std::isnan(read.metric_values[0].value));
    CHECK(std::isnan(read.metric_values[1].value));
    CHECK(read.functions[4].name == "broken \xEF\xBF\xBD name");
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
                      std::string(file.path) +
                          ": this is no valid JSON: there is an error in line 1");
}

TEST_CASE("each wrong value is named") {
    const std::string good = json_of(full_profile());
    REQUIRE(error_of(good) == "no error");
    auto error_with = [&](const std::string& what, const std::string& by) {
        return error_of(replaced(good, what, by));
    };
    CHECK(error_of("[]") == "the document: must be an object");
    CHECK(error_of("{}") == "this is JSON, but no profile of vftrace");
    CHECK(error_with("\"version\": 1", "\"version\": 2") ==
          "this file has version 2 of the format, but this program reads version 1");
    CHECK(error_with("\"run\": {", "\"run\": 3, \"old\": {") == "run: must be an object");
    CHECK(error_with("\"pid\": 4711", "\"pid\": \"abc\"") ==
          "run.pid: must be an integer that is not too large");
    CHECK(error_with("\"pid\": 4711", "\"pid\": 1.5") == "run.pid: must be an integer");
    CHECK(error_with("\"ranks\": 1000000", "\"ranks\": -1") ==
          "run.ranks: must be an integer that is not too large");
    CHECK(error_with("\"ranks\": 1000000", "\"ranks\": 1e300") ==
          "run.ranks: must be an integer that is not too large");
    CHECK(error_with("\"memory_bytes\": 18446744073709551615",
                     "\"memory_bytes\": 18446744073709551616") ==
          "run.memory_bytes: must be an integer that is not too large");
    CHECK(error_with("\"host\": \"node17\",", "") == "run.host: is missing");
    CHECK(error_with("\"module\": 0", "\"module\": 1") == "functions[1].module: must be at most 0");
    CHECK(error_with("\"kind\": \"region\"", "\"kind\": \"regoin\"") ==
          "functions[4].kind: is a word that this version does not know");
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
    CHECK(error_with("\"closed-without-exit\"", "\"other\"") ==
          "nodes[3].flags: is a word that this version does not know");
    CHECK(error_with("[[1, 0.1]]", "[[2, 0.1]]") ==
          "nodes[0].metrics: name a metric that is not in the list");
    CHECK(error_with("[[1, 0.1]]", "[[1]]") ==
          "nodes[0].metrics: must be pairs of a metric and its value");
    CHECK(error_with("\"nodes\": [", "\"nodes\": {}, \"old\": [") == "nodes: must be an array");
}

TEST_CASE("no truncated or damaged file crashes the reader") {
    const std::string good = json_of(full_profile());
    for (std::size_t length = 0; length + 2 < good.size(); length += 7)
        CHECK(error_of(good.substr(0, length)) != "no error");
    std::mt19937 random(1);
    const std::string interesting = "{}[]\",:-019eE.\\ \n";
    for (int i = 0; i < 2000; i++) {
        std::string text = good;
        for (int change = 0; change < 3; change++)
            text[random() % text.size()] = interesting[random() % interesting.size()];
        error_of(text);  // any other exception than ours fails the test
    }
    CHECK(error_of(std::string(1'000'000, '[')) ==
          "this is no valid JSON: there is an error in line 1");
}

TEST_CASE("scanning keeps long integers and finds the configuration") {
    CHECK(scan_json("[123456789012345, 1234567890123456, -1234567890123456, \"1234567890123456\", "
                    "1.234567890123456]")
              .text == "[123456789012345, \"1234567890123456\", \"-1234567890123456\", "
                       "\"1234567890123456\", 1.234567890123456]");
    CHECK(scan_json("{\"a\": {\"config\": {\"x\": 1}}, \"config\": {\"y\": \"}\"}}").config ==
          "{\"y\": \"}\"}");
    CHECK(scan_json("{\"config\": null, \"b\": 1}").config.empty());
    CHECK(scan_json("{\"config\": {\"x\": ").config.empty());
    CHECK(scan_json("}}]]\"abc\\").text == "}}]]\"abc\\");
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
                "  \"a\\\"b\": \"x\\n\\t\\\\\\u0001\x7f\xEF\xBF\xBD\",\n"
                "  \"empty\": [],\n"
                "  \"row\": [0.1, 1e+300, 3, null, -9223372036854775808, 18446744073709551615]\n"
                "}\n");
}
