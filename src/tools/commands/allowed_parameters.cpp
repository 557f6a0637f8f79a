#include "commands/allowed_parameters.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "dependences/analysis_reader.hpp"

namespace vftrace::tools {

AnalysedParameters::AnalysedParameters(const std::string& file, std::vector<std::string> names)
    : analysis_(read_parameter_analysis(file)), dependences_(analysis_), names_(std::move(names)) {
    for (const std::string& parameter : analysis_.parameters) {
        const auto found = std::find(names_.begin(), names_.end(), parameter);
        model_parameter_.push_back(
            found == names_.end() ? no_index : static_cast<std::uint32_t>(found - names_.begin()));
    }
    for (std::uint32_t i = 0; i < names_.size(); i++)
        if (std::find(model_parameter_.begin(), model_parameter_.end(), i) ==
            model_parameter_.end())
            free_.push_back(i);
}

std::vector<std::string> AnalysedParameters::not_followed() const {
    std::vector<std::string> names;
    for (const std::uint32_t parameter : free_)
        names.push_back(names_[parameter]);
    return names;
}

// Code that the analysis does not know is part of its caller.
bool AnalysedParameters::is_unknown(const RunTable& table, std::uint32_t path) const {
    for (std::uint32_t i = path; i != no_index; i = table.paths()[i].parent)
        if (dependences_.knows(table.paths()[i].symbol))
            return dependences_.is_unknown(table.paths()[i].symbol);
    return true;
}

bool AnalysedParameters::is_known(const RunTable& table, std::uint32_t path,
                                  bool with_callees) const {
    if (is_unknown(table, path))
        return false;
    for (std::uint32_t i = table.paths()[path].parent; i != no_index; i = table.paths()[i].parent)
        if (dependences_.has_unknown_calls(table.paths()[i].symbol))
            return false;
    if (!with_callees)
        return true;
    if (unknown_below_.empty()) {
        unknown_below_.resize(table.paths().size());
        // Callers come before their callees.
        for (std::size_t i = table.paths().size(); i-- > 0;) {
            const std::uint32_t parent = table.paths()[i].parent;
            if (parent != no_index &&
                (unknown_below_[i] || is_unknown(table, static_cast<std::uint32_t>(i))))
                unknown_below_[parent] = true;
        }
    }
    return !unknown_below_[path] && !dependences_.has_unknown_calls(table.paths()[path].symbol);
}

AllowedParameters AnalysedParameters::of_path(const RunTable& table, std::uint32_t path,
                                              bool with_callees) const {
    if (!is_known(table, path, with_callees))
        return AllowedParameters::all(names_.size());
    std::vector<std::string_view> symbols;
    for (std::uint32_t i = path; i != no_index; i = table.paths()[i].parent)
        symbols.emplace_back(table.paths()[i].symbol);
    std::reverse(symbols.begin(), symbols.end());
    std::vector<ParameterSet> allowed;
    if (!free_.empty())
        allowed.push_back(free_);
    for (const ParameterSet& set : dependences_.of_path(symbols, with_callees)) {
        ParameterSet of_model;
        for (const std::uint32_t parameter : set)
            if (model_parameter_[parameter] != no_index)
                of_model.push_back(model_parameter_[parameter]);
        std::sort(of_model.begin(), of_model.end());
        if (!of_model.empty())
            add_maximal(allowed, united(of_model, free_));
    }
    return {std::move(allowed)};
}

}  // namespace vftrace::tools
