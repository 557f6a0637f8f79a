// GPU data read back from the tree file of a process.
#include <catch2/catch.hpp>

#include "collation_job.hpp"
#include "record/openacc_events.hpp"
#include "recover/recovered_profile.hpp"
#include "tree_file_builder.hpp"

using namespace vftrace;
using namespace vftrace::test;
using Address = TreeFileBuilder::Address;

namespace {

struct GpuFile : TreeFileBuilder {
    GpuFile() {
        thread = add_thread();
        main = add_region(thread, root(thread), "main", 1, 9'000);
        launch_name = add_gpu_name(GpuApi::runtime, 211, "cudaLaunchKernel", "_Z4workPf");
        copy_name = add_gpu_name(GpuApi::runtime, 31, "cudaMemcpy", nullptr);
        launch = add_node(thread, main, launch_name, NodeKind::gpu, 10, 100);
        copy = add_node(thread, main, copy_name, NodeKind::gpu, 2, 50);
        add_gpu_work(launch, "_Z4workPf", GpuWork::kernel, 10);
        add_gpu_work(copy, nullptr, GpuWork::device_to_host, 2);
        add_gpu_stream({1, 2, 7, 10, 1'000, 2, 200, 16, 1'000, 9'000, nullptr});
        add_gpu_device({1, "NVIDIA H200", 1'000, 200, 100, 1'000, 9'000, nullptr});
    }
    Address thread, main, launch_name, copy_name, launch, copy;
};

struct Recovered {
    explicit Recovered(TreeFileBuilder& builder)
        : process(FileImage(builder.contents(), "the file")),
          profile(recovered_profile(process, Occasion::end, 0)) {}
    RecoveredProcess process;
    Profile profile;
};

template <class Element>
std::size_t length(const Element* list) {
    std::size_t elements = 0;
    for (; list; list = list->next_created)
        elements++;
    return elements;
}

}  // namespace

TEST_CASE("GPU work of a dead process") {
    GpuFile file;
    file.gpu().dropped = 3;
    const Recovered recovered(file);
    CHECK(recovered.process.left_out() == 0);
    const Profile& profile = recovered.profile;
    CHECK(path_named(profile, "_Z4workPf<main<init").calls == 10);
    CHECK(path_named(profile, "cudaMemcpy<main<init").calls == 2);
    REQUIRE(profile.gpu_work.size() == 2);
    CHECK(profile.functions[profile.gpu_work[0].function].display == "work");
    CHECK(profile.gpu_work[0].count == 10);
    CHECK(profile.gpu_work[0].waited_ns == 70);
    CHECK(profile.gpu_work[1].work == GpuWork::device_to_host);
    CHECK(profile.gpu_work[1].bytes == 16);
    REQUIRE(profile.gpu_functions.size() == 2);
    CHECK(profile.gpu_functions[1].name == "cudaLaunchKernel");
    REQUIRE(profile.gpu_streams.size() == 1);
    CHECK(profile.gpu_streams[0].span_ns == 8'000);
    REQUIRE(profile.gpu_devices.size() == 1);
    CHECK(profile.gpu_devices[0].name == "NVIDIA H200");
    CHECK(profile.run.visible_gpus.empty());
}

TEST_CASE("lost names of calls") {
    GpuFile file;
    file.at<Node>(file.launch).key = 0x1234;
    file.at<GpuCallName>(file.copy_name).function = nullptr;
    const Recovered recovered(file);
    CHECK(recovered.process.left_out() > 0);
    // Two functions; CUPTI's number is known for one of them.
    CHECK(recovered.profile.paths.size() == 4);
    for (std::uint32_t path : {2u, 3u})
        CHECK(path_name(recovered.profile, path) == "(name lost)<main<init");
    CHECK(recovered.profile.gpu_work.size() == 2);
}

TEST_CASE("work of a process that has recorded no path") {
    TreeFileBuilder file;
    for (const char* kernel : {"_Z4workPf", "_Z4playPf", "_Z4restPf"})
        file.add_gpu_work(0, kernel, GpuWork::kernel, 1);
    const Recovered recovered(file);
    const Profile& profile = recovered.profile;
    REQUIRE(profile.functions.size() == 4);
    CHECK(profile.functions[profile.paths[0].function].display == "init");
    REQUIRE(profile.gpu_work.size() == 3);
    CHECK(profile.functions[profile.gpu_work[2].function].display == "rest");
}

TEST_CASE("circular lists of GPU work come to an end") {
    GpuFile file;
    file.at<GpuCallName>(file.copy_name).next_created =
        reinterpret_cast<GpuCallName*>(file.launch_name);
    const Address work = file.add_gpu_work(file.copy, nullptr, GpuWork::memset, 1);
    file.at<GpuPathWork>(work).next_created = reinterpret_cast<GpuPathWork*>(work);
    const Address device = file.add_gpu_device({});
    file.at<GpuDevice>(device).next_created = reinterpret_cast<GpuDevice*>(device);
    const Recovered recovered(file);
    CHECK(length(recovered.process.record().gpu->names) == 2);
    CHECK(recovered.profile.gpu_work.size() == 3);
}

TEST_CASE("a list ends where it becomes unreadable, and work of an unknown kind is left out") {
    GpuFile file;
    file.add_gpu_work(file.copy, nullptr, GpuWork{99}, 1);
    const Address last = file.add_gpu_work(0, nullptr, GpuWork::memset, 1);
    file.at<GpuPathWork>(last).next_created = reinterpret_cast<GpuPathWork*>(0x5678);
    file.at<GpuDevice>(file.add_gpu_device({})).number = 5;
    const Recovered recovered(file);
    CHECK(recovered.process.left_out() == 2);
    CHECK(recovered.profile.gpu_work.size() == 3);
    file.record().gpu = reinterpret_cast<GpuRecord*>(0x9abc);
    const Recovered without(file);
    CHECK(without.profile.gpu_work.empty());
    CHECK(path_named(without.profile, "cudaMemcpy<main<init").calls == 2);
}

namespace {

struct OffloadFile : TreeFileBuilder {
    OffloadFile() {
        thread = add_thread();
        const Address main = add_region(thread, root(thread), "main", 1, 9'000);
        name = add_openacc_name(openacc_callback(14, 7), "openacc_5_7_update", "src/a.c", 5, "f_");
        update = add_node(thread, main, name, NodeKind::gpu, 3, 100);
        add_transfers(update, {nullptr, 0, {3, 0, 0}, {300, 0, 0}, nullptr});
        add_transfers(update, {nullptr, 1, {1, 0, 2}, {11, 0, 22}, nullptr});
        add_construct_device({ProgrammingModel::openacc, 0, 1, nullptr});
    }
    Address thread, name, update;
};

}  // namespace

TEST_CASE("data moved by constructs of a dead process") {
    OffloadFile file;
    const Recovered recovered(file);
    CHECK(recovered.process.left_out() == 0);
    const Profile& profile = recovered.profile;
    const Path& path = path_named(profile, "openacc_5_7_update<main<init");
    CHECK(path.calls == 3);
    const Function& function = profile.functions[path.function];
    CHECK(function.file == "src/a.c");
    CHECK(function.line == 5);
    CHECK(function.symbol == "f_");
    CHECK(openacc_last_line(function.offset) == 7);
    REQUIRE(profile.transfers.size() == 1);  // devices are added up
    CHECK(profile.transfers[0].to_device.count == 4);
    CHECK(profile.transfers[0].to_device.bytes == 311);
    CHECK(profile.transfers[0].on_device.bytes == 22);
    REQUIRE(profile.construct_devices.size() == 1);
    CHECK(profile.construct_devices[0].number == 1);
    CHECK(profile.gpu_functions.empty());
}

TEST_CASE("damaged constructs") {
    OffloadFile file;
    file.at<GpuCallName>(file.name).callback = 99;  // no event
    file.at<GpuCallName>(file.name).file = reinterpret_cast<const char*>(0x1234);
    file.add_transfers(0x5678, {});
    const Address device = file.add_construct_device({ProgrammingModel{77}, 200, 2, nullptr});
    file.at<ConstructDevice>(device).next_created = reinterpret_cast<ConstructDevice*>(device);
    const Recovered recovered(file);
    const Profile& profile = recovered.profile;
    CHECK(path_named(profile, "openacc_5_7_update<main<init").calls == 3);
    CHECK(profile.transfers.size() == 1);
    CHECK(profile.construct_devices.size() == 1);
}
