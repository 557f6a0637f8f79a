#include "collate/rank_figures.hpp"

namespace vftrace {

RankFigures rank_figures(const Profile& profile) {
    const RunInfo& info = profile.run;
    RankFigures figures;
    figures.rank = info.rank;
    figures.host = info.host;
    figures.pid = info.pid;
    figures.threads = info.threads;
    figures.runtime_ns = info.runtime_ns;
    figures.overhead_ns = info.overhead_ns();
    figures.memory_bytes = info.memory_bytes;
    figures.delay_ns = info.delay_ns;
    figures.mpi_calls = 0;
    for (const Path& path : profile.paths) {
        figures.calls += path.calls;
        if (profile.functions[path.function].kind != NodeKind::mpi)
            continue;
        figures.mpi_ns += path.exclusive_ns;
        figures.mpi_calls += static_cast<std::int64_t>(path.calls);
    }
    return figures;
}

}  // namespace vftrace
