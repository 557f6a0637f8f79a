// The order in which a linker should place functions, so that those that run lie together, and next
// to those that call them: fewer pages and cache lines for the same code.
//
// Call-chain clustering (G. Ottoni, B. Maher: Optimizing Function Placement for Large-Scale
// Data-Center Applications, CGO 2017): each function, the hottest first, is appended to the group
// of the caller that spends most time in it, unless the group becomes too large; groups are then
// sorted by time per byte.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "code/function_code.hpp"
#include "export/exporters.hpp"

namespace vftrace {
namespace {

constexpr std::uint64_t largest_group = 1 << 20;  // bytes
constexpr std::uint64_t size_if_unknown = 256;

struct PlacedFunction {
    std::string symbol;
    std::uint64_t size = size_if_unknown;
    double own_ns = 0;
    std::map<std::size_t, double> callers;  // time of calls from each, ns
};

struct Group {
    std::vector<std::size_t> functions;
    std::uint64_t size = 0;
    double own_ns = 0;
    double density() const {
        return own_ns / static_cast<double>(std::max<std::uint64_t>(size, 1));
    }
};

class CallGraph {
  public:
    void add(const Profile& profile, std::uint32_t module) {
        const auto place_of = [&](std::uint32_t path) {
            const Function& function = profile.functions[profile.paths[path].function];
            const bool is_code = function.kind == NodeKind::function && function.module == module &&
                                 !function.symbol.empty();
            return is_code ? place(function.symbol) : nowhere;
        };
        for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
            const Path& path = profile.paths[i];
            const std::size_t callee = place_of(i);
            if (callee == nowhere || (path.flags & path_paused) != 0)
                continue;
            functions_[callee].own_ns += static_cast<double>(path.exclusive_ns);
            const std::size_t caller = path.parent == no_index ? nowhere : place_of(path.parent);
            if (caller != nowhere && caller != callee)
                functions_[callee].callers[caller] += static_cast<double>(path.inclusive_ns);
        }
    }

    bool is_empty() const { return functions_.empty(); }

    // Takes the sizes of functions from the file. Returns whether it could be read.
    bool read_sizes(const std::string& path) {
        const CodeOfFile file(path);
        for (const CodeOfFile::Function& function : file.functions())
            if (const auto known = places_.find(function.symbol);
                known != places_.end() && function.size > 0)
                functions_[known->second].size = function.size;
        return file.error().empty();
    }

    std::vector<std::string> order() const {
        std::vector<std::size_t> hottest(functions_.size());
        std::iota(hottest.begin(), hottest.end(), 0);
        std::stable_sort(hottest.begin(), hottest.end(), [this](std::size_t a, std::size_t b) {
            return functions_[a].own_ns > functions_[b].own_ns;
        });
        std::vector<Group> groups(functions_.size());
        std::vector<std::size_t> group_of(functions_.size());
        for (std::size_t i = 0; i < functions_.size(); i++) {
            groups[i] = {{i}, functions_[i].size, functions_[i].own_ns};
            group_of[i] = i;
        }
        for (const std::size_t function : hottest) {
            const auto& callers = functions_[function].callers;
            const auto caller =
                std::max_element(callers.begin(), callers.end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; });
            if (caller == callers.end())
                continue;
            Group& callee = groups[group_of[function]];
            Group& target = groups[group_of[caller->first]];
            if (&callee == &target || callee.size + target.size > largest_group)
                continue;
            const std::size_t number = group_of[caller->first];
            for (const std::size_t moved : callee.functions)
                group_of[moved] = number;
            target.functions.insert(target.functions.end(), callee.functions.begin(),
                                    callee.functions.end());
            target.size += callee.size;
            target.own_ns += callee.own_ns;
            callee = {};
        }
        std::stable_sort(groups.begin(), groups.end(),
                         [](const Group& a, const Group& b) { return a.density() > b.density(); });
        std::vector<std::string> symbols;
        for (const Group& group : groups)
            for (const std::size_t function : group.functions)
                symbols.push_back(functions_[function].symbol);
        return symbols;
    }

  private:
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    std::size_t place(const std::string& symbol) {
        const auto [known, is_new] = places_.try_emplace(symbol, functions_.size());
        if (is_new)
            functions_.emplace_back().symbol = symbol;
        return known->second;
    }

    std::vector<PlacedFunction> functions_;
    std::map<std::string, std::size_t> places_;  // by symbol
};

// The module with this name of its file, without folder, or the one that has `main`.
std::uint32_t module_to_order(const Profile& profile, const std::string& name) {
    if (name.empty()) {
        for (const Function& function : profile.functions)
            if (function.symbol == "main" && function.module != no_index)
                return function.module;
        throw ExportError("no function is called main: give the program or library by --module");
    }
    std::string known;
    for (std::uint32_t i = 0; i < profile.modules.size(); i++) {
        if (base_name(profile.modules[i].path) == name)
            return i;
        known += fmt::format("{}{}", known.empty() ? "" : ", ", base_name(profile.modules[i].path));
    }
    throw ExportError(fmt::format("{} is not one of {}", name, known));
}

std::vector<std::string> order_of_source(const ExportSource& source, ExportOutput& output) {
    CallGraph graph;
    std::string file;
    for (const Profile& profile : source.profiles) {
        const std::uint32_t module = module_to_order(profile, source.module);
        graph.add(profile, module);
        file = source.source_map.path(profile.modules[module].path);
    }
    if (graph.is_empty())
        throw ExportError("no function of " + file + " is in the profile");
    if (!graph.read_sizes(file))
        output.remark(file + " cannot be read: sizes of functions are not known");
    return graph.order();
}

}  // namespace

void export_function_order(const ExportSource& source, ExportOutput& output) {
    for (const std::string& symbol : order_of_source(source, output))
        output.write(symbol + '\n');
}

void export_section_order(const ExportSource& source, ExportOutput& output) {
    for (const std::string& symbol : order_of_source(source, output))
        output.write(".text." + symbol + '\n');
}

}  // namespace vftrace
