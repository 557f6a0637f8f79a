// The bytes that ranks send each other: the same on every machine, and harmless if damaged.
#include <catch2/catch.hpp>

#include <limits>

#include "collate/profile_merger.hpp"
#include "collate/profile_message.hpp"
#include "collation_job.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

std::vector<char> message_of(const Profile& profile, std::uint32_t rank) {
    return encode_profile(profile, details_of(profile), rank, true);
}

bool merges(const std::vector<char>& message) {
    // A copy of exactly its size, so that the address sanitizer sees a read after it.
    std::vector<char> exact(message);
    exact.shrink_to_fit();
    ProfileMerger merger;
    std::vector<std::uint32_t> path_of;
    if (!merger.add(exact, path_of).ok)
        return false;
    merger.encode(false);
    merger.finish({}, 2);
    return true;
}

std::vector<char> merged_message() {
    ProfileMerger merger;
    for (std::uint32_t rank = 0; rank < 3; rank++) {
        std::vector<std::uint32_t> path_of;
        REQUIRE(merger.add(message_of(random_profile(rank, 3, 11), rank), path_of).ok);
    }
    return merger.encode(true);
}

template <class Value>
Value through_bytes(Value value) {
    ByteWriter out;
    if constexpr (std::is_same_v<Value, double>)
        out.real(value);
    else if constexpr (std::is_signed_v<Value>)
        out.signed_number(value);
    else
        out.number(value);
    std::vector<char> bytes = out.take();
    ByteReader in(bytes);
    Value read;
    if constexpr (std::is_same_v<Value, double>)
        read = in.real();
    else if constexpr (std::is_signed_v<Value>)
        read = in.signed_number();
    else
        read = in.number();
    CHECK(in.complete());
    return read;
}

}  // namespace

TEST_CASE("numbers of all lengths survive as bytes") {
    for (int bit = 0; bit < 64; bit++)
        for (int difference : {-1, 0, 1}) {
            std::uint64_t value =
                (std::uint64_t{1} << bit) + static_cast<std::uint64_t>(difference);
            CHECK(through_bytes(value) == value);
            CHECK(through_bytes(static_cast<std::int64_t>(value)) ==
                  static_cast<std::int64_t>(value));
        }
    CHECK(through_bytes(std::numeric_limits<double>::denorm_min()) ==
          std::numeric_limits<double>::denorm_min());
    CHECK(through_bytes(-std::numeric_limits<double>::infinity()) ==
          -std::numeric_limits<double>::infinity());
}

