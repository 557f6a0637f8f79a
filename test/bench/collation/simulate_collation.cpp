// Collates a job of many ranks in one process, each with 500 call paths, of which 400 are common to
// all ranks, and 100 peers.
//
//     simulate_collation RANKS [FUNCTIONS]
//
// FUNCTIONS: the number of a rank's own 100 paths that end in a function that no other rank has, at
// least 1; 20 if not given. A rank's profile exists only while the rank needs it, and ranks run in
// the order in which a tree is left (up) and entered (down), so memory never holds more than rank 0
// of a real job has, and the messages in transit to it. Prints one figure per line; seconds are
// processor time of the collation, without the creation of the profiles.
//
// Needs the library's core and test/unit/in_process_communicator.cpp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "collate/rank_collation.hpp"
#include "in_process_communicator.hpp"

using namespace vftrace;

namespace {

constexpr std::uint32_t shared_paths = 400, own_paths = 100, peers = 100;
constexpr std::uint32_t shared_functions = 200, mpi_functions = 8;
constexpr std::uint32_t most_ranks_with_values = 4096;  // the option's default

std::uint32_t add_function(Profile& profile, std::uint32_t unit, const char* name) {
    std::uint32_t number = static_cast<std::uint32_t>(profile.functions.size());
    Function& function = profile.functions.emplace_back();
    function.symbol = function.name =
        format("_ZN6solver%zu%sERKNS_5StateE", std::strlen(name), name);
    function.demangled = format("solver::%s(solver::State const&)", name);
    function.display = format("solver::%s", name);
    function.file = format("/home/user/solver/source/unit_%u.cpp", unit);
    function.line = 10 + number;
    function.module = 0;
    function.offset = 0x1000 + 64 * std::uint64_t{number};
    return number;
}

void add_path(Profile& profile, std::uint32_t parent, std::uint32_t function, std::uint32_t rank) {
    std::uint32_t number = static_cast<std::uint32_t>(profile.paths.size());
    Path& path = profile.paths.emplace_back();
    path.parent = parent;
    path.function = function;
    path.calls = 1 + number * 37u;
    path.exclusive_ns = 1'000'000 + (number * 7919 + rank * 104'729) % 1'000'000;
    path.inclusive_ns = 3 * path.exclusive_ns;
    path.overhead_ns = 25 * static_cast<std::int64_t>(path.calls);
}

// The same call tree on all ranks: paths up to about 9 levels deep.
void add_shared_paths(Profile& profile) {
    Function& init = profile.functions.emplace_back();
    init.name = init.display = "init";
    init.kind = NodeKind::root;
    for (std::uint32_t i = 1; i < shared_functions; i++)
        add_function(profile, i / 10, format("shared_function_%u", i).c_str());
    for (std::uint32_t i = 0; i < mpi_functions; i++) {
        Function& function = profile.functions.emplace_back();
        function.symbol = function.name = function.display = format("MPI_Function_%u", i);
        function.kind = NodeKind::mpi;
    }
    add_path(profile, no_index, 0, 0);
    for (std::uint32_t i = 1; i < shared_paths; i++)
        add_path(profile, i < 3 ? 0 : i / 2, 1 + i % (shared_functions + mpi_functions - 1), 0);
}

// Below some of the shared paths, calls that no other rank makes from there.
void add_own_paths(Profile& profile, std::uint32_t rank, std::uint32_t own_functions) {
    std::uint32_t root = no_index;
    for (std::uint32_t i = 0; i < own_paths; i++) {
        bool own_function = i < own_functions;
        std::uint32_t function =
            own_function
                ? add_function(profile, 20, format("function_%u_of_rank_%u", i, rank).c_str())
                : 1 + (i * 13 + rank) % (shared_functions - 1);
        if (i == 0) {
            root = static_cast<std::uint32_t>(profile.paths.size());
            add_path(profile, 1 + rank % (shared_paths - 1), function, rank);
        } else {
            add_path(profile, root + (i - 1) / 3, function, rank);
        }
    }
}

Profile profile_of(std::uint32_t rank, std::uint32_t ranks, std::uint32_t own_functions) {
    Profile profile;
    profile.run.application = "solver";
    profile.run.host = format("node%05u", rank / 64);
    profile.run.ranks = ranks;
    profile.run.rank = rank;
    profile.run.overhead = {{OverheadKind::function_hooks, 123'456'789},
                            {OverheadKind::mpi_wrappers, 23'456'789}};
    profile.run.memory_bytes = 200'000;
    profile.modules = {{"/home/user/solver/solver", "0123456789abcdef0123456789abcdef01234567"}};
    add_shared_paths(profile);
    add_own_paths(profile, rank, own_functions);
    for (std::uint32_t i = 0; i < peers; i++) {
        std::uint32_t path = shared_paths - 1 - i % 5;
        MessageFigures figures = {1000 + i, 8'000'000 + rank, 2'000'000, 1.0e12 / (1 + i + rank)};
        profile.matrix.push_back(
            {rank, static_cast<std::int32_t>((rank + i + 1) % ranks), path, figures, figures});
        profile.message_sizes[i % 24].sent += figures.messages;
    }
    for (std::uint32_t i = 5; i > 0; i--)
        profile.messages.push_back({shared_paths - i, profile.matrix[i].sent, {}});
    profile.ranks = {{rank, profile.run.host, 10'000 + rank, 1, 5'000'000'000, 146'913'578,
                      1'000'000'000, 200'000, 1'000'000}};
    return profile;
}

// Counts bytes, and the rounds: a rank sends or receives one message at a time.
struct Traffic {
    std::uint64_t bytes = 0, largest = 0;
    std::vector<int> round;          // by rank: the round that it is in
    std::vector<int> sent_in_round;  // by rank: the round of its last message
};

class CountingCommunicator final : public Communicator {
  public:
    CountingCommunicator(InProcessJob& job, int rank, Traffic& traffic)
        : messages_(job, rank), traffic_(traffic) {}

    int rank() const override { return messages_.rank(); }
    int size() const override { return messages_.size(); }
    bool send(int to, const void* data, std::size_t bytes) override {
        traffic_.bytes += bytes;
        traffic_.largest = std::max<std::uint64_t>(traffic_.largest, bytes);
        traffic_.sent_in_round[static_cast<std::size_t>(to > rank() ? to : rank())] = ++round();
        return messages_.send(to, data, bytes);
    }
    bool receive(int from, std::vector<char>& data) override {
        int sent = traffic_.sent_in_round[static_cast<std::size_t>(std::max(from, rank()))];
        round() = from > rank() ? std::max(round() + 1, sent) : sent;
        return messages_.receive(from, data);
    }

  private:
    int& round() { return traffic_.round[static_cast<std::size_t>(rank())]; }

    InProcessCommunicator messages_;
    Traffic& traffic_;
};

// Processor time, so that other programs on the machine do not count.
double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class Simulation {
  public:
    Simulation(int ranks, std::uint32_t own_functions)
        : job_(ranks), own_functions_(own_functions) {
        traffic_.round.assign(static_cast<std::size_t>(ranks), 0);
        traffic_.sent_in_round = traffic_.round;
        communicators_.reserve(traffic_.round.size());
        for (int rank = 0; rank < ranks; rank++) {
            communicators_.emplace_back(job_, rank, traffic_);
            collations_.emplace_back(communicators_.back(), most_ranks_with_values);
        }
    }

    void gather() {
        up_the_tree(0, [this](int rank, const Profile& own, Profile& job) {
            collation(rank).gather(own, job, true);
        });
    }
    void gather_values() {
        up_the_tree(0, [this](int rank, const Profile& own, Profile& job) {
            collation(rank).gather_values(own, job);
        });
    }

    // Returns whether all ranks received the numbers of their paths.
    bool spread() {
        int ranks_complete = 0;
        for (int rank = 0; rank < job_.size(); rank++) {
            Profile own = make(rank);
            timed([&] { ranks_complete += collation(rank).spread(own); });
            if (own.paths[shared_paths - 1].stid != whole.paths[shared_paths - 1].stid)
                return false;
        }
        return ranks_complete == job_.size();
    }

    int rounds() const { return *std::max_element(traffic_.round.begin(), traffic_.round.end()); }
    const Traffic& traffic() const { return traffic_; }
    double seconds() const { return seconds_; }

    Profile whole;

  private:
    RankCollation& collation(int rank) { return collations_[static_cast<std::size_t>(rank)]; }
    Profile make(int rank) const {
        return profile_of(static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(job_.size()),
                          own_functions_);
    }
    // All ranks of the subtree below `rank`, the rank itself last.
    template <class Gather>
    void up_the_tree(int rank, Gather gather) {
        for (int bit = 1; (rank & bit) == 0 && bit < job_.size() - rank; bit <<= 1)
            up_the_tree(rank + bit, gather);
        Profile own = make(rank), elsewhere;
        timed([&] { gather(rank, own, rank == 0 ? whole : elsewhere); });
    }
    template <class Work>
    void timed(Work work) {
        double start = processor_seconds();
        work();
        seconds_ += processor_seconds() - start;
    }

    InProcessJob job_;
    std::uint32_t own_functions_;
    Traffic traffic_;
    std::vector<CountingCommunicator> communicators_;
    std::vector<RankCollation> collations_;
    double seconds_ = 0;
};

// The peak of the process's memory so far.
long peak_kib() {
    long kib = 0;
    char line[256];
    std::FILE* status = std::fopen("/proc/self/status", "r");
    while (status && std::fgets(line, sizeof line, status))
        if (std::strncmp(line, "VmHWM:", 6) == 0)
            kib = std::atol(line + 6);
    if (status)
        std::fclose(status);
    return kib;
}

bool is_right(const Profile& whole, std::uint32_t ranks) {
    std::uint64_t calls = 0, expected = 0;
    for (const Path& path : whole.paths)
        calls += path.calls;
    for (std::uint32_t i = 0; i < shared_paths + own_paths; i++)
        expected += ranks * (1 + std::uint64_t{i} * 37);
    for (const RankValues& values : whole.rank_values) {
        std::uint64_t counted = 0;
        for (std::uint32_t bin : values.histogram)
            counted += bin;
        if (counted != ranks)
            return false;
    }
    return whole.rank_values.empty() == (ranks == 1) &&
           whole.paths.size() == shared_paths + ranks * own_paths && calls == expected &&
           whole.matrix.size() == ranks * peers && whole.ranks.size() == ranks;
}

}  // namespace

int main(int count, char** arguments) {
    int ranks = count > 1 ? std::atoi(arguments[1]) : 0;
    int own_functions = count > 2 ? std::atoi(arguments[2]) : 20;
    if (ranks < 1 || own_functions < 1 || count > 3) {
        std::fprintf(stderr, "usage: simulate_collation RANKS [FUNCTIONS]\n");
        return 2;
    }
    long before_kib = peak_kib();
    Simulation simulation(ranks, static_cast<std::uint32_t>(own_functions));
    simulation.gather();
    int rounds_up = simulation.rounds();
    std::uint64_t bytes_up = simulation.traffic().bytes;
    const bool spread = simulation.spread();
    std::uint64_t bytes_down = simulation.traffic().bytes - bytes_up;
    simulation.gather_values();
    if (!spread || !is_right(simulation.whole, static_cast<std::uint32_t>(ranks))) {
        std::fprintf(stderr, "the profile of all ranks is wrong\n");
        return 1;
    }
    std::printf("rounds-up %d\nrounds %d\n", rounds_up, simulation.rounds());
    std::printf("paths %zu\nfunctions %zu\n", simulation.whole.paths.size(),
                simulation.whole.functions.size());
    std::printf("seconds %.3f\n", simulation.seconds());
    std::printf("bytes-up-per-rank %.0f\n",
                static_cast<double>(simulation.traffic().bytes - bytes_down) / ranks);
    std::printf("bytes-down-per-rank %.0f\n", static_cast<double>(bytes_down) / ranks);
    std::printf("largest-message %llu\n",
                static_cast<unsigned long long>(simulation.traffic().largest));
    std::printf("peak-kib-per-rank %.2f\n", static_cast<double>(peak_kib() - before_kib) / ranks);
    return 0;
}
