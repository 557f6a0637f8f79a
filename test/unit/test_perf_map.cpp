// The list of generated functions: which lines count, and whose files are read.
#include "symbol/perf_map.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace vftrace;

namespace {

class PerfMapOnDisk {
  public:
    explicit PerfMapOnDisk(const std::string& text)
        : path("perf-map-of-test-" + std::to_string(getpid())) {
        std::ofstream(path) << text;
    }
    ~PerfMapOnDisk() { std::remove(path.c_str()); }
    PerfMapFile file() const { return {path, geteuid()}; }
    const std::string path;
};

std::string name_at(PerfMapFile file, std::uintptr_t address) {
    PerfMap map(std::move(file));
    map.expect(address);
    map.expect(1);
    const GeneratedFunction* function = map.find(address);
    return function ? function->name : "";
}

}  // namespace

TEST_CASE("generated functions are found by any of their addresses", "[perf_map]") {
    const PerfMapOnDisk list(
        "1000 40 JS:*fib file.js:3:14\n"
        "0x1040 0x40 with prefixes\n"
        "2000 100 first\n"
        "2080 20 later \x1b[31mone\n"
        "nonsense\n\n3000\n3000 10\n 3000 10 x\nfffffffffffffff0 ffff overflow\n"
        "4000 10 unfinished");
    CHECK(name_at(list.file(), 0x0fff) == "");
    CHECK(name_at(list.file(), 0x1000) == "JS:*fib file.js:3:14");
    CHECK(name_at(list.file(), 0x103f) == "JS:*fib file.js:3:14");
    CHECK(name_at(list.file(), 0x1040) == "with prefixes");
    CHECK(name_at(list.file(), 0x2000) == "first");
    CHECK(name_at(list.file(), 0x2080) == "later ?[31mone");
    CHECK(name_at(list.file(), 0x20a0) == "first");
    CHECK(name_at(list.file(), 0x3000) == "");
    CHECK(name_at(list.file(), 0xfffffffffffffff8) == "");
    CHECK(name_at(list.file(), 0x4000) == "");
}

TEST_CASE("a list may be long, and its names too", "[perf_map]") {
    std::string text;
    for (int i = 0; i < 20'000; i++)
        text += "10000 8 filler number " + std::to_string(i) + "\n";
    text += "2000 10 " + std::string(1'000'000, 'x') + "\n3000 10 behind\n";
    const PerfMapOnDisk list(text);
    CHECK(name_at(list.file(), 0x10000) == "filler number 19999");
    CHECK(name_at(list.file(), 0x3000) == "behind");
    CHECK(name_at(list.file(), 0x2000).size() <= 4096);
}

TEST_CASE("lists of others are not read", "[perf_map]") {
    const PerfMapOnDisk list("1000 40 f\n");
    CHECK(name_at(list.file(), 0x1000) == "f");
    PerfMapFile file = list.file();
    file.owner++;
    CHECK(name_at(file, 0x1000) == "");
    const std::string link = list.path + "-link";
    REQUIRE(symlink(list.path.c_str(), link.c_str()) == 0);
    file = list.file();
    file.path = link;
    CHECK(name_at(file, 0x1000) == "");
    std::remove(link.c_str());
    REQUIRE(mkfifo(link.c_str(), 0600) == 0);
    CHECK(name_at(file, 0x1000) == "");
    std::remove(link.c_str());
    struct stat status;
    REQUIRE(stat(list.path.c_str(), &status) == 0);
    file = list.file();
    file.not_before_unix_ns = (std::int64_t{status.st_mtim.tv_sec} + 1) * 1'000'000'000;
    CHECK(name_at(file, 0x1000) == "");
    file = list.file();
    file.not_after_unix_ns = (std::int64_t{status.st_mtim.tv_sec} - 1) * 1'000'000'000;
    CHECK(name_at(file, 0x1000) == "");
    CHECK(name_at({"/nonexistent/list", geteuid()}, 0x1000) == "");
    CHECK(name_at({}, 0x1000) == "");
}
