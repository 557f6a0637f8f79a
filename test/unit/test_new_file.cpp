// Files that only appear once they are complete, limits on their size, and links that lead
// elsewhere.
#include "base/new_file.hpp"

#include <catch2/catch.hpp>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directories.hpp"
#include "base/links.hpp"
#include "base/size_limit.hpp"

using namespace vftrace;
namespace fs = std::filesystem;

namespace {

struct Folder {
    Folder() {
        REQUIRE(mkdtemp(path.data()));
        path = fs::canonical(path).string();
    }
    ~Folder() { fs::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string operator/(const char* name) const { return path + "/" + name; }
    std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
    std::string path = "/tmp/vftrace_new_file_XXXXXX";
};

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const char* text) { std::ofstream(path) << text; }

// Limits the size of files of this process while the object exists.
class SizeLimit {
  public:
    explicit SizeLimit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
    SizeLimit(const SizeLimit&) = delete;
    SizeLimit& operator=(const SizeLimit&) = delete;

  private:
    rlimit before_;
};

bool size_signal_is_pending() {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGXFSZ);
}

void block_size_signal(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(how, &set, nullptr);
}

// Only root can make links that seem to be planted by other users.
bool give_away(const std::string& path) { return lchown(path.c_str(), 65534, 65534) == 0; }

}  // namespace

TEST_CASE("a file appears when it is complete") {
    const Folder folder;
    write(folder / "log", "old");
    chmod((folder / "log").c_str(), 0600);
    {
        const auto file = NewFile::create(folder / "log");
        file->append("new");
        CHECK(text_of(folder / "log") == "old");
        CHECK(folder.entries() == 2);
        CHECK(file->publish() == 0);
    }
    CHECK(text_of(folder / "log") == "new");
    CHECK(folder.entries() == 1);
    struct stat information;
    CHECK(stat((folder / "log").c_str(), &information) == 0);
    CHECK((information.st_mode & 0777) == 0600);
}

TEST_CASE("nothing is left of a file that is given up") {
    const Folder folder;
    NewFile::create(folder / "log")->append("half");
    CHECK(folder.entries() == 0);
    // If memory runs out, no destructor is called.
    NewFile* left = NewFile::create(folder / "log").release();
    left->append("half");
    CHECK(folder.entries() == 1);
    drop_unfinished_files();
    CHECK(folder.entries() == 0);
    delete left;
}

TEST_CASE("a limit on the size of files is an error") {
    const Folder folder;
    const SizeLimit limit(10);
    const auto file = NewFile::create(folder / "log");
    file->append("0123456789abc");
    CHECK(file->publish() == EFBIG);
    CHECK(folder.entries() == 0);
    CHECK_FALSE(size_signal_is_pending());
    const Folder other;
    NewFiles files;
    for (const char* name : {"short", "long and longer"}) {
        auto one = NewFile::create(other / name);
        one->append(name);
        files.add(std::move(one));
    }
    CHECK(files.failure().error == EFBIG);
    CHECK(files.failure().path == other / "long and longer");
    files.publish();
    CHECK(files.paths() == std::vector<std::string>{other / "short"});
    CHECK(other.entries() == 1);
}

TEST_CASE("a SIGXFSZ of the program stays pending, ours does not") {
    const Folder folder;
    const int file = open((folder / "file").c_str(), O_WRONLY | O_CREAT, 0600);
    const SizeLimit limit(0);
    const auto beyond = [&] { return ::write(file, "x", 1); };
    block_size_signal(SIG_BLOCK);
    CHECK(write_within_limit(beyond) == -1);
    CHECK(errno == EFBIG);
    CHECK_FALSE(size_signal_is_pending());
    CHECK(beyond() == -1);
    CHECK(size_signal_is_pending());
    CHECK(write_within_limit(beyond) == -1);
    CHECK(size_signal_is_pending());
    struct timespec at_once {};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    CHECK(sigtimedwait(&set, nullptr, &at_once) == SIGXFSZ);
    block_size_signal(SIG_UNBLOCK);
    close(file);
}

TEST_CASE("links are followed, but not those that others have planted") {
    const Folder folder;
    write(folder / "target", "old");
    fs::create_symlink("target", folder / "log");
    fs::create_symlink(folder / "log", folder / "log of log");
    CHECK(behind_links(folder / "log of log") == folder / "target");
    NewFile::create(folder / "log of log")->publish();
    CHECK(fs::is_symlink(folder / "log"));
    CHECK(text_of(folder / "target").empty());
    fs::create_symlink(folder / "nowhere yet", folder / "dangling");
    CHECK(behind_links(folder / "dangling") == folder / "nowhere yet");
    fs::create_symlink("loop", folder / "loop");
    CHECK_FALSE(behind_links(folder / "loop"));
    CHECK(errno == ELOOP);

    if (!give_away(folder / "log"))
        return;
    CHECK(behind_links(folder / "log") == folder / "target");
    chmod(folder.path.c_str(), 01777);
    CHECK(behind_links(folder / "log") == folder / "log");
    CHECK(behind_links(folder / "dangling") == folder / "nowhere yet");
    write(folder / "target", "of somebody");
    const auto file = NewFile::create(folder / "log");
    file->append("ours");
    CHECK(file->publish() == 0);
    CHECK_FALSE(fs::is_symlink(folder / "log"));
    CHECK(text_of(folder / "log") == "ours");
    CHECK(text_of(folder / "target") == "of somebody");
    fs::create_symlink(".", folder / "directory");
    REQUIRE(give_away(folder / "directory"));
    CHECK_FALSE(behind_links(folder / "directory/log"));
    CHECK(NewFile::create(folder / "directory/log")->error() == EACCES);
}

TEST_CASE("pipes and devices are written to as they are") {
    const Folder folder;
    const auto full = NewFile::create("/dev/full");
    full->append("x");
    CHECK(full->publish() == ENOSPC);
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const auto numbered = NewFile::create("/proc/self/fd/" + std::to_string(ends[1]));
    numbered->append("x");
    CHECK(numbered->publish() == 0);
    close(ends[1]);
    char one = 0;
    CHECK(read(ends[0], &one, 1) == 1);
    close(ends[0]);
    CHECK(mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(NewFile::create(folder / "pipe")->error() == ENXIO);  // no reader: does not wait
    const int reader = open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
    const auto pipe = NewFile::create(folder / "pipe");
    pipe->append("text");
    CHECK(pipe->publish() == 0);
    char text[8] = {};
    CHECK(read(reader, text, sizeof text) == 4);
    close(reader);
    CHECK(folder.entries() == 1);
}

TEST_CASE("directories that are missing can be made") {
    const Folder folder;
    CHECK(directory_of("name") == ".");
    CHECK(directory_of("/name") == "/");
    CHECK(check_new_files(folder / "a/b/c") == 0);
    CHECK(folder.entries() == 0);
    CHECK(make_directories(folder / "a/b/c") == 0);
    CHECK(make_directories(folder / "a/b/c") == 0);
    CHECK(fs::is_directory(folder / "a/b/c"));
    write(folder / "file", "");
    CHECK(check_new_files(folder / "file") == ENOTDIR);
    CHECK(check_new_files(folder / "file/below") == ENOTDIR);
    CHECK(make_directories(folder / "file/below") == ENOTDIR);
}
