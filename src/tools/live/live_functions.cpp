#include "live/live_functions.hpp"

#include <fmt/core.h>

#include "profile/display_names.hpp"
#include "symbol/elf_symbols.hpp"
#include "symbol/names.hpp"

namespace vftrace {

std::uint32_t LiveFunctions::module_of(const std::string& path, const std::string& code) {
    const auto [known, is_new] =
        module_index_.try_emplace({path, code}, static_cast<std::uint32_t>(modules_.size()));
    if (is_new) {
        modules_.push_back({path, code});
        by_offset_.emplace_back();
    }
    return known->second;
}

std::uint32_t LiveFunctions::code(std::uint32_t module, std::uint64_t offset) {
    auto& known = module < by_offset_.size() ? by_offset_[module] : by_address_;
    const auto next = static_cast<std::uint32_t>(functions_.size());
    const auto [found, is_new] = known.try_emplace(offset, next);
    if (is_new) {
        functions_.push_back({NodeKind::function, TimeIn::code, 0, module, offset, "", "", ""});
        unnamed_.push_back(next);
    }
    return found->second;
}

std::uint32_t LiveFunctions::named(NodeKind kind, std::string_view name, TimeIn time_in) {
    const auto next = static_cast<std::uint32_t>(functions_.size());
    const auto [found, is_new] =
        by_name_.try_emplace(fmt::format("{} {}", static_cast<unsigned>(kind), name), next);
    if (is_new)
        functions_.push_back({.kind = kind,
                              .time_in = time_in,
                              .module = no_module_known,
                              .name = std::string(name),
                              .full_name = std::string(name),
                              .live_message = {}});
    return found->second;
}

std::uint32_t LiveFunctions::section(std::string_view name, std::uint8_t level,
                                     std::string_view live_message) {
    const std::size_t known = functions_.size();
    const std::uint32_t index = named(NodeKind::section, name, TimeIn::code);
    if (functions_.size() > known) {
        functions_[index].level = level;
        functions_[index].live_message = live_message;
    }
    return index;
}

void LiveFunctions::look_up_names() {
    if (unnamed_.empty())
        return;
    std::vector<std::vector<std::uint32_t>> by_module(modules_.size());
    for (std::uint32_t index : unnamed_) {
        LiveFunction& function = functions_[index];
        if (function.module < by_module.size())
            by_module[function.module].push_back(index);
        else
            function.name = function.full_name = name_without_symbol("", function.offset);
    }
    unnamed_.clear();
    for (std::size_t module = 0; module < by_module.size(); module++) {
        std::vector<std::uint64_t> offsets;
        offsets.reserve(by_module[module].size());
        for (std::uint32_t index : by_module[module])
            offsets.push_back(functions_[index].offset);
        if (offsets.empty())
            continue;
        const ModuleSymbols symbols = lookup_symbols(modules_[module].code, offsets);
        for (std::size_t i = 0; i < offsets.size(); i++) {
            LiveFunction& function = functions_[by_module[module][i]];
            const std::string& symbol = symbols.names[i];
            if (symbol.empty()) {
                function.name = name_without_symbol(modules_[module].path, function.offset);
                function.full_name = function.name;
                continue;
            }
            const std::string demangled = demangle(symbol);
            const std::string of_fortran = fortran_name(symbol);
            function.name =
                short_display_name(clean_name(of_fortran), demangled, CxxNames::full, false);
            function.full_name = demangled.empty() ? function.name : demangled;
        }
    }
}

}  // namespace vftrace
