// The store of runs.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "history/run_history.hpp"
#include "sample_profile.hpp"
#include "store/run_store.hpp"

using namespace vftrace;
using Catch::Contains;
using vftrace::test::sample_profile;
using Access = Database::Access;

namespace {

struct StoreFile {
    StoreFile() {
        char folder[] = "/tmp/vftrace-store-XXXXXX";
        path = std::string(mkdtemp(folder)) + "/runs.db";
    }
    ~StoreFile() { std::filesystem::remove_all(std::filesystem::path(path).parent_path()); }
    std::string path;
};

Profile run_number(int number) {
    Profile profile = sample_profile();
    profile.run.start_unix_ns += number * std::int64_t{1'000'000'000};
    return profile;
}

}  // namespace

TEST_CASE("a store has the runs that were added", "[store]") {
    const StoreFile file;
    {
        RunStore store(file.path, Access::write);
        CHECK(store.add(run_number(2), "two.json", {"c2", "main", "", {{"n", 5}}}));
        CHECK(store.add(run_number(1), "one.json", {"c1", "main", "other", {}}));
        CHECK_FALSE(store.add(run_number(1), "again.json", {}));
    }
    RunStore store(file.path, Access::read);
    const std::vector<StoredRun> runs = store.runs({});
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].commit == "c1");  // by start
    CHECK(runs[0].host == "other");
    CHECK(runs[1].file == "two.json");
    CHECK(runs[0].seconds == runs[1].seconds);
    CHECK(runs[0].seconds > 0);
    CHECK(store.runs({"", "devel", ""}).empty());
    CHECK(store.runs({"", "", "other"}).size() == 1);
    CHECK(store.applications() == std::vector<std::string>{sample_profile().run.application});
    CHECK_THROWS_WITH(store.add(run_number(3), "", {}), Contains("must not be written to"));
}

TEST_CASE("figures of functions are those of the profile", "[store]") {
    const StoreFile file;
    RunStore store(file.path, Access::write);
    const Profile profile = sample_profile();
    store.add(profile, "p.json", {});
    const std::string name = profile.functions[profile.paths.back().function].display;
    REQUIRE(store.functions_named(name) == std::vector<std::string>{name});
    const std::vector<StoredFigures> figures = store.figures_of(name);
    REQUIRE(figures.size() == 1);
    std::int64_t own_ns = 0;
    std::uint64_t calls = 0;
    for (const Path& path : profile.paths)
        if (profile.functions[path.function].display == name) {
            own_ns += path.exclusive_ns;
            calls += path.calls;
        }
    CHECK(figures[0].own_seconds == Approx(static_cast<double>(own_ns) / 1e9));
    if (figures[0].calls)
        CHECK(*figures[0].calls == calls);
    CHECK(store.figures_of("no such function").empty());
    CHECK(store.functions_named("no such function").empty());
    // Names are data.
    Profile hostile = run_number(9);
    hostile.functions[hostile.paths.back().function].display = "'); DROP TABLE runs; --\n\x1b[31m";
    CHECK(store.add(hostile, "h.json", {"'", "\"", "\\", {}}));
    CHECK(store.figures_of("'); DROP TABLE runs; --\n\x1b[31m").size() == 1);
    CHECK(store.runs({}).size() == 2);
}

