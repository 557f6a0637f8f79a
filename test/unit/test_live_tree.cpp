// Trees of running processes, read repeatedly from their files.
#include <cstdio>
#include <fstream>
#include <memory>
#include <random>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "live/jobs.hpp"
#include "live/live_tree.hpp"
#include "tree_file_builder.hpp"

using namespace vftrace;
using test::TreeFileBuilder;

namespace {

// A tree file that grows, under a unique name.
class GrowingFile {
  public:
    GrowingFile() : path_("live-tree-" + std::to_string(getpid()) + ".tree") {}
    ~GrowingFile() { std::remove(path_.c_str()); }
    GrowingFile(const GrowingFile&) = delete;
    GrowingFile& operator=(const GrowingFile&) = delete;

    void write(const std::vector<char>& contents) {
        std::ofstream(path_, std::ios::binary | std::ios::in | std::ios::out).close();
        std::FILE* file = std::fopen(path_.c_str(), written_ ? "r+b" : "wb");
        REQUIRE(file);
        std::fwrite(contents.data(), 1, contents.size(), file);
        std::fclose(file);
        written_ = true;
    }
    FoundProcess found() const { return {1234, 1, "heat", path_, ""}; }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
    bool written_ = false;
};

std::vector<std::uint64_t> calls_of(const LiveTree& tree, const LiveNames& names) {
    std::vector<std::uint64_t> calls(names.paths.all().size());
    std::vector<double> exclusive(calls.size());
    tree.add_to(calls, exclusive);
    return calls;
}

}  // namespace

TEST_CASE("a live tree follows what is counted, and paths that are new") {
    TreeFileBuilder builder;
    const auto thread = builder.add_thread();
    const auto solve = builder.add_region(thread, builder.root(thread), "solve", 5, 700);
    builder.open_frame(thread, solve, 2'000'000);
    GrowingFile file;
    file.write(builder.contents());
    LiveNames names;
    LiveTree tree(file.found(), names);
    tree.refresh();
    CHECK(calls_of(tree, names) == std::vector<std::uint64_t>{0, 5});
    REQUIRE(tree.threads().size() == 1);
    REQUIRE(tree.threads()[0].open.size() == 1);
    CHECK(names.path_text(tree.threads()[0].open[0].path) == "solve");
    CHECK_FALSE(tree.threads()[0].open[0].at_least);

    builder.at<Node>(solve).calls = 9;
    const auto norm = builder.add_region(thread, solve, "norm", 1);
    builder.open_frame(thread, norm, frame_untimed);
    file.write(builder.contents());
    tree.refresh();
    CHECK(calls_of(tree, names) == std::vector<std::uint64_t>{0, 9, 1});
    CHECK(tree.threads()[0].calls == 10);
    REQUIRE(tree.threads()[0].open.size() == 2);
    CHECK(names.path_text(tree.threads()[0].open[1].path) == "norm < solve");
    CHECK(tree.threads()[0].open[1].at_least);

    builder.close_frame(thread);
    builder.close_frame(thread);
    file.write(builder.contents());
    tree.refresh();
    CHECK(tree.threads()[0].open.empty());
}

TEST_CASE("what another thread does is below the path that it is shown at") {
    TreeFileBuilder builder;
    const auto first = builder.add_thread();
    const auto region = builder.add_region(first, builder.root(first), "parallel", 3);
    const auto second = builder.add_thread();
    const auto graft = builder.add_graft(second, builder.root(second), region, 500);
    builder.add_region(second, graft, "work", 6, 400);
    GrowingFile file;
    file.write(builder.contents());
    LiveNames names;
    LiveTree tree(file.found(), names);
    tree.refresh();
    CHECK(calls_of(tree, names) == std::vector<std::uint64_t>{0, 3, 6});
    CHECK(names.path_text(2) == "work < parallel");
}

TEST_CASE("a tree file that is cut while it is watched is reported") {
    TreeFileBuilder builder;
    const auto thread = builder.add_thread();
    builder.add_region(thread, builder.root(thread), "solve", 5, 700);
    GrowingFile file;
    file.write(builder.contents());
    LiveNames names;
    LiveTree tree(file.found(), names);
    tree.refresh();
    REQUIRE(truncate(file.path().c_str(), 4096) == 0);
    CHECK_THROWS_WITH(tree.refresh(), Catch::EndsWith("is truncated"));
    REQUIRE(truncate(file.path().c_str(), 20) == 0);
    CHECK_THROWS_WITH(tree.refresh(), Catch::EndsWith("is truncated"));
    REQUIRE(truncate(file.path().c_str(), 0) == 0);
    CHECK_THROWS_AS(tree.refresh(), TreeFileError);
}

TEST_CASE("a tree file of another version and a file of another kind are reported") {
    TreeFileBuilder builder;
    builder.add_thread();
    builder.record().layout++;
    GrowingFile file;
    file.write(builder.contents());
    LiveNames names;
    LiveTree tree(file.found(), names);
    CHECK_THROWS_WITH(tree.refresh(), Catch::EndsWith("another version of vftrace"));
    file.write(std::vector<char>(8192, 'x'));
    CHECK_THROWS_WITH(tree.refresh(), Catch::EndsWith("is not a tree file of vftrace"));
    CHECK_THROWS_AS(LiveFile("/no/such/file"), TreeFileError);
    CHECK_THROWS_WITH(LiveFile("/dev/null"), Catch::EndsWith("is not a tree file of vftrace"));
}

