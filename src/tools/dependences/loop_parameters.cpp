#include "dependences/loop_parameters.hpp"

#include "base/text.hpp"
#include "dependences/parameter_tables.hpp"
#include "symbol/names.hpp"

namespace vftrace {

LoopParameters::LoopParameters(const ParameterAnalysis& analysis) {
    const auto add_names = [&](std::set<std::string>& names, std::uint32_t index) {
        const AnalysedFunction& function = analysis.functions[index];
        for (const std::string& name :
             {function.symbol, function.name, short_name(function.symbol)})
            if (!name.empty())
                names.insert(name);
    };
    std::map<std::pair<std::string, std::uint32_t>, std::vector<ParameterSet>> sets;
    for (const ProfiledFunction& function : analysis.profiled) {
        add_names(analysed_, function.function);
        for (const LoopProfile& profile : function.profiles)
            visit_loops(profile.loops, [&](const Loop& loop) {
                if (loop.kind != LoopKind::source || loop.line == 0)
                    return;
                std::vector<ParameterSet>& known =
                    sets[{std::string(base_name(function.file)), loop.line}];
                for (const ParameterSet& set : loop.params)
                    add_maximal(known, set);
            });
    }
    for (const std::uint32_t function : analysis.unimportant)
        add_names(analysed_, function);
    for (const std::uint32_t function : analysis.unknown)
        add_names(unknown_, function);
    for (const auto& [place, known] : sets)
        if (!known.empty())
            loops_[place] = text_of_sets(analysis, known);
}

std::string LoopParameters::of(const std::string& file, std::uint32_t line,
                               const std::string& function) const {
    const auto loop = loops_.find({std::string(base_name(file)), line});
    if (loop != loops_.end())
        return loop->second;
    if (unknown_.contains(function))
        return "unknown";
    return analysed_.contains(function) ? "none" : "";
}

}  // namespace vftrace