TEST_CASE("files that are not stores are refused and kept", "[store]") {
    const StoreFile file;
    CHECK_THROWS_WITH(RunStore(file.path, Access::read), Contains("there is no such store"));
    CHECK_THROWS_WITH(RunStore("/nonexistent/x.db", Access::write),
                      Contains("No such file or directory"));
    std::ofstream(file.path) << "this is not a database, but a text of some length";
    CHECK_THROWS_WITH(RunStore(file.path, Access::write), Contains("is not a store of vftrace"));
    CHECK(std::filesystem::file_size(file.path) == 49);
    std::filesystem::remove(file.path);
    {
        Database other(file.path, Access::write);
        other.run("CREATE TABLE t (x)");
    }
    CHECK_THROWS_WITH(RunStore(file.path, Access::write), Contains("is not a store of vftrace"));
    std::filesystem::remove(file.path);
    {
        RunStore store(file.path, Access::write);
        store.add(sample_profile(), "p.json", {});
    }
    {
        Database newer(file.path, Access::write);
        newer.run("PRAGMA user_version=99");
    }
    CHECK_THROWS_WITH(RunStore(file.path, Access::write), Contains("newer version of vftrace"));
    // A link to a file elsewhere is not followed.
    const std::string link = file.path + ".link";
    std::filesystem::create_symlink(file.path, link);
    CHECK_THROWS(RunStore(link, Access::write));
}

TEST_CASE("damaged stores are refused or read, without a crash", "[store]") {
    const StoreFile file;
    {
        RunStore store(file.path, Access::write);
        for (int i = 0; i < 5; i++)
            store.add(run_number(i), "p.json", {});
    }
    std::string whole(std::filesystem::file_size(file.path), '\0');
    std::ifstream(file.path, std::ios::binary).read(whole.data(), static_cast<long>(whole.size()));
    unsigned state = 1;
    for (int i = 0; i < 300; i++) {
        std::string damaged = whole;
        for (int k = 0; k < 8; k++) {
            state = state * 1664525 + 1013904223;
            damaged[state % damaged.size()] = static_cast<char>(state >> 16);
        }
        if (i % 10 == 0)
            damaged.resize(damaged.size() * static_cast<std::size_t>(i) / 300);
        std::ofstream(file.path, std::ios::binary | std::ios::trunc) << damaged;
        try {
            RunStore store(file.path, Access::read);
            history_of(store, {});
        } catch (const StoreError& error) {
            CHECK_THAT(error.what(), Contains(file.path));
        }
    }
}

TEST_CASE("several writers at once lose nothing", "[store]") {
    const StoreFile file;
    std::vector<std::thread> writers;
    constexpr int runs = 20, threads = 4;
    for (int writer = 0; writer < threads; writer++)
        writers.emplace_back([&, writer] {
            for (int i = 0; i < runs; i++)
                RunStore(file.path, Access::write).add(run_number(writer * runs + i), "p.json", {});
        });
    for (std::thread& writer : writers)
        writer.join();
    CHECK(RunStore(file.path, Access::read).runs({}).size() == runs * threads);
}

TEST_CASE("the history of a program names what has changed", "[store][history]") {
    const StoreFile file;
    RunStore store(file.path, Access::write);
    for (int i = 0; i < 40; i++) {
        Profile profile = run_number(i);
        Path& path = profile.paths.back();
        if (i >= 30) {
            profile.run.runtime_ns += profile.run.runtime_ns / 2;
            path.exclusive_ns += profile.run.runtime_ns / 3;
        }
        if (i >= 35)
            path.calls++;
        path.flags = 0;
        store.add(profile, "p.json", {"c" + std::to_string(i), "main", "", {}});
    }
    const RunHistory history = history_of(store, {});
    REQUIRE(history.times.size() == 1);
    CHECK(history.times[0].run.commit == "c30");
    CHECK(history.times[0].is_slower());
    CHECK(history.times[0].seen == 10);
    REQUIRE_FALSE(history.times[0].functions.empty());
    const Profile profile = sample_profile();
    CHECK(history.times[0].functions[0].name ==
          profile.functions[profile.paths.back().function].display);
    REQUIRE(history.calls.size() == 1);
    CHECK(history.calls[0].run.commit == "c35");
    CHECK(history.calls[0].after == history.calls[0].before + 1);
    const FunctionHistory function = history_of_function(store, history, history.calls[0].function);
    CHECK(function.figures.size() == 40);
    CHECK(function.calls.size() == 1);
    CHECK(function.calls[0].index == 35);
}