TEST_CASE("a damaged tree file does no harm while it is watched") {
    TreeFileBuilder builder;
    const auto first = builder.add_thread();
    const auto solve = builder.add_region(first, builder.root(first), "solve", 5, 700);
    const auto norm = builder.add_region(first, solve, "norm", 5, 300);
    builder.open_frame(first, solve, 2'000'000);
    builder.open_frame(first, norm, frame_thinned);
    const auto second = builder.add_thread();
    builder.add_region(second, builder.add_graft(second, builder.root(second), solve), "work");
    builder.add_message(first, norm, 0, 3, 24);
    const std::vector<char> sound = builder.contents();
    std::mt19937 random(24);
    for (int turn = 0; turn < 300; turn++) {
        GrowingFile file;
        file.write(sound);
        LiveNames names;
        LiveTree tree(file.found(), names);
        tree.refresh();
        std::vector<char> damaged = sound;
        for (int i = 0; i < 8; i++) {
            // Replaces a byte by a random one, or a word by one that occurs in the file.
            const std::size_t place = random() % (damaged.size() - 8);
            if (i % 2)
                damaged[place] = static_cast<char>(random());
            else
                std::copy_n(sound.begin() +
                                static_cast<std::ptrdiff_t>(random() % (sound.size() - 8) / 8 * 8),
                            8, damaged.begin() + static_cast<std::ptrdiff_t>(place / 8 * 8));
        }
        file.write(damaged);
        LiveNames fresh_names;
        LiveTree fresh(file.found(), fresh_names);
        for (LiveTree* each : {&tree, &fresh})
            try {
                each->refresh();
                each->refresh();
            } catch (const TreeFileError&) {
                // The damage is in the head of the file.
            }
    }
}

TEST_CASE("what changes in a live tree adds up to what a new reader finds") {
    TreeFileBuilder builder;
    const auto thread = builder.add_thread();
    std::vector<std::uint64_t> nodes{builder.root(thread)};
    GrowingFile file;
    LiveNames names;
    std::unique_ptr<LiveTree> tree;
    std::vector<std::uint64_t> calls;
    std::vector<double> exclusive;
    std::mt19937 random(7);
    static const char* const texts[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (unsigned look = 0; look < 40; look++) {
        if (look % 3 == 0 && nodes.size() < 40)
            nodes.push_back(builder.add_region(thread, nodes[random() % nodes.size()],
                                               texts[nodes.size() % 8], 1, 50));
        for (int i = 0; i < 5; i++) {
            Node& node = builder.at<Node>(nodes[random() % nodes.size()]);
            node.calls += 1 + random() % 9;
            node.inclusive_ticks += random() % 5000;
        }
        file.write(builder.contents());
        if (!tree)
            tree = std::make_unique<LiveTree>(file.found(), names);
        tree->refresh();
        calls.resize(names.paths.all().size());
        exclusive.resize(names.paths.all().size());
        tree->add_changes_to(calls, exclusive);
        LiveTree fresh(file.found(), names);
        fresh.refresh();
        std::vector<std::uint64_t> fresh_calls(calls.size());
        std::vector<double> fresh_exclusive(calls.size());
        fresh.add_to(fresh_calls, fresh_exclusive);
        CHECK(calls == fresh_calls);
        CHECK(tree->calls() == fresh.calls());
        for (std::size_t i = 0; i < exclusive.size(); i++)
            CHECK(exclusive[i] == Approx(fresh_exclusive[i]).epsilon(1e-3).margin(1e-9));
    }
}

TEST_CASE("a process is no longer watched if its number has been reused") {
    TreeFileBuilder builder;
    builder.add_thread();
    GrowingFile file;
    file.write(builder.contents());
    FoundProcess found = file.found();
    found.pid = getpid();  // which did not start one tick after boot
    LiveNames names;
    LiveProcess process(found, names);
    CHECK(process.refresh() == Presence::replaced);
    CHECK(process.problem().ends_with("has ended, and another process now has its id"));
}

TEST_CASE("ranks of one job, and other processes on the host") {
    const auto facts = [](std::uint32_t rank, bool uses_mpi, const char* program,
                          std::int64_t parent) {
        LiveFacts process;
        process.pid = 100 + rank;
        process.parent_pid = parent;
        process.uses_mpi = uses_mpi;
        process.rank = rank;
        process.ranks = uses_mpi ? 2 : 1;
        process.application = program;
        process.host = "n17";
        return process;
    };
    const LiveFacts first = facts(0, true, "heat", 50), second = facts(1, true, "heat", 50),
                    helper = facts(0, false, "watcher", 50), other = facts(1, true, "heat", 60);
    using Processes = std::vector<const LiveFacts*>;
    const JobMembers meant = members_of_job(Processes{&helper, &first, &second}, "");
    CHECK(meant.members == std::vector<std::size_t>{1, 2});
    CHECK(meant.jobs == std::vector<std::size_t>{1});
    CHECK(members_of_job(Processes{&first, &second, &other}, "").jobs.size() == 2);
    CHECK(members_of_job(Processes{&helper, &first}, "watcher").members ==
          std::vector<std::size_t>{0});
    CHECK(members_of_job(Processes{&first}, "ice").members.empty());
}
