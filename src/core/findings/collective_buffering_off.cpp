// MPI-IO moves pieces of a shared file one by one, instead of collecting them in a few ranks.
#include "base/text.hpp"
#include "findings/file_use.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

bool is_collective(const std::string& name) {
    return name.find("_all") != std::string::npos || name.find("_ordered") != std::string::npos;
}

// The calls that one path of MPI has made with a file.
struct MpiUse {
    std::uint32_t mpi;
    const FileFigures* file;
    double calls = 0, bytes = 0, seconds = 0;
};

std::vector<MpiUse> uses_of_mpi(const RunFacts& run) {
    std::vector<MpiUse> sums;
    for (const FileUse& use : run.file_uses) {
        if (use.mpi == no_index || !use.moves_bytes())
            continue;
        if (sums.empty() || sums.back().mpi != use.mpi || sums.back().file != use.file)
            sums.push_back({use.mpi, use.file});
        sums.back().calls += use.timed();
        sums.back().bytes += use.bytes();
        sums.back().seconds += use.seconds();
    }
    return sums;
}

}  // namespace

void find_collective_buffering_off(const RunFacts& run, std::string_view rule,
                                   RunFindings& findings) {
    constexpr double least_share = 0.05, few_bytes = 64 << 10, pieces_of_call = 8,
                     bytes_per_s = 1e9;
    for (const MpiUse& use : uses_of_mpi(run)) {
        const auto mpi_calls = static_cast<double>(run.profile.paths[use.mpi].calls);
        if (use.file->ranks < 2 || use.calls < pieces_of_call * mpi_calls ||
            use.bytes > few_bytes * use.calls)
            continue;
        const double inside = use.seconds + run.exclusive_seconds(use.mpi);
        const double saved = run.elapsed_share_of(inside - use.bytes / bytes_per_s);
        if (!run.is_worth_it(saved, least_share))
            continue;
        const std::string& name = run.name(use.mpi);
        RunFinding finding = run.finding(rule, saved);
        finding.path = use.mpi;
        finding.sentence = format(
            "%s makes %s calls of %s on average with %s, which %u ranks share: %s.", name.c_str(),
            count_text(use.calls).c_str(), bytes_text(use.bytes / use.calls).c_str(),
            file_name(*use.file).c_str(), use.file->ranks, run.place(use.mpi).c_str());
        finding.reason = format("Each of the %s calls of %s is cut into %s pieces; collected by a "
                                "few ranks, they would be large blocks.",
                                count_text(mpi_calls).c_str(), name.c_str(),
                                count_text(use.calls / mpi_calls).c_str());
        finding.confidence = Confidence::likely;
        finding.next_step =
            is_collective(name)
                ? "Give MPI_File_open the hints romio_cb_write and romio_cb_read = enable (MPICH, "
                  "Intel MPI, Cray MPI), or try another fcoll component (Open MPI: --mca fcoll "
                  "vulcan, or --mca io romio321)."
                : "Call " + name +
                      "_all (or its _at_all) in all ranks, so that the MPI library "
                      "can collect the pieces; the hints cb_nodes and cb_buffer_size set by how "
                      "many "
                      "ranks and in which blocks.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
