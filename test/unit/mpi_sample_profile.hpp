// The profile of four ranks on two hosts that exchange halos with their neighbours in a row:
// 0 - 1 - 2 - 3. Rank 0 has the most to compute, the others wait for it.
#pragma once

#include <array>
#include <optional>

#include "profile/profile.hpp"

namespace vftrace::test {

class MpiSample {
  public:
    static constexpr std::size_t ranks = 4;
    static constexpr std::uint64_t steps = 100;
    static constexpr std::uint64_t halo_bytes = 8000;
    static constexpr std::uint64_t result_bytes = 64000;

    MpiSample() {
        fill_run();
        fill_paths();
        fill_messages();
        fill_ranks();
    }
    Profile profile;

  private:
    using Milliseconds = std::array<std::optional<int>, ranks>;  // exclusive; nullopt: no such path
    static constexpr std::int64_t ms = 1'000'000;

    void fill_run() {
        RunInfo& run = profile.run;
        run.application = "halo";
        run.command_line = "./halo 1000";
        run.host = "node01";
        run.pid = 2101;
        run.start_unix_ns = 1'795'224'770'123'456'789;
        run.end_unix_ns = 1'795'224'772'223'456'789;
        run.runtime_ns = 2'005 * ms;
        run.uses_mpi = true;
        run.ranks = ranks;
        run.overhead = {{OverheadKind::function_hooks, 8 * ms},
                        {OverheadKind::mpi_wrappers, 40 * ms}};
        run.memory_bytes = 4 * 160 * 1024;
        run.config_text = "{\n   \"mpi\": {\n      \"only_for_ranks\": \"all\"\n   }\n}\n";
        profile.modules = {{"/home/user/halo", "0123456789abcdef"}};
    }

    std::uint32_t function(const char* name, NodeKind kind = NodeKind::function) {
        Function f;
        f.name = f.display = name;
        f.kind = kind;
        if (kind != NodeKind::root)
            f.symbol = name;
        if (kind == NodeKind::function) {
            f.module = 0;
            f.offset = 0x1100 + 16 * profile.functions.size();
        }
        profile.functions.push_back(f);
        return static_cast<std::uint32_t>(profile.functions.size() - 1);
    }

    std::uint32_t path(std::uint32_t parent, std::uint32_t function, std::uint32_t stid,
                       std::array<std::uint64_t, ranks> calls, Milliseconds exclusive) {
        Path p;
        p.parent = parent;
        p.function = function;
        p.stid = stid;
        p.hash = 0x01aac7750f9eb16b + (static_cast<std::uint64_t>(stid) << 48);
        RankSpread spread;
        for (std::uint32_t rank = 0; rank < ranks; rank++) {
            if (!exclusive[rank])
                continue;
            const std::int64_t ns = *exclusive[rank] * ms;
            p.calls += calls[rank];
            p.overhead_ns += static_cast<std::int64_t>(calls[rank]) * 20;
            p.exclusive_ns += ns;
            rank_calls_[rank] += calls[rank];
            if (profile.functions[function].kind == NodeKind::mpi) {
                rank_mpi_ns_[rank] += ns;
                rank_mpi_calls_[rank] += static_cast<std::int64_t>(calls[rank]);
            }
            if (spread.ranks++ == 0)
                spread = {1, rank, rank, ns, ns};
            if (ns < spread.min_ns)
                spread.min_ns = ns, spread.min_rank = rank;
            if (ns > spread.max_ns)
                spread.max_ns = ns, spread.max_rank = rank;
        }
        p.inclusive_ns = p.exclusive_ns;
        for (std::uint32_t i = parent; i != no_index && i != 0; i = profile.paths[i].parent)
            profile.paths[i].inclusive_ns += p.exclusive_ns;
        profile.paths.push_back(p);
        profile.spread.push_back(spread);
        return static_cast<std::uint32_t>(profile.paths.size() - 1);
    }

    void fill_paths() {
        const std::uint32_t init = function("init", NodeKind::root);
        const std::uint32_t main = function("main");
        const std::uint32_t exchange = function("exchange");
        const std::uint32_t compute = function("compute");
        auto mpi = [&](const char* name) { return function(name, NodeKind::mpi); };
        const std::array<std::uint64_t, ranks> once{1, 1, 1, 1},
            each_step{steps, steps, steps, steps};
        // The ranks in the middle have two neighbours.
        const std::array<std::uint64_t, ranks> each_halo{steps, 2 * steps, 2 * steps, steps};
        const std::array<std::uint64_t, ranks> all_from_one{3, 1, 1, 1};
        path(no_index, init, 8, {0, 0, 0, 0}, {0, 0, 0, 0});
        path(0, main, 3, once, {4, 3, 3, 4});
        path(1, mpi("MPI_Init"), 9, once, {50, 48, 47, 51});
        path(1, exchange, 1, each_step, {2, 3, 3, 2});
        irecv_ = path(3, mpi("MPI_Irecv"), 5, each_halo, {1, 2, 2, 1});
        isend_ = path(3, mpi("MPI_Isend"), 0, each_halo, {3, 5, 6, 3});
        path(3, mpi("MPI_Waitall"), 10, each_step, {28, 431, 689, 882});
        path(1, compute, 4, each_step, {1600, 1202, 1001, 803});
        allreduce_ = path(1, mpi("MPI_Allreduce"), 7, each_step, {302, 299, 242, 251});
        send_ = path(1, mpi("MPI_Send"), 2, all_from_one, {1, 2, 2, 2});
        receive_ = path(1, mpi("MPI_Recv"), 6, all_from_one, {9, 1, 1, 1});
        path(1, function("write_result"), 11, once, {5, {}, {}, {}});
    }

