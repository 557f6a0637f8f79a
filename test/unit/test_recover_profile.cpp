// The profile made from a tree file: how and when the process ended, and the ranks of a job.
#include "recover/recovered_profile.hpp"

#include <catch2/catch.hpp>

#include "recover/process_clock.hpp"
#include "recover/tree_files.hpp"
#include "tree_file_builder.hpp"

using namespace vftrace;
using vftrace::test::TreeFileBuilder;
using Address = TreeFileBuilder::Address;

namespace {

// 3 s after its start main calls work for the second time; this is the last sign of the process.
TreeFileBuilder killed_process() {
    TreeFileBuilder builder;
    const Address thread = builder.add_thread();
    const Address main = builder.add_region(thread, builder.root(thread), "main");
    const Address work = builder.add_region(thread, main, "work", 2, 1'000'000'000);
    builder.open_frame(thread, main, builder.record().start.ticks);
    builder.open_frame(thread, work, builder.record().start.ticks + 3'000'000'000);
    return builder;
}

Profile profile_of(TreeFileBuilder& builder, Occasion occasion = Occasion::end) {
    RecoveredProcess process(FileImage(builder.contents(), "the file"));
    return recovered_profile(process, occasion, 0);
}

Profile profile_of_rank(std::uint32_t rank, std::uint32_t ranks, int signal) {
    TreeFileBuilder builder = killed_process();
    builder.record().uses_mpi = 1;
    builder.record().rank = rank;
    builder.record().ranks = ranks;
    if (signal) {
        builder.record().state = ProcessState::signal;
        builder.record().end_code = signal;
    }
    return profile_of(builder);
}

Profile merged(std::vector<Profile>& profiles) {
    std::vector<Profile*> pointers;
    for (Profile& profile : profiles)
        pointers.push_back(&profile);
    return merged_profile(pointers, Options());
}

const Path& path_of(const Profile& profile, const std::string& name) {
    for (const Path& path : profile.paths)
        if (profile.functions[path.function].name == name)
            return path;
    throw std::out_of_range(name);
}

}  // namespace

TEST_CASE("how a process ended") {
    TreeFileBuilder builder = killed_process();
    auto ended = [&](ProcessState state, int code) {
        builder.record().state = state;
        builder.record().end_code = code;
        return profile_of(builder).run.ended;
    };
    CHECK(ended(ProcessState::running, 0) == "SIGKILL or a machine failure");
    CHECK(ended(ProcessState::signal, 11) == "signal 11 (Segmentation fault)");
    CHECK(ended(ProcessState::signal, 40) == "signal 40");
    CHECK(ended(ProcessState::exit_call, 3) == "_exit with status 3");
    CHECK(ended(ProcessState::writing, 0) ==
          "SIGKILL or a machine failure, while it was writing its profile");
    CHECK(ended(static_cast<ProcessState>(77), 0) == "SIGKILL or a machine failure");
}

TEST_CASE("the time of a process that was killed ends with its last trace") {
    TreeFileBuilder builder = killed_process();
    const Profile profile = profile_of(builder);
    CHECK(profile.run.runtime_ns == 3'000'000'000);
    CHECK(profile.run.end_unix_ns == profile.run.start_unix_ns + 3'000'000'000);
    CHECK(path_of(profile, "main").inclusive_ns == 3'000'000'000);
    CHECK(path_of(profile, "work").inclusive_ns == 1'000'000'000);
    CHECK(path_of(profile, "work").calls == 2);
    CHECK(profile.run.notices.empty());
    CHECK(profile.run.snapshot == false);
}

TEST_CASE("the time of a process that recorded its end lasts until then") {
    TreeFileBuilder builder = killed_process();
    builder.record().state = ProcessState::signal;
    builder.record().end_code = 15;
    builder.record().end_ticks = builder.record().start.ticks + 5'000'000'000;
    builder.record().end_unix_ns = builder.record().start_unix_ns + 5'100'000'000;
    const Profile profile = profile_of(builder);
    CHECK(profile.run.runtime_ns == 5'000'000'000);
    CHECK(profile.run.end_unix_ns == builder.record().end_unix_ns);
    CHECK(path_of(profile, "work").inclusive_ns == 3'000'000'000);
}

TEST_CASE("the length of a tick of another machine") {
    TreeFileBuilder builder = killed_process();
    builder.record().processor_ticks = 1;
    const std::uint64_t start = builder.record().start.ticks;
    builder.record().latest = {start + 2'000'000'000, builder.record().start.ns + 1'000'000'000};
    RecoveredProcess process(FileImage(builder.contents(), "the file"));
    ProcessClock clock(process.record(), process.latest_ticks(), false);
    CHECK(clock.ns_per_tick() == Approx(0.5));
    CHECK(clock.rate_is_known());
    CHECK(clock.run_time_ns() == 1'500'000'000);
    // There is nothing to compare the clock with.
    builder.record().latest = builder.record().start;
    RecoveredProcess short_lived(FileImage(builder.contents(), "the file"));
    CHECK_FALSE(
        ProcessClock(short_lived.record(), short_lived.latest_ticks(), false).rate_is_known());
    CHECK(profile_of(builder).run.notices.size() == 1);
}

TEST_CASE("a tree file that could not grow") {
    TreeFileBuilder builder = killed_process();
    builder.record().incomplete = 1;
    const Profile profile = profile_of(builder);
    REQUIRE(profile.run.notices.size() == 1);
    CHECK_THAT(full_sentence(profile.run.notices[0]),
               Catch::StartsWith("The tree file could not grow"));
}

TEST_CASE("the configuration of the process") {
    TreeFileBuilder builder;
    builder.set_text(&ProcessRecord::config_text, R"({"json": false, "max_recursion": 3})");
    RecoveredProcess process(FileImage(builder.contents(), "the file"));
    CHECK_FALSE(options_of(process.record()).json);
    CHECK(options_of(process.record()).max_recursion == 3);
    builder.set_text(&ProcessRecord::config_text, "{]");
    RecoveredProcess damaged(FileImage(builder.contents(), "the file"));
    CHECK(options_of(damaged.record()).json);
}

TEST_CASE("ranks become the profile of a job") {
    std::vector<Profile> profiles;
    for (std::uint32_t rank = 0; rank < 3; rank++)
        profiles.push_back(profile_of_rank(rank, 3, rank == 1 ? 11 : 15));
    const Profile job = merged(profiles);
    CHECK(path_of(job, "work").calls == 6);
    CHECK(job.run.ranks == 3);
    CHECK(job.ranks.size() == 3);
    CHECK(job.run.ended ==
          "signal 15 (Terminated) (ranks 0, 2); signal 11 (Segmentation fault) (rank 1)");
    CHECK(job.run.notices.empty());
    for (const Profile& rank : profiles)
        CHECK(path_of(rank, "work").stid == path_of(job, "work").stid);
}

TEST_CASE("ranks that are missing are named") {
    std::vector<Profile> profiles;
    profiles.push_back(profile_of_rank(1, 4, 0));
    profiles.push_back(profile_of_rank(2, 4, 0));
    const Profile job = merged(profiles);
    CHECK(job.run.ranks == 4);
    CHECK(job.run.ended == "SIGKILL or a machine failure");
    REQUIRE(job.run.notices.size() == 1);
    CHECK(full_sentence(job.run.notices[0]) ==
          "2 of 4 ranks are in this profile: ranks 0, 3 did not have a tree file here.");
    profiles.assign(1, profile_of_rank(7, 4'000'000'000u, 0));
    CHECK(full_sentence(merged(profiles).run.notices[0]) ==
          "1 of 4000000000 ranks are in this profile: all others did not have a tree file here.");
}

TEST_CASE("the process in the name of a tree file") {
    CHECK(pid_in_tree_file_name("vftrace-1000-4711-18ea08e1.tree") == 4711);
    for (const char* name : {"", "vftrace-.tree", "vftrace-1000-x-1.tree", "vftrace-1000-1.tree",
                             "vftrace--1-1-1.tree", "heat_all.log", "vftrace-1-2-3-4.tree",
                             "vftrace-1000-99999999999999999999-1.tree"})
        CHECK_FALSE(pid_in_tree_file_name(name));
}
