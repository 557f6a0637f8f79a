// From what a node was called by (address, region) to a Function with its names.
#include "collate/function_names.hpp"

#include "base/index_table.hpp"
#include "mpi/functions.hpp"
#include "symbol/elf_symbols.hpp"
#include "symbol/modules.hpp"
#include "symbol/names.hpp"
#include "symbol/source_lines.hpp"
#include "tree/paths.hpp"
#include "tree/region_names.hpp"

namespace vftrace {

struct FunctionTable::Impl {
    std::vector<Module>& modules;
    std::vector<Function>& functions;
    IndexTable by_identity;
    std::vector<std::uintptr_t> keys;           // by function: decides between unnamed addresses
    std::vector<std::uint32_t> module_indices;  // by loaded module: index into `modules`
};

FunctionTable::FunctionTable(std::vector<Module>& modules, std::vector<Function>& functions)
    : impl_(new Impl{modules, functions, {}, {}, {}}) {
    impl_->module_indices.assign(module_count(), no_index);
}

FunctionTable::~FunctionTable() { delete impl_; }

std::uint32_t FunctionTable::index_of(const Node& node) {
    std::uint32_t module_index = no_index;
    std::uintptr_t offset = node.key;
    if (node.kind == NodeKind::function && node.module < impl_->module_indices.size()) {
        FunctionPlace place = function_place(node);
        offset = place.offset;
        if (impl_->module_indices[place.module] == no_index) {
            impl_->module_indices[place.module] = static_cast<std::uint32_t>(impl_->modules.size());
            impl_->modules.push_back({module(place.module).path, ""});
        }
        module_index = impl_->module_indices[place.module];
    }
    std::vector<Function>& functions = impl_->functions;
    std::uint64_t hash = offset * 31 + module_index;
    std::uint32_t index = impl_->by_identity.find_or_add(
        hash, static_cast<std::uint32_t>(functions.size()), [&](std::uint32_t i) {
            return functions[i].module == module_index && functions[i].offset == offset &&
                   impl_->keys[i] == (module_index == no_index ? node.key : 0);
        });
    if (index < functions.size())
        return index;
    Function function;
    function.module = module_index;
    function.offset = offset;
    switch (node.kind) {
    case NodeKind::root:
        function.kind = FunctionKind::root;
        function.name = "init";
        break;
    case NodeKind::region:
        function.kind = FunctionKind::region;
        function.name = region_name(node.key);
        break;
    case NodeKind::mpi: {
        char buffer[64];
        function.kind = FunctionKind::mpi;
        function.symbol = function.name = mpi_name(node.key, buffer);
        break;
    }
    case NodeKind::pause:
        function.kind = FunctionKind::pause;
        function.symbol = function.name = "vftrace_pause";
        break;
    default:
        break;
    }
    functions.push_back(std::move(function));
    impl_->keys.push_back(module_index == no_index ? node.key : 0);
    return index;
}

void FunctionTable::look_up_names() {
    // Functions sorted by module: each file is opened once.
    std::vector<std::vector<std::uint32_t>> by_module(impl_->modules.size());
    for (std::uint32_t i = 0; i < impl_->functions.size(); i++) {
        Function& function = impl_->functions[i];
        if (function.module != no_index)
            by_module[function.module].push_back(i);
        else if (function.kind == FunctionKind::function)
            function.name = name_without_symbol("", function.offset);
        if (function.kind != FunctionKind::function)
            function.offset = 0;
    }
    for (std::uint32_t m = 0; m < by_module.size(); m++) {
        Module& file = impl_->modules[m];
        std::vector<std::uint64_t> offsets;
        offsets.reserve(by_module[m].size());
        for (std::uint32_t i : by_module[m])
            offsets.push_back(impl_->functions[i].offset);
        ModuleSymbols symbols = lookup_symbols(file.path, offsets);
        file.build_id = symbols.build_id;
        for (std::size_t j = 0; j < offsets.size(); j++) {
            Function& function = impl_->functions[by_module[m][j]];
            function.symbol = std::move(symbols.names[j]);
            function.name = function.symbol.empty()
                                ? name_without_symbol(file.path, function.offset)
                                : clean_name(function.symbol);
            if (function.symbol.starts_with("_Z"))
                function.demangled = demangle(function.symbol);
        }
    }
}

void look_up_source_lines(Profile& profile) {
    std::vector<std::vector<std::uint32_t>> by_module(profile.modules.size());
    for (std::uint32_t i = 0; i < profile.functions.size(); i++)
        if (profile.functions[i].module != no_index)
            by_module[profile.functions[i].module].push_back(i);
    for (std::uint32_t m = 0; m < by_module.size(); m++) {
        std::vector<std::uint64_t> offsets;
        offsets.reserve(by_module[m].size());
        for (std::uint32_t i : by_module[m])
            offsets.push_back(profile.functions[i].offset);
        std::vector<SourceLine> lines = lookup_source_lines(profile.modules[m].path, offsets);
        for (std::size_t j = 0; j < lines.size(); j++) {
            Function& function = profile.functions[by_module[m][j]];
            function.file = std::move(lines[j].file);
            function.line = lines[j].line;
        }
    }
}

}  // namespace vftrace
