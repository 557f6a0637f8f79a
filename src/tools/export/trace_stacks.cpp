#include "export/trace_stacks.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "collate/stids.hpp"
#include "profile/display_names.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

// Files of Vftrace 2.0 only have names.
NodeKind kind_of_name(std::string_view name) {
    if (name.starts_with("MPI_") || name.starts_with("mpi_"))
        return NodeKind::mpi;
    if (name == "vftrace_pause")
        return NodeKind::pause;
    if (name == "[thread]")
        return NodeKind::thread;
    return name.starts_with("omp ") ? NodeKind::openmp : NodeKind::function;
}

// Turns the stacks of a file into the functions and paths of a profile.
class Naming {
  public:
    Naming(const VfdFile& trace, Profile& profile) : profile_(profile) {
        profile.modules = trace.extension().modules;
        profile.functions = trace.extension().functions;
        for (const VfdStack& stack : trace.stacks()) {
            Path& path = profile.paths.emplace_back();
            path.parent = stack.parent;
            path.function = function_of(stack);
            if (profile.functions[path.function].kind == NodeKind::pause)
                path.flags |= path_paused;
        }
        set_stids(profile);
        set_display_names(profile.functions, CxxNames::full, false);
    }

  private:
    std::uint32_t function_of(const VfdStack& stack) {
        if (stack.function != no_index) {
            std::string& name = profile_.functions[stack.function].name;
            if (name.empty())
                name = stack.name;
            return stack.function;
        }
        const auto begin = named_.begin(), end = named_.end();
        auto place = std::lower_bound(begin, end, stack.name, [&](std::uint32_t i, const auto& n) {
            return profile_.functions[i].name < n;
        });
        if (place != end && profile_.functions[*place].name == stack.name)
            return *place;
        const auto index = static_cast<std::uint32_t>(profile_.functions.size());
        const bool is_root = stack.parent == no_index;
        Function& function = profile_.functions.emplace_back();
        function.name = function.symbol = stack.name;
        function.demangled = demangle(stack.name);
        function.kind = is_root ? NodeKind::root : kind_of_name(stack.name);
        if (!is_root)  // a function may have its name
            named_.insert(place, index);
        return index;
    }

    Profile& profile_;
    std::vector<std::uint32_t> named_;  // functions that only have names, sorted by name
};

// "Sat Nov 21 01:33:13 2026", in local time; 0 if the text is something else.
std::int64_t unix_ns_of_date(const std::string& date) {
    std::tm time{};
    time.tm_isdst = -1;
    if (!strptime(date.c_str(), "%a %b %d %H:%M:%S %Y", &time))
        return 0;
    return static_cast<std::int64_t>(std::mktime(&time)) * 1'000'000'000;
}

void fill_run(const VfdFile& trace, Profile& profile) {
    const VfdNumbers& numbers = trace.header().numbers;
    const VfdExtension& extension = trace.extension();
    RunInfo& run = profile.run;
    run.application = extension.application;
    run.command_line = extension.command_line;
    run.host = extension.host;
    run.config_text = extension.configuration;
    run.runtime_ns = std::isfinite(numbers.runtime_s) && std::abs(numbers.runtime_s) < 1e9
                         ? std::llround(numbers.runtime_s * 1e9)
                         : 0;
    run.start_unix_ns = extension.clock ? extension.clock->start_unix_ns
                                        : unix_ns_of_date(trace.header().start_date);
    run.end_unix_ns = run.start_unix_ns + run.runtime_ns;
    run.ranks = static_cast<std::uint32_t>(std::max(numbers.processes, 1));
    run.rank = static_cast<std::uint32_t>(std::max(numbers.rank, 0));
    run.uses_mpi = run.ranks > 1 || std::any_of(profile.functions.begin(), profile.functions.end(),
                                                [](const Function& function) {
                                                    return function.kind == NodeKind::mpi;
                                                });
}

}  // namespace

Profile stacks_of_trace(const VfdFile& trace) {
    Profile profile;
    const Naming naming(trace, profile);
    fill_run(trace, profile);
    return profile;
}

}  // namespace vftrace