TEST_CASE("invalid numbers are refused") {
    auto fails = [](std::vector<unsigned char> bytes, auto read) {
        std::vector<char> data(bytes.begin(), bytes.end());
        ByteReader in(data);
        read(in);
        return in.failed();
    };
    auto number = [](ByteReader& in) { in.number(); };
    CHECK(fails({}, number));
    CHECK(fails({0x80}, number));
    CHECK(fails({255, 255, 255, 255, 255, 255, 255, 255, 255, 2}, number));  // 65 bits
    CHECK_FALSE(fails({255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, number));
    CHECK(fails({128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0}, number));
    CHECK(fails({0x80, 0x80, 0x80, 0x80, 0x10}, [](ByteReader& in) { in.number32(); }));  // 2^32
    CHECK(fails({3}, [](ByteReader& in) { in.index(3); }));
    CHECK(fails({3, 'a', 'b'}, [](ByteReader& in) { in.text(); }));
    CHECK(fails({2, 0, 0, 0}, [](ByteReader& in) { in.count(2); }));
    CHECK_FALSE(fails({2, 0, 0, 0, 0}, [](ByteReader& in) { in.count(2); }));
}

// Fault 11.2.1 of Vftrace 2.0: records were sent as structures, and the last 4 bytes of each were
// lost with the padding.
TEST_CASE("no byte of a remote rank's records is lost to padding") {
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < 2; rank++)
        own.push_back(RankProfile(rank).profile);
    RankProfile made(1);
    made.add_path(0, made.add_function("MPI_Recv", no_index, 0, NodeKind::mpi), 0x0102030405060708,
                  0x1112131415161718, 0x2122232425262728);
    const std::uint32_t tiny = made.add_function("tiny", no_index, 0x99);
    Profile& remote = own[1] = made.profile;
    remote.paths[1].overhead_ns = 4'290'000'000'123;
    remote.paths[1].flags = 0x81828384;
    remote.paths[1].raw_inclusive_ns = 0x1213141516171819;
    remote.paths[1].exclusive_error_ns = 0x1314151617181920;
    remote.filtered = {{tiny, 0x0203040506070809, 0x0304050607080910, 0x0405060708091011,
                        0x0506070809101112, FilterReason::excluded, true}};
    MessageFigures received = {0x3132333435363738, 0x4142434445464748, 0x5152535455565758, 1e9 / 3};
    remote.messages = {{1, {}, received}};
    remote.matrix = {{1, -1, 1, received, {}}};
    remote.message_sizes[64] = {0x6162636465666768, 0x7172737475767778};
    remote.ranks = {{1, "node", -2, 0x80000001, 3, 0x0102030405060708, 5, 6, 0x0807060504030201}};

    Profile job = collate(own).job;
    const Path& path = path_named(job, "MPI_Recv<init");
    CHECK(path.calls == 0x0102030405060708);
    CHECK(path.inclusive_ns == 0x1112131415161718);
    CHECK(path.exclusive_ns == 0x2122232425262728);
    CHECK(path.overhead_ns == 4'290'000'000'123);
    CHECK(path.flags == 0x81828384);
    CHECK(path.raw_inclusive_ns == 0x1213141516171819);
    CHECK(path.exclusive_error_ns == 0x1314151617181920);
    REQUIRE(job.filtered.size() == 1);
    CHECK(job.functions[job.filtered[0].function].name == "tiny");
    CHECK(job.filtered[0].calls == 0x0203040506070809);
    CHECK(job.filtered[0].exclusive_ns == 0x0304050607080910);
    CHECK(job.filtered[0].overhead_ns == 0x0405060708091011);
    CHECK(job.filtered[0].moment_ns == 0x0506070809101112);
    CHECK(job.filtered[0].reason == FilterReason::excluded);
    CHECK(job.filtered[0].still_called);
    REQUIRE(job.messages.size() == 1);
    CHECK(job.messages[0].received.messages == received.messages);
    CHECK(job.messages[0].received.bytes == received.bytes);
    CHECK(job.messages[0].received.ns == received.ns);
    CHECK(job.messages[0].received.bandwidth_sum == 1e9 / 3);
    REQUIRE(job.matrix.size() == 1);
    CHECK(job.matrix[0].peer == unknown_peer);
    CHECK(job.matrix[0].sent.bandwidth_sum == 1e9 / 3);
    CHECK(job.message_sizes[64].sent == 0x6162636465666768);
    CHECK(job.message_sizes[64].received == 0x7172737475767778);
    REQUIRE(job.ranks.size() == 1);
    CHECK(job.ranks[0].pid == -2);
    CHECK(job.ranks[0].threads == 0x80000001);
    CHECK(job.ranks[0].overhead_ns == 0x0102030405060708);
    CHECK(job.ranks[0].calls == 0x0807060504030201);
}

