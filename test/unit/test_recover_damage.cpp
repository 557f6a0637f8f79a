// Tree files that are incomplete, damaged or fabricated: whatever they contain, the result is a
// profile or an error.
#include "recover/recovered_profile.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "profile/profile_json.hpp"
#include "record/openmp_constructs.hpp"
#include "report/text_log.hpp"
#include "tree_file_builder.hpp"

using namespace vftrace;
using vftrace::test::TreeFileBuilder;
using Address = TreeFileBuilder::Address;

namespace {

// A small file with some of everything.
TreeFileBuilder whole_file() {
    TreeFileBuilder builder;
    builder.record().uses_mpi = 1;
    builder.record().ranks = 3;
    builder.record().rank = 1;
    const std::uint16_t module = builder.add_module("/nowhere/heat", 0x400000, 0x500000);
    const Address creator = builder.add_thread(4);
    const Address main = builder.add_node(creator, builder.root(creator), 0x401000,
                                          NodeKind::function, 1, 9'000'000);
    builder.at<Node>(main).module = module;
    const Address made = builder.add_node(creator, main, thread_key, NodeKind::thread);
    const Address parallel = builder.add_node(
        creator, main, openmp_key(OpenmpConstruct::parallel, 0x401080), NodeKind::openmp, 2, 10);
    const Address send = builder.add_node(creator, main, 9, NodeKind::mpi, 3, 1000);
    const Address alias = builder.add_node(creator, send, 0x401000, NodeKind::alias, 0, 5);
    builder.at<Node>(alias).last_callee = reinterpret_cast<Node*>(main);
    builder.add_node(creator, main, 0, NodeKind::pause, 1, 50);
    builder.add_message(creator, send, 2, 3, 300);
    const Address launch =
        builder.add_node(creator, main, builder.add_gpu_name(GpuApi::runtime, 211, "cuda", "_Z1kv"),
                         NodeKind::gpu, 3, 1000);
    const Address copy =
        builder.add_node(creator, main, builder.add_gpu_name(GpuApi::driver, 5, "cuCopy", nullptr),
                         NodeKind::gpu, 3, 1000);
    builder.add_gpu_work(launch, "_Z1kv", GpuWork::kernel, 3);
    builder.add_gpu_work(copy, nullptr, GpuWork::host_to_device, 2);
    builder.add_gpu_work(0, "_Z1gv", GpuWork::kernel, 1);
    builder.add_gpu_stream({0, 1, 7, 3, 300, 2, 200, 16, 1'000, 9'000, nullptr});
    builder.add_gpu_stream({0, 1, 8, 3, 300, 2, 200, 16, 1'000, 9'000, nullptr});
    builder.add_gpu_device({0, "GPU", 300, 200, 100, 1'000, 9'000, nullptr});
    builder.add_gpu_device({1, "GPU", 300, 200, 100, 1'000, 9'000, nullptr});
    builder.open_frame(creator, main, 2'000'000);
    builder.open_frame(creator, send, 3'000'000);
    builder.start_piece();
    const Address worker = builder.add_thread(2);
    const Address graft = builder.add_graft(worker, builder.root(worker), made, 800);
    builder.add_region(worker, graft, "work", 5, 700);
    builder.add_graft(worker, graft, parallel, 20);
    builder.at<ThreadRecord>(worker).start = reinterpret_cast<const Node*>(made);
    std::strcpy(builder.at<ThreadRecord>(worker).name, "worker");
    return builder;
}

// Does the same with the file as the command. True if this yields a profile.
bool recover(const std::vector<char>& contents) {
    try {
        const FileImage image(contents, "the file");
        RecoveredProcess process(image);
        const Profile profile = recovered_profile(process, Occasion::end, 0);
        OutputFile nowhere("/dev/null");
        write_text_log(profile, report_options(options_of(process.record())), LogScope::rank,
                       nowhere);
        write_profile_json(profile, "/dev/null");
        return true;
    } catch (const TreeFileError&) {
        return false;
    }
}

}  // namespace

