#include "efficiency/collectives.hpp"

#include "base/text.hpp"

namespace vftrace {
namespace {

constexpr struct {
    std::string_view name;  // without "MPI_"
    MpiCall call;
} calls[] = {
    {"Barrier", MpiCall::all_to_all},        {"Allreduce", MpiCall::all_to_all},
    {"Allgather", MpiCall::all_to_all},      {"Allgatherv", MpiCall::all_to_all},
    {"Alltoall", MpiCall::all_to_all},       {"Alltoallv", MpiCall::all_to_all},
    {"Alltoallw", MpiCall::all_to_all},      {"Reduce_scatter", MpiCall::all_to_all},
    {"Bcast", MpiCall::collective},          {"Reduce_scatter_block", MpiCall::all_to_all},
    {"Reduce", MpiCall::collective},         {"Gather", MpiCall::collective},
    {"Gatherv", MpiCall::collective},        {"Scatter", MpiCall::collective},
    {"Scatterv", MpiCall::collective},       {"Scan", MpiCall::collective},
    {"Exscan", MpiCall::collective},         {"Send", MpiCall::point_to_point},
    {"Ssend", MpiCall::point_to_point},      {"Bsend", MpiCall::point_to_point},
    {"Rsend", MpiCall::point_to_point},      {"Recv", MpiCall::point_to_point},
    {"Mrecv", MpiCall::point_to_point},      {"Sendrecv", MpiCall::point_to_point},
    {"Wait", MpiCall::point_to_point},       {"Sendrecv_replace", MpiCall::point_to_point},
    {"Waitall", MpiCall::point_to_point},    {"Waitany", MpiCall::point_to_point},
    {"Waitsome", MpiCall::point_to_point},   {"Probe", MpiCall::point_to_point},
    {"Mprobe", MpiCall::point_to_point},     {"Isend", MpiCall::point_to_point},
    {"Irecv", MpiCall::point_to_point},      {"Issend", MpiCall::point_to_point},
    {"Test", MpiCall::point_to_point},       {"Testall", MpiCall::point_to_point},
    {"Testany", MpiCall::point_to_point},    {"Testsome", MpiCall::point_to_point},
    {"Iprobe", MpiCall::point_to_point},     {"Start", MpiCall::point_to_point},
    {"Startall", MpiCall::point_to_point},   {"Init", MpiCall::start_or_end},
    {"Init_thread", MpiCall::start_or_end},  {"Finalize", MpiCall::start_or_end},
    {"Session_init", MpiCall::start_or_end}, {"Session_finalize", MpiCall::start_or_end},
};

}  // namespace

MpiCall mpi_call(std::string_view name) {
    constexpr std::string_view prefix = "MPI_", sync = "_sync";
    if (name.size() < prefix.size() || !equal_ignoring_case(name.substr(0, prefix.size()), prefix))
        return MpiCall::other;
    name.remove_prefix(prefix.size());
    if (name.ends_with(sync))
        return MpiCall::waiting;
    if (name.ends_with('_'))
        name.remove_suffix(1);
    for (const auto& row : calls)
        if (equal_ignoring_case(row.name, name))
            return row.call;
    return MpiCall::other;
}

}  // namespace vftrace