TEST_CASE("a message has the same bytes on every machine") {
    RankProfile made(3);
    made.add_path(0, made.add_function("main", made.add_module("/p"), 0x1234), 300, -1, 64);
    made.profile.run.memory_bytes = 128;
    const unsigned char expected[] = {
        18,  'v', 'f', 't',  'r', 'a', 'c', 'e', ' ',  'p',  'r', 'o', 'f',
        'i', 'l', 'e', ' ',  '2', '2',
        1,                 // need STIDs
        1,   128, 1,   1,  // threads, memory, MPI
        1,   1,            // processor time, and the part of it that is not in any row: -1, unknown
        0,                 // visible GPUs
        0,   0,            // parameters, those that ranks differ in: none
        0,   0,            // overhead, notices: none
        1,   2,   '/', 'p',  8,   'b', 'u', 'i', 'l',  'd',  '-', '/', 'p',  // modules
        1,   0,                                                              // source files
        2,   0,   0,   4,    'i', 'n', 'i', 't', 0,    6,    'i', 'n', 'i',
        't', '(', ')', 0,    0,  // functions
        1,   0,   4,   'm',  'a', 'i', 'n', 5,   'm',  'a',  'i', 'n', '_',
        6,   'm', 'a', 'i',  'n', '(', ')', 1,   0xb4, 0x24,  // ..., module, offset
        0,                                                    // filtered functions
        2,   0,   0,   0,    0,   0,   0,   0,   0,    0,    0,   0,   0,
        0,   0,   1,   3,  // paths: init, on rank 3
        1,   1,   0,   0xac, 2,   0,   0,   1,   128,  1,    0,   0,   0,
        0,   0,   0,   1,    3,  // main
        0,   0,   0,             // sizes, metrics, values by path
        0,   0,   0,             // messages, threads, loops of tasks
        0,   0,   0,             // parallel regions, metrics of ranks, of hosts
        0,   0,   0,             // waits for locks, places of allocations, placement of blocks
        0,                       // annotations for other tools
        0,   0,                  // calls with files, files
        0,   0,                  // addresses of samples, durations of calls
        0,   0,                  // regions of the report, what was sampled of them
        0,                       // series
        0,                       // sections of an earlier run
        0,   0,                  // transfers of constructs, their devices
        0,   0,   0,   0,        // GPUs: functions, work, streams, devices
        0,   0,                  // ranks, matrix
        0,   0,   0};            // waits by traces
    std::vector<char> message = message_of(made.profile, 3);
    CHECK(std::vector<unsigned char>(message.begin(), message.end()) ==
          std::vector<unsigned char>(std::begin(expected), std::end(expected)));
}

TEST_CASE("a message that is cut short anywhere is refused") {
    for (std::vector<char> message : {message_of(random_profile(1, 3, 10), 1), merged_message()}) {
        REQUIRE(merges(message));
        message.push_back(0);
        CHECK_FALSE(merges(message));  // and nothing may follow it
        message.pop_back();
        while (!message.empty()) {
            message.pop_back();
            if (merges(message))
                FAIL("a message of " << message.size() << " bytes was taken for a whole one");
        }
    }
}

TEST_CASE("damaged bytes do no harm") {
    std::vector<char> message = merged_message();
    std::mt19937 random(1);
    std::size_t refused = 0;
    for (std::size_t i = 0; i < message.size(); i++) {
        std::vector<char> damaged = message;
        damaged[i] = static_cast<char>(random());
        refused += !merges(damaged);
    }
    CHECK(refused > message.size() / 20);  // most hit a number or a text and cannot be noticed
    for (int round = 0; round < 1000; round++) {
        std::vector<char> damaged = message;
        for (int i = 0; i < 20; i++)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        merges(damaged);
        std::vector<char> noise(message.begin(), message.begin() + 19);
        for (std::size_t i = random() % 500; i > 0; i--)
            noise.push_back(static_cast<char>(random() >> random() % 24));
        merges(noise);
    }
}

TEST_CASE("records that contradict each other are refused") {
    RankProfile made(0);
    std::uint32_t main = made.add_function("main");
    made.add_path(0, main, 1);
    REQUIRE(merges(message_of(made.profile, 0)));
    auto refused = [&](auto change) {
        Profile profile = made.profile;
        change(profile);
        return !merges(message_of(profile, 0));
    };
    CHECK(refused([](Profile& p) { p.paths[1].parent = 1; }));  // its own parent
    CHECK(refused([](Profile& p) { p.paths[1].parent = 2; }));
    CHECK(refused([](Profile& p) { p.paths[1].function = 2; }));
    CHECK(refused([](Profile& p) { p.messages = {{2, {}, {}}}; }));
    CHECK(refused([](Profile& p) { p.matrix = {{0, 0, 2, {}, {}}}; }));
    // Two ranks whose paths start at different functions.
    ProfileMerger merger;
    std::vector<std::uint32_t> path_of;
    REQUIRE(merger.add(message_of(made.profile, 0), path_of).ok);
    made.profile.functions[0].name = "exit";
    CHECK_FALSE(merger.add(message_of(made.profile, 1), path_of).ok);
}
