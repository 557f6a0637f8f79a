// Functions that do not depend on any parameter.
#include "filter/independent_functions.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "dependences/dependences.hpp"

namespace vftrace {
namespace {

// If static functions in several files have the same name, the file follows the symbol.
std::string_view without_file(std::string_view symbol) {
    return symbol.substr(0, symbol.find('@'));
}

// By symbol: whether all functions of that name are independent of parameters.
std::unordered_map<std::string_view, bool> independence(const ParameterAnalysis& analysis) {
    std::vector<bool> independent(analysis.functions.size());
    for (const std::uint32_t function : ParameterDependences(analysis).independent_functions())
        independent[function] = true;
    std::unordered_map<std::string_view, bool> by_symbol;
    for (std::uint32_t i = 0; i < analysis.functions.size(); i++) {
        const auto [place, is_new] =
            by_symbol.try_emplace(without_file(analysis.functions[i].symbol), independent[i]);
        place->second = place->second && independent[i];
    }
    return by_symbol;
}

}  // namespace

Profile profile_of_functions(const ParameterAnalysis& analysis) {
    const auto independent = independence(analysis);
    Profile profile;
    std::unordered_set<std::string_view> seen;
    for (const AnalysedFunction& of : analysis.functions) {
        const std::string_view symbol = without_file(of.symbol);
        if (!seen.insert(symbol).second)
            continue;
        Function function;
        function.symbol = symbol;
        function.name = of.name;
        function.demangled = of.demangled == symbol ? "" : of.demangled;
        function.display = of.name.empty() ? std::string(symbol) : of.name;
        Path path;
        path.function = static_cast<std::uint32_t>(profile.functions.size());
        path.exclusive_ns = independent.at(symbol) ? 0 : 1;
        profile.paths.push_back(path);
        profile.functions.push_back(std::move(function));
    }
    return profile;
}

std::vector<FunctionCost> independent_functions(const Profile& profile,
                                                const ParameterAnalysis& analysis) {
    const auto independent = independence(analysis);
    constexpr double any_share = 2;  // more than all: no function is kept because of its time
    const std::vector<bool> keep = functions_that_matter(profile, any_share);
    std::vector<FunctionCost> found;
    for (const FunctionCost& cost : function_costs(profile)) {
        const auto known = independent.find(profile.functions[cost.function].symbol);
        if (!keep[cost.function] && known != independent.end() && known->second)
            found.push_back(cost);
    }
    std::stable_sort(found.begin(), found.end(), [](const FunctionCost& a, const FunctionCost& b) {
        return a.overhead_ns > b.overhead_ns;
    });
    return found;
}

}  // namespace vftrace
