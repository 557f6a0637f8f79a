// What `vftrace run` determines about a program before it starts it.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sys/stat.h>

#include "commands/elf_program.hpp"
#include "commands/program_file.hpp"
#include "symbol/program_image.hpp"

using namespace vftrace::tools;
namespace fs = std::filesystem;

namespace {

struct TemporaryDirectory {
    TemporaryDirectory() { REQUIRE(mkdtemp(path)); }
    ~TemporaryDirectory() { fs::remove_all(path); }
    std::string file(const std::string& name, const std::string& content) const {
        const std::string whole = std::string(path) + "/" + name;
        std::ofstream(whole, std::ios::binary) << content;
        chmod(whole.c_str(), 0755);
        return whole;
    }
    char path[32] = "/tmp/vftrace_program_XXXXXX";
};

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a program is found as execvp finds it") {
    const TemporaryDirectory directory;
    const std::string tool = directory.file("a_tool", "#!/bin/sh\n");
    const std::string before = std::getenv("PATH") ? std::getenv("PATH") : "";
    setenv("PATH", ("/nonexistent:" + std::string(directory.path)).c_str(), 1);
    CHECK(find_program("a_tool") == tool);
    CHECK(find_program(tool) == tool);
    CHECK(find_program("another_tool").empty());
    CHECK(find_program(directory.path).empty());
    chmod(tool.c_str(), 0644);
    CHECK((geteuid() == 0 || find_program("a_tool").empty()));
    setenv("PATH", before.c_str(), 1);
}

TEST_CASE("scripts and other files that are not ELF are not judged") {
    const TemporaryDirectory directory;
    CHECK(reasons_for_poor_profile(directory.file("script", "#!/bin/sh\n"), false, false).empty());
    CHECK(reasons_for_poor_profile(directory.file("empty", ""), false, false).empty());
    CHECK(reasons_for_poor_profile(directory.path, false, false).empty());
    CHECK(reasons_for_poor_profile("", false, false).empty());
    const std::string pipe = std::string(directory.path) + "/pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0700) == 0);
    CHECK(reasons_for_poor_profile(pipe, false, false).empty());
}

TEST_CASE("a program without hooks is reported, a launcher is not") {
    const ElfProgram shell = examine_elf_program("/bin/sh");
    REQUIRE(shell.is_elf);
    CHECK(shell.loader.starts_with('/'));
    CHECK(shell.hooks == ElfProgram::Hooks::none);
    const TemporaryDirectory directory;
    const std::string content = content_of("/bin/sh");
    for (const char* launcher : {"sh", "mpirun.openmpi", "python3.11", "mpiexec"})
        CHECK(reasons_for_poor_profile(directory.file(launcher, content), false, false).empty());
    const auto reasons = reasons_for_poor_profile(directory.file("solver", content), false, false);
    REQUIRE(reasons.size() == 1);
    CHECK(reasons[0].find("solver does not have function hooks") != std::string::npos);
    CHECK(reasons[0].find("vftrace-cc") != std::string::npos);
}

TEST_CASE("hooks are found by name") {
    const TemporaryDirectory directory;
    std::string content = content_of("/bin/sh");
    // Any imported name of the right length can be replaced by that of the hook.
    const std::string imported = "__libc_start_main";
    const std::size_t at = content.find(imported);
    REQUIRE(at != std::string::npos);
    content.replace(at, imported.size(), "vftrace_get_stack");
    CHECK(reasons_for_poor_profile(directory.file("solver", content), false, false).empty());
}

TEST_CASE("programs are recognised by name") {
    CHECK(program_kind("/usr/bin/mpirun.openmpi") == ProgramKind::mpi_launcher);
    CHECK(program_kind("mpiexec") == ProgramKind::mpi_launcher);
    CHECK(program_kind("/usr/bin/python3.11") == ProgramKind::starts_others);
    CHECK(program_kind("srun") == ProgramKind::starts_others);
    for (const char* name : {"", "/", "./solver", "mpirun_of_mine", "shell", "3", "python/solver"})
        CHECK(program_kind(name) == ProgramKind::ordinary);
}

TEST_CASE("for a program without hooks the message says what will be recorded") {
    const TemporaryDirectory directory;
    const std::string program = directory.file("solver", content_of("/bin/sh"));
    const auto nothing = reasons_for_poor_profile(program, false, false);
    const auto mpi_calls = reasons_for_poor_profile(program, true, false);
    REQUIRE(nothing.size() == 1);
    REQUIRE(mpi_calls.size() == 1);
    CHECK(nothing[0].find("nothing to profile") != std::string::npos);
    CHECK(mpi_calls[0].find("only MPI calls") != std::string::npos);
    CHECK(mpi_calls[0].find("vftrace-mpicc") != std::string::npos);
    CHECK(nothing[0].find("--sample") != std::string::npos);
    // A name that the program imports.
    std::string content = content_of("/bin/sh");
    const std::string imported = "__errno_location";
    const std::size_t at = content.find(imported);
    REQUIRE(at != std::string::npos);
    content.replace(at, imported.size(), "GOACC_parallel_k");
    const auto constructs =
        reasons_for_poor_profile(directory.file("constructs", content), false, false);
    REQUIRE(constructs.size() == 1);
    CHECK(constructs[0].find("only OpenACC constructs and regions") != std::string::npos);
    CHECK(constructs[0].find("vftrace-cc") != std::string::npos);
    CHECK(reasons_for_poor_profile(program, false, true).empty());  // samples need no hooks
}

TEST_CASE("a 32-bit program is reported") {
    const TemporaryDirectory directory;
    std::string content = content_of("/bin/sh");
    content[4] = 1;  // EI_CLASS: ELFCLASS32
    const std::string path = directory.file("old", content);
    CHECK(vftrace::examine_program_image(path.c_str()).obstacle == vftrace::Obstacle::is_32_bit);
    CHECK(std::string(vftrace::reason_and_remedy(vftrace::Obstacle::is_32_bit)).find("32-bit") !=
          std::string::npos);
}

TEST_CASE("damaged executables do no harm") {
    const TemporaryDirectory directory;
    const std::string content = content_of("/bin/sh");
    for (std::size_t length = 1; length < content.size(); length = length * 3 / 2 + 1)
        reasons_for_poor_profile(directory.file("cut", content.substr(0, length)), false, false);
    std::mt19937 random(1);
    const std::size_t table = content.size() - 64 * 32;  // the section headers are at the end
    for (int i = 0; i < 200; i++) {
        std::string damaged = content;
        for (int change = 0; change < 8; change++) {
            damaged[random() % 1024] = static_cast<char>(random());
            damaged[table + random() % (content.size() - table)] = static_cast<char>(random());
        }
        damaged.replace(0, 5, content, 0, 5);
        reasons_for_poor_profile(directory.file("damaged", damaged), false, false);
    }
}
