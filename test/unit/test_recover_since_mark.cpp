// Figures that count from a mark: two states of one tree file, and what happened between them.
#include <map>
#include <utility>

#include <catch2/catch.hpp>

#include "collation_job.hpp"
#include "collected_profile.hpp"
#include "recover/recovered_profile.hpp"
#include "tree_file_builder.hpp"

using namespace vftrace;
using namespace vftrace::test;
using Address = TreeFileBuilder::Address;

namespace {

// A process of which a mark is made; what is changed afterwards has happened since the mark.
struct MarkedFile : TreeFileBuilder {
    MarkedFile() {
        thread = add_thread();
        main = add_region(thread, root(thread), "main", 1);
        step = add_region(thread, main, "step", 10, 1'000'000);
        open_frame(thread, main, 1'000'000);
    }
    void mark() {
        record().latest = {11'000'000, 11'000'000};
        record().end_ticks = 11'000'000;
        marked = contents();
    }
    // The profile of what has happened from the mark until tick 21,000,000; a tick is a nanosecond.
    Profile since_mark() {
        record().latest = {21'000'000, 21'000'000};
        record().end_ticks = 21'000'000;
        RecoveredProcess process(FileImage(contents(), "the file"));
        const RecoveredProcess then(FileImage(marked, "its mark"));
        process.count_from(then);
        CHECK(process.left_out() == 0);
        return recovered_profile(process, Occasion::end, 0);
    }
    Address thread, main, step;
    std::vector<char> marked;
};

}  // namespace

TEST_CASE("calls and times since a mark") {
    MarkedFile file;
    file.mark();
    file.at<Node>(file.step).calls += 5;
    file.at<Node>(file.step).inclusive_ticks += 2'000'000;
    const Profile profile = file.since_mark();
    CHECK(path_named(profile, "step<main<init").calls == 5);
    CHECK(path_named(profile, "step<main<init").inclusive_ns == 2'000'000);
    CHECK(path_named(profile, "main<init").calls == 0);
    CHECK(path_named(profile, "main<init").inclusive_ns == 10'000'000);
}

TEST_CASE("the start of an open call that the library has moved since the mark") {
    MarkedFile file;
    SECTION("by less than the call had lasted") {
        file.mark();
        file.close_frame(file.thread);
        file.open_frame(file.thread, file.main, 1'300'000);
    }
    SECTION("beyond the mark, as by a long pause") {
        file.mark();
        file.close_frame(file.thread);
        file.open_frame(file.thread, file.main, 11'300'000);
        CHECK_FALSE(has_path(file.since_mark(), "main<init"));
        return;
    }
    CHECK(path_named(file.since_mark(), "main<init").inclusive_ns == 9'700'000);
}

TEST_CASE("a call of the same path that began after the mark") {
    MarkedFile file;
    file.open_frame(file.thread, file.step, 9'000'000);
    file.mark();
    file.at<Node>(file.step).calls += 1;
    file.at<Node>(file.step).inclusive_ticks += 4'000'000;  // 2'000'000 of them before the mark
    file.close_frame(file.thread);
    file.open_frame(file.thread, file.step, 15'000'000);
    const Profile profile = file.since_mark();
    CHECK(path_named(profile, "step<main<init").calls == 1);
    CHECK(path_named(profile, "step<main<init").inclusive_ns == 2'000'000 + 6'000'000);
}

TEST_CASE("messages since a mark") {
    MarkedFile file;
    file.record().ranks = 8;
    file.record().uses_mpi = 1;
    const Address send = file.add_node(file.thread, file.main, 0, NodeKind::mpi, 3, 300);
    file.add_message(file.thread, send, 1, 3, 24);
    file.add_message(file.thread, send, 2, 4, 32);
    file.mark();
    const Address first = reinterpret_cast<Address>(
        file.at<ThreadMessages>(
                reinterpret_cast<Address>(file.at<ThreadRecord>(file.thread).messages))
            .first);
    file.at<MessageEntry>(first).sent.messages += 7;
    file.at<MessageEntry>(first).sent.bytes += 700;
    file.add_message(file.thread, send, 5, 2, 20);
    const Profile profile = file.since_mark();
    // Rank 2 has had no messages since.
    std::map<std::int32_t, std::pair<std::uint64_t, std::uint64_t>> sent;
    for (const PeerMessages& row : profile.matrix)
        sent[row.peer] = {row.sent.messages, row.sent.bytes};
    CHECK(sent == decltype(sent){{1, {7, 700}}, {5, {2, 20}}});
}

TEST_CASE("GPU work since a mark") {
    MarkedFile file;
    const Address launch =
        file.add_node(file.thread, file.main,
                      file.add_gpu_name(GpuApi::runtime, 211, "cudaLaunchKernel", "_Z4workPf"),
                      NodeKind::gpu, 10, 100);
    const Address copy = file.add_node(
        file.thread, file.main, file.add_gpu_name(GpuApi::runtime, 31, "cudaMemcpy", nullptr),
        NodeKind::gpu, 2, 50);
    const Address kernels = file.add_gpu_work(launch, "_Z4workPf", GpuWork::kernel, 10);
    file.add_gpu_work(copy, nullptr, GpuWork::device_to_host, 2);
    const Address stream =
        file.add_gpu_stream({1, 2, 7, 10, 1'000, 2, 200, 16, 1'000, 9'000, nullptr});
    const Address device =
        file.add_gpu_device({1, "NVIDIA H200", 1'000, 200, 100, 1'000, 9'000, nullptr});
    file.mark();
    file.at<GpuPathWork>(kernels).count += 4;
    file.at<GpuPathWork>(kernels).ns += 4'000;
    file.at<GpuStream>(stream).kernels += 4;
    file.at<GpuStream>(stream).kernel_ns += 4'000;
    file.at<GpuDevice>(device).kernel_ns += 4'000;
    const Profile profile = file.since_mark();
    REQUIRE(profile.gpu_work.size() == 1);  // no copies since
    CHECK(profile.gpu_work[0].work == GpuWork::kernel);
    CHECK(profile.gpu_work[0].count == 4);
    CHECK(profile.gpu_work[0].ns == 4'000);
    REQUIRE(profile.gpu_streams.size() == 1);
    CHECK(profile.gpu_streams[0].kernels == 4);
    CHECK(profile.gpu_streams[0].kernel_ns == 4'000);
    CHECK(profile.gpu_streams[0].copies == 0);
    REQUIRE(profile.gpu_devices.size() == 1);
    CHECK(profile.gpu_devices[0].kernel_ns == 4'000);
    CHECK(profile.gpu_devices[0].copy_ns == 0);
}
