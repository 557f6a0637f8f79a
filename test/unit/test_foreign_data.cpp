// What other users can write decides neither which files are written nor where.
#include <catch2/catch.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/directories.hpp"
#include "base/file_name.hpp"
#include "base/links.hpp"
#include "base/output_file.hpp"
#include "commands/job_hosts.hpp"
#include "recover/claimed_base.hpp"
#include "recover/file_image.hpp"
#include "recover/running_process.hpp"

using namespace vftrace;
namespace fs = std::filesystem;

namespace {

class ScratchFolder {
  public:
    ScratchFolder() {
        REQUIRE(mkdtemp(path_.data()));
        path_ = fs::canonical(path_).string();
    }
    ~ScratchFolder() { fs::remove_all(path_); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    std::string operator/(const char* name) const { return path_ + "/" + name; }

  private:
    std::string path_ = "/tmp/vftrace_foreign_data_XXXXXX";
};

// The rule for commands, while the object exists.
struct RuleOfCommands {
    RuleOfCommands() { follow_only_own_links(true); }
    ~RuleOfCommands() { follow_only_own_links(false); }
    RuleOfCommands(const RuleOfCommands&) = delete;
    RuleOfCommands& operator=(const RuleOfCommands&) = delete;
};

// Only root can make links that seem to be planted by other users.
bool give_away(const std::string& path) { return lchown(path.c_str(), 65534, 65534) == 0; }

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("foreign data: names of files") {
    const auto name = [](std::string_view text) { return safe_file_name(text, "vftrace"); };
    CHECK(name("heat_1.2") == "heat_1.2");
    CHECK(name("heat with blanks, \xc3\xa4") == "heat with blanks, \xc3\xa4");
    for (const char* nothing : {"", "/", "..", ".", "/../..", "../../.", "\n\r\x7f", "...."})
        CHECK(name(nothing) == "vftrace");
    CHECK(name("/etc/passwd") == "etcpasswd");
    CHECK(name("heat/../../tmp/escaped") == "heattmpescaped");
    CHECK(name(".bashrc") == "bashrc");
    CHECK(name("./.profile") == "profile");
    CHECK(name("a\nb\x1b[31m") == "ab[31m");
    CHECK(name(std::string(5000, 'x')) == std::string(200, 'x'));
    CHECK(name(std::string(199, 'x') + "\xc3\xa4") == std::string(199, 'x'));
}

TEST_CASE("foreign data: the base of a process's files stays in the directory") {
    const ScratchFolder folder;
    const std::string out = folder / "out";
    fs::create_directory(out);
    fs::create_directory(folder / "x");
    for (const char* output_base : {"/x/..", "/../..", "/tmp/.hidden", "../../up", "/tmp/a\nb", ""})
        for (const char* suffix : {"", "/../../tmp/escaped", "/..", "_3"}) {
            ProcessRecord record{};
            record.host = record.application = record.config_text = "";
            record.output_base = output_base;
            record.task_suffix = suffix;
            RecoveryRequest request;
            request.output_directory = out;
            const ClaimedBase base(record, request, "all.log");
            CAPTURE(base.name());
            CHECK(base.name().find('/') == std::string::npos);
            CHECK(base.name().find("..") == std::string::npos);
            CHECK(base.name()[0] != '.');
            NewFiles files = base.files();
            OutputFile(base.name() + "all.log", files).close();
            CHECK(files.publish().error == 0);
            CHECK(files.paths().at(0) == out + "/" + base.name() + "all.log");
            CHECK(fs::exists(files.paths().at(0)));
        }
    for (const auto& entry : fs::directory_iterator(folder / "."))
        CHECK((entry.path().filename() == "out" || entry.path().filename() == "x"));
}

TEST_CASE("foreign data: files of a folder are nowhere else") {
    const ScratchFolder folder;
    fs::create_directory(folder / "out");
    const Descriptor directory(open_directory(folder / "out"));
    REQUIRE(directory.is_open());
    const NewFiles files({directory, folder / "out/"}, true);
    for (const char* name : {"../escaped", "/tmp/escaped", "below/escaped"})
        CHECK(files.create(name)->error() == EACCES);
    // Even if the path means something else by now, or the name is a link that leads out.
    fs::rename(folder / "out", folder / "moved");
    fs::create_directory(folder / "out");
    fs::create_symlink(folder / "out/victim", folder / "moved/log");
    const auto file = files.create("log");
    file->append("text");
    CHECK(file->publish() == 0);
    CHECK(fs::is_empty(folder / "out"));
    CHECK_FALSE(fs::is_symlink(folder / "moved/log"));
    CHECK(text_of(folder / "moved/log") == "text");
}

TEST_CASE("foreign data: commands follow only links of the user and of root") {
    const ScratchFolder folder;
    const RuleOfCommands rule;
    fs::create_directory(folder / "victim");
    fs::create_directory_symlink("victim", folder / "own");
    fs::create_directory_symlink(folder / "own", folder / "chain");
    CHECK(Descriptor(open_directory(folder / "chain/../victim/./")).is_open());
    CHECK(Descriptor(open_directory("/proc/self/cwd/")).is_open());
    CHECK(open_directory(folder / "missing") == -1);
    CHECK(errno == ENOENT);
    std::ofstream(folder / "victim/file") << "old";
    CHECK(open_directory(folder / "victim/file") == -1);
    CHECK(errno == ENOTDIR);
    fs::create_symlink("loop", folder / "loop");
    CHECK(open_directory(folder / "loop") == -1);
    CHECK(errno == ELOOP);
    NewFile::create(folder / "chain/file")->publish();
    CHECK(text_of(folder / "victim/file").empty());
    const auto device = NewFile::create("/dev/null");
    device->append("x");
    CHECK(device->publish() == 0);

    fs::create_symlink("victim", folder / "planted");
    std::ofstream(folder / "victim/file") << "old";
    fs::create_symlink("victim/file", folder / "log");
    if (!give_away(folder / "planted") || !give_away(folder / "log"))
        return;
    CHECK(open_directory(folder / "planted") == -1);
    CHECK(errno == EACCES);
    CHECK(NewFile::create(folder / "planted/log")->error() == EACCES);
    const auto file = NewFile::create(folder / "log");
    file->append("ours");
    CHECK(file->publish() == 0);
    CHECK(text_of(folder / "victim/file") == "old");
    CHECK(text_of(folder / "log") == "ours");
}

TEST_CASE("foreign data: names of hosts and jobs") {
    using tools::is_plain_name;
    for (const char* plain : {"n17", "n17.cluster.example", "4711.0", "prterun-n1-12@1", "fe80::1"})
        CHECK(is_plain_name(plain));
    for (const char* other : {"", "-oProxyCommand=touch", "n1;touch", "n1 n2", "$(touch)", "`a`",
                              "n'1", "n\"1", "n\n1", "n\\1", "n{1}", "n*", "n\xc3\xa4"})
        CHECK_FALSE(is_plain_name(other));
    CHECK_FALSE(is_plain_name(std::string(256, 'n')));
}

TEST_CASE("foreign data: processes of the user and of root") {
    CHECK(is_of_user_or_root(getpid()));
    CHECK(is_of_user_or_root(1));
    CHECK_FALSE(is_of_user_or_root(0));
}
