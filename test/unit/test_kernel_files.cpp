// What the kernel says about processes: fields of /proc/PID/stat, whatever the name of the process
// is.
#include <catch2/catch.hpp>

#include <cerrno>
#include <string>
#include <unistd.h>

#include "base/kernel_files.hpp"

using namespace vftrace;

namespace {

std::string stat_text(const std::string& name, const std::string& state = "S",
                      const std::string& threads = "3") {
    return "17 (" + name + ") " + state + " 16 17 17 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 " + threads +
           " 0 123456 1 2 3\n";
}

}  // namespace

TEST_CASE("fields of a process are read after any name") {
    for (const char* name : {"heat", "a b", "a) R 1 (b", ")", "line\nend", ""}) {
        const auto stat = parse_process_stat(stat_text(name));
        REQUIRE(stat);
        CHECK(stat->state == 'S');
        CHECK(stat->parent == 16);
        CHECK(stat->flags == 4194560);
        CHECK(stat->threads == 3);
        CHECK(stat->start == 123456);
        CHECK(!stat->has_ended());
    }
    CHECK(parse_process_stat(stat_text("heat", "Z", "1"))->has_ended());
    CHECK(!parse_process_stat(stat_text("heat", "Z", "2"))->has_ended());
    CHECK(parse_process_stat(stat_text("heat", "X", "1"))->has_ended());
}

TEST_CASE("what is not such a file is not read") {
    const std::string whole = stat_text("heat");
    CHECK(!parse_process_stat(""));
    CHECK(!parse_process_stat("17 heat S 16"));
    for (std::size_t length = 0; length < whole.find("123456"); length++)
        CHECK(!parse_process_stat(whole.substr(0, length)));
    CHECK(!parse_process_stat("17 (heat) S x 17 17 0 -1 1 1 2 3 4 5 6 7 8 20 0 3 0 123456"));
}

TEST_CASE("this process is found, and errno stays") {
    errno = EDOM;
    const auto stat = process_stat(getpid());
    REQUIRE(stat);
    CHECK(stat->parent == getppid());
    CHECK(process_start(getpid()) == stat->start);
    CHECK(process_stat(getpid(), gettid())->state == 'R');
    CHECK(!process_stat(std::int64_t{1} << 40));
    CHECK(process_start(std::int64_t{1} << 40) == 0);
    CHECK(own_pid_namespace() != 0);
    const std::string arguments = own_arguments(1 << 20);
    CHECK(arguments.find("unit_tests") != arguments.npos);
    CHECK(arguments.back() == '\0');
    CHECK(own_arguments(3).size() == 3);
    char small[4];
    CHECK(start_of_file("/proc/self/comm", small) == "unit");
    CHECK(start_of_file("/proc/no such file", small).empty());
    CHECK(errno == EDOM);
}
