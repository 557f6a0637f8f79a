// Addresses of samples: from the memory of a process to the profile of a job, and to JSON.
#include <catch2/catch.hpp>

#include "collate/merge_details.hpp"
#include "collate/profile_merger.hpp"
#include "collate/profile_message.hpp"
#include "collected_profile.hpp"
#include "json_errors.hpp"
#include "profile/addresses.hpp"
#include "profile/profile_json.hpp"
#include "readers/profile_json_reader.hpp"
#include "written_text.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// Rows of one thread.
struct Rows {
    explicit Rows(ThreadBuilder& of_thread) : thread(of_thread) {}
    void add(const Node& node, std::uintptr_t pc, std::uint64_t samples, std::uint64_t ticks,
             std::uint16_t module = 0) {
        AddressRow& row = rows.emplace_back(AddressRow{&node, pc, nullptr, samples, ticks, module});
        (rows.size() > 1 ? rows[rows.size() - 2].next_created : thread.record.addresses.first) =
            &row;
    }
    ThreadBuilder& thread;
    std::deque<AddressRow> rows;
};

std::vector<std::pair<std::uint64_t, std::uint64_t>> counts_of(const PathAddresses& row) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> counts;
    for (const AddressCount& address : row.addresses)
        counts.emplace_back(address.offset, address.samples);
    return counts;
}

using Counts = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

RankProfile rank_with_addresses(std::uint32_t rank, std::vector<std::string> modules,
                                const std::string& own, std::vector<AddressCount> addresses) {
    RankProfile made(rank);
    std::uint32_t module = no_index;
    for (const std::string& path : modules) {
        const std::uint32_t index = made.add_module(path);
        if (path == own)
            module = index;
    }
    const std::uint32_t path = made.add_path(0, made.add_function("f", module, 0x10), 0, 100, 100);
    made.profile.addresses.push_back({path, module, 100, std::move(addresses)});
    return made;
}

}  // namespace

TEST_CASE("addresses of samples of several threads") {
    ProcessBuilder process;
    process.load_module();
    ThreadBuilder &first = process.add_thread(), &second = process.add_thread();
    Node& a = first.region(first.root(), "work", 1, 9'000);
    Node& b = second.region(second.root(), "work", 1, 9'000);
    Rows of_first(first), of_second(second);
    of_first.add(a, 0x400020, 3, 300);
    of_first.add(a, 0x400010 | retired_bit, 2, 200);  // its module has been closed
    of_first.add(a, 0x7f0000001000, 1, 100, no_module);
    of_second.add(b, 0x400020, 4, 400);
    first.record.addresses.left_out = 5;
    second.record.addresses.left_out = 2;
    const Profile profile = collected(process);
    REQUIRE(profile.addresses.size() == 2);
    CHECK(profile.modules.at(profile.addresses[0].module).path == "/nowhere/program");
    CHECK(counts_of(profile.addresses[0]) == Counts{{0x10, 2}, {0x20, 7}});
    CHECK(profile.addresses[0].time_ns == 900);
    CHECK(profile.addresses[1].module == no_index);
    CHECK(counts_of(profile.addresses[1]) == Counts{{0x7f0000001000, 1}});
    REQUIRE(profile.run.notices.size() == 1);
    CHECK(profile.run.notices[0].code == NoticeCode::addresses_left_out);
    CHECK(profile.run.notices[0].arguments[0].number == 7);
    std::int64_t ns = 0;
    for (const SampledAddress& address : sampled_addresses(profile))
        ns += address.time_ns;
    CHECK(ns == 1'000);
    const std::string text = json_of(profile);
    CHECK(json_of(parse_profile_json(text)) == text);
}

TEST_CASE("addresses of several ranks, whose modules have other positions") {
    ProfileMerger merger;
    std::vector<std::uint32_t> path_of;
    const RankProfile ranks[] = {
        rank_with_addresses(0, {"/lib/c", "/bin/heat"}, "/bin/heat", {{0x20, 1}, {0x30, 2}}),
        rank_with_addresses(1, {"/bin/heat"}, "/bin/heat", {{0x20, 5}, {0x40, 1}}),
        rank_with_addresses(2, {}, "", {{0x20, 8}})};
    for (const RankProfile& rank : ranks)
        REQUIRE(merger
                    .add(encode_profile(rank.profile, details_of(rank.profile),
                                        rank.profile.run.rank, false),
                         path_of)
                    .ok);
    const Profile job = merger.finish(ranks[0].profile.run, 3);
    REQUIRE(job.addresses.size() == 2);
    CHECK(job.modules.at(job.addresses[0].module).path == "/bin/heat");
    CHECK(counts_of(job.addresses[0]) == Counts{{0x20, 6}, {0x30, 2}, {0x40, 1}});
    CHECK(job.addresses[0].time_ns == 200);
    CHECK(job.addresses[1].module == no_index);
    CHECK(counts_of(job.addresses[1]) == Counts{{0x20, 8}});
}