TEST_CASE("the whole file can be recovered") { CHECK(recover(whole_file().contents())); }

TEST_CASE("every byte of a tree file may be wrong") {
    const std::vector<char> whole = whole_file().contents();
    std::vector<char> damaged = whole;
    for (std::size_t i = 0; i < whole.size(); i++) {
        // In words that are zero, changing the first byte is enough.
        if (whole[i] == 0 && i % 8 != 0)
            continue;
        for (int pattern : {0xff, 0x01, 0x40}) {
            damaged[i] = static_cast<char>(whole[i] ^ pattern);
            recover(damaged);
        }
        damaged[i] = whole[i];
    }
    CHECK(recover(whole));
}

TEST_CASE("a tree file may end anywhere") {
    const std::vector<char> whole = whole_file().contents();
    for (std::size_t length = 0; length < whole.size(); length += 1 + length / 1024) {
        const bool recovered = recover({whole.begin(), whole.begin() + static_cast<long>(length)});
        CHECK(recovered == (length >= sizeof(ProcessRecord)));
    }
}

TEST_CASE("every pointer of a tree file may lead elsewhere") {
    TreeFileBuilder builder = whole_file();
    const std::vector<char> whole = builder.contents();
    std::mt19937_64 random(4);
    const std::size_t words = whole.size() / sizeof(std::uint64_t);
    std::vector<std::uint64_t> addresses;  // of everything in the file
    for (const FileExtent& extent : builder.record().first_extents)
        for (std::uint64_t place = 0; place < extent.bytes; place += 8)
            addresses.push_back(extent.address + place);
    for (int round = 0; round < 3000; round++) {
        std::vector<char> damaged = whole;
        for (std::uint64_t i = 0, count = 1 + random() % 20; i < count; i++) {
            // Only words that are not zero are worth changing.
            std::size_t word;
            std::uint64_t old;
            do {
                word = random() % words;
                std::memcpy(&old, damaged.data() + word * sizeof old, sizeof old);
            } while (old == 0 && random() % 64 != 0);
            const std::uint64_t value =
                random() % 8 == 0 ? random() : addresses[random() % addresses.size()];
            std::memcpy(damaged.data() + word * sizeof value, &value, sizeof value);
        }
        recover(damaged);
    }
    CHECK(recover(whole));
}

TEST_CASE("circular grafts come to an end") {
    TreeFileBuilder builder;
    const Address first = builder.add_thread();
    const Address second = builder.add_thread();
    const Address a = builder.add_graft(first, builder.root(first), 0);
    const Address b = builder.add_graft(second, builder.root(second), a);
    const Address below = builder.add_region(second, b, "below");
    builder.at<Node>(a).key = below;
    CHECK(recover(builder.contents()));
    builder.at<Node>(a).key = a;
    CHECK(recover(builder.contents()));
}

TEST_CASE("times that do not fit into a profile") {
    TreeFileBuilder builder;
    const Address thread = builder.add_thread();
    Address parent = builder.root(thread);
    for (int i = 0; i < 50; i++) {
        builder.add_region(thread, parent, "sibling " + std::to_string(i), ~std::uint64_t{0},
                           ~std::uint64_t{0});
        parent = builder.add_region(thread, parent, "level", ~std::uint64_t{0}, ~std::uint64_t{0});
    }
    builder.open_frame(thread, parent, ~std::uint64_t{0});
    builder.record().end_ticks = ~std::uint64_t{0} - 1;
    builder.record().hook_costs.timed = {1e300, -1e300, 1e300};
    builder.record().start_unix_ns = -1;
    builder.record().state = ProcessState::signal;
    builder.record().end_code = -5;
    for (std::uint8_t processor_ticks : {0, 1}) {
        builder.record().processor_ticks = processor_ticks;
        CHECK(recover(builder.contents()));
    }
}