    static MessageFigures figures(std::uint64_t messages, std::uint64_t bytes_each,
                                  std::int64_t ns_each) {
        const double bandwidth =
            static_cast<double>(bytes_each) * 1e9 / static_cast<double>(ns_each);
        return {messages, messages * bytes_each, static_cast<std::int64_t>(messages) * ns_each,
                static_cast<double>(messages) * bandwidth};
    }

    static MessageFigures sum(MessageFigures a, const MessageFigures& b) {
        return {a.messages + b.messages, a.bytes + b.bytes, a.ns + b.ns,
                a.bandwidth_sum + b.bandwidth_sum};
    }

    void fill_messages() {
        const MessageFigures none;
        const MessageFigures halo_sent = figures(steps, halo_bytes, 25'000);
        const MessageFigures halo_received = figures(steps, halo_bytes, 120'000);
        const MessageFigures result_sent = figures(1, result_bytes, 800'000);
        const MessageFigures result_received = figures(1, result_bytes, 2'500'000);
        const MessageFigures go_sent = figures(1, 0, 2'000), go_received = figures(1, 0, 9'000);
        for (std::uint32_t rank = 0; rank < ranks; rank++)
            for (std::int32_t peer = 0; peer < static_cast<std::int32_t>(ranks); peer++) {
                const int distance = static_cast<int>(rank) - peer;
                if (distance == 1 || distance == -1) {
                    profile.matrix.push_back({rank, peer, irecv_, none, halo_received});
                    profile.matrix.push_back({rank, peer, isend_, halo_sent, none});
                }
                if (rank == 0 && peer != 0) {
                    profile.matrix.push_back({rank, peer, send_, go_sent, none});
                    profile.matrix.push_back({rank, peer, receive_, none, result_received});
                }
                if (rank != 0 && peer == 0) {
                    profile.matrix.push_back({rank, peer, send_, result_sent, none});
                    profile.matrix.push_back({rank, peer, receive_, none, go_received});
                }
            }
        for (const std::uint32_t path : {irecv_, isend_, send_, receive_}) {
            PathMessages messages{path, none, none};
            for (const PeerMessages& element : profile.matrix)
                if (element.path == path) {
                    messages.sent = sum(messages.sent, element.sent);
                    messages.received = sum(messages.received, element.received);
                }
            profile.messages.push_back(messages);
        }
        // Each of the four ranks sends to all four and receives from all four.
        const MessageFigures reduced = figures(steps * ranks * ranks, 8, 64'000);
        profile.messages.insert(profile.messages.begin() + 2, {allreduce_, reduced, reduced});
        for (const PeerMessages& element : profile.matrix) {
            const MessageFigures all = sum(element.sent, element.received);
            SizeBin& bin = profile.message_sizes[all.bytes == 0                           ? 0
                                                 : all.bytes == all.messages * halo_bytes ? 13
                                                                                          : 16];
            bin.sent += element.sent.messages;
            bin.received += element.received.messages;
        }
    }

    void fill_ranks() {
        for (std::uint32_t rank = 0; rank < ranks; rank++) {
            RankFigures figures;
            figures.rank = rank;
            figures.host = rank < 2 ? "node01" : "node02";
            figures.pid = 2101 + rank % 2;
            figures.runtime_ns = (2'005 - rank) * ms;
            figures.overhead_ns = 12 * ms;
            figures.mpi_ns = rank_mpi_ns_[rank];
            figures.memory_bytes = 160 * 1024;
            figures.calls = rank_calls_[rank];
            figures.mpi_calls = rank_mpi_calls_[rank];
            profile.ranks.push_back(figures);
        }
    }

    std::uint32_t irecv_ = 0, isend_ = 0, send_ = 0, receive_ = 0, allreduce_ = 0;
    std::array<std::uint64_t, ranks> rank_calls_{};
    std::array<std::int64_t, ranks> rank_mpi_ns_{}, rank_mpi_calls_{};
};

inline Profile mpi_sample_profile() { return MpiSample().profile; }

}  // namespace vftrace::test
