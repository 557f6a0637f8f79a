#include "collate/openmp_names.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "record/function_place.hpp"
#include "record/openmp_constructs.hpp"
#include "symbol/elf_symbols.hpp"
#include "symbol/names.hpp"
#include "symbol/source_lines.hpp"

namespace vftrace {
namespace {

const char* construct_text(std::uintptr_t key) {
    const std::uint8_t construct = openmp_construct(key);
    return construct < std::size(openmp_constructs) ? openmp_constructs[construct].name : "omp";
}

}  // namespace

std::uint32_t OpenmpNames::index_of(const Node& node) {
    const std::uintptr_t key = __atomic_load_n(&node.key, __ATOMIC_RELAXED);
    const auto next = static_cast<std::uint32_t>(places_.size());
    // The same address may belong to different libraries at different times.
    const std::uint32_t index =
        by_key_.find_or_add(key * 31 + node.module, next, [&](std::uint32_t i) {
            return places_[i].key == key && places_[i].module == node.module;
        });
    if (index == next)
        places_.push_back({key, node.module, {}});
    return index;
}

void OpenmpNames::expect(const Node& node) { index_of(node); }

const OpenmpName& OpenmpNames::name_of(const Node& node) {
    const std::uint32_t index = index_of(node);
    if (index >= named_)
        look_up();
    return places_[index].name;
}

void OpenmpNames::look_up() {
    std::vector<std::uint32_t> order;
    for (std::size_t i = named_; i < places_.size(); i++) {
        places_[i].name.name = construct_text(places_[i].key);
        if (places_[i].module < modules_.count && openmp_code(places_[i].key) != 0)
            order.push_back(static_cast<std::uint32_t>(i));
    }
    named_ = places_.size();
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return places_[a].module != places_[b].module ? places_[a].module < places_[b].module
                                                      : a < b;
    });
    std::vector<std::uint32_t> of_module;
    for (std::size_t i = 0; i < order.size(); i++) {
        of_module.push_back(order[i]);
        const std::uint16_t module = places_[order[i]].module;
        if (i + 1 == order.size() || places_[order[i + 1]].module != module) {
            look_up_in(module, of_module);
            of_module.clear();
        }
    }
}

void OpenmpNames::look_up_in(std::uint16_t module, const std::vector<std::uint32_t>& places) {
    const std::string path = modules_.modules[module].path;
    std::vector<std::uint64_t> offsets;
    offsets.reserve(places.size());
    for (std::uint32_t place : places)
        // The code address is where the call into the OpenMP library returns to, which may already
        // be another line or another function.
        offsets.push_back(
            place_of_address(openmp_code(places_[place].key) - 1, module, modules_).offset);
    std::vector<SourceLine> lines(offsets.size());
    if (source_lines_)
        lines = lookup_code_lines(files_.path(module), offsets);
    const auto has_line = [](const SourceLine& line) { return line.line != 0; };
    std::vector<SymbolOffset> symbols(offsets.size());
    if (!std::all_of(lines.begin(), lines.end(), has_line))
        symbols = lookup_enclosing_symbols(files_.path(module), offsets);
    for (std::size_t i = 0; i < places.size(); i++) {
        OpenmpName& name = places_[places[i]].name;
        name.file = lines[i].file;
        name.line = lines[i].line;
        name.name += " @";
        if (has_line(lines[i]))
            append_format(name.name, "%s:%u", std::string(base_name(lines[i].file)).c_str(),
                          lines[i].line);
        else if (!symbols[i].name.empty())
            append_format(name.name, "%s+0x%llx", short_name(symbols[i].name).c_str(),
                          static_cast<unsigned long long>(symbols[i].distance) + 1);
        else
            name.name += name_without_symbol(path, offsets[i] + 1);
    }
}

}  // namespace vftrace
