#include "collate/function_names.hpp"

#include <algorithm>

#include "base/text_hash.hpp"
#include "record/function_place.hpp"
#include "record/io_functions.hpp"
#include "record/mpi_functions.hpp"
#include "record/openacc_events.hpp"
#include "symbol/elf_symbols.hpp"
#include "symbol/names.hpp"
#include "symbol/source_lines.hpp"

namespace vftrace {

FunctionTable::FunctionTable(Profile& profile, CodeFiles& files, PerfMapFile perf_map,
                             bool source_lines)
    : modules_(profile.modules), functions_(profile.functions), files_(files),
      loaded_(files.modules()), openmp_(files, source_lines), generated_(std::move(perf_map)),
      loaded_as_(profile.modules.size(), no_module) {}

std::uint32_t FunctionTable::module_index(std::uint16_t loaded) {
    if (loaded >= module_indices_.size())
        module_indices_.resize(loaded + 1u, no_index);
    std::uint32_t& index = module_indices_[loaded];
    if (index == no_index) {
        index = static_cast<std::uint32_t>(modules_.size());
        const LoadedModule& module = loaded_.modules[loaded];
        modules_.push_back({module.path, build_id_text(module.id)});
        loaded_as_.push_back(loaded);
    }
    return index;
}

FunctionTable::Identity FunctionTable::identity_of(const Node& node) {
    const std::uintptr_t key = __atomic_load_n(&node.key, __ATOMIC_RELAXED);
    switch (row_of(node.kind).key) {
    case KeyKind::fixed:
        return {node.kind};
    case KeyKind::text:
    case KeyKind::section:
    case KeyKind::mpi_call:
    case KeyKind::io_call:
        return {node.kind, no_index, key};
    case KeyKind::construct:
        return {node.kind, no_index, 0, &openmp_.name_of(node)};
    case KeyKind::gpu_name: {
        const auto* name = reinterpret_cast<const GpuCallName*>(key);
        const std::uint64_t id = gpu_call_id(name->api, name->callback);
        if (name->api == GpuApi::openacc)
            return {node.kind, no_index, id, nullptr, nullptr, name};
        return {node.kind, no_index, id, nullptr, gpu_symbol(*name)};
    }
    case KeyKind::code:
    case KeyKind::node:
    case KeyKind::folded:
        break;
    }
    const FunctionPlace place = function_place(node, loaded_);
    if (place.module == no_module) {
        Identity identity{NodeKind::function, no_index, place.offset};
        if ((identity.generated = generated_function(node)))
            identity.number = identity.generated->start;
        return identity;
    }
    return {NodeKind::function, module_index(place.module), place.offset};
}

const GeneratedFunction* FunctionTable::generated_function(const Node& node) {
    const std::uintptr_t key = __atomic_load_n(&node.key, __ATOMIC_RELAXED);
    const GeneratedFunction* function = generated_.find(key);
    // A whole page, of which only the beginning is known to be in the function.
    const bool is_page = (node.flags & node_sampled) && page_of_code(key) == key;
    return function && (!is_page || page_of_code(function->end) > key) ? function : nullptr;
}

static const char* text_or_empty(const char* text) { return text ? text : ""; }

static bool is_same(const Function& known, const GpuCallName& event) {
    return known.name == event.function && known.file == text_or_empty(event.file) &&
           known.symbol == text_or_empty(event.within);
}

bool FunctionTable::is_same(std::uint32_t function, const Identity& identity) const {
    const Function& known = functions_[function];
    return known.kind == identity.kind && known.module == identity.module &&
           numbers_[function] == identity.number &&
           (!identity.openmp || known.name == identity.openmp->name) &&
           (!identity.gpu || known.symbol == identity.gpu) &&
           (identity.generated ? known.symbol == identity.generated->name
                               : !is_generated(function)) &&
           (!identity.openacc || vftrace::is_same(known, *identity.openacc));
}

std::uint32_t FunctionTable::index_of(const Node& node) { return index_of(identity_of(node)); }

std::uint32_t FunctionTable::index_of_root() { return index_of(Identity{NodeKind::root}); }

std::uint32_t FunctionTable::index_of_kernel(const char* symbol) {
    return index_of(Identity{NodeKind::gpu, no_index, 0, nullptr, symbol});
}

std::uint32_t FunctionTable::index_of(const Identity& identity) {
    const std::uint64_t hash = identity.openmp    ? text_hash(identity.openmp->name)
                               : identity.openacc ? text_hash(identity.openacc->function)
                               : identity.gpu
                                   ? text_hash(identity.gpu, identity.number)
                                   : identity.number * 31 + identity.module +
                                         (static_cast<std::uint64_t>(identity.kind) << 56);
    const auto next = static_cast<std::uint32_t>(functions_.size());
    const std::uint32_t index =
        by_identity_.find_or_add(hash, next, [&](std::uint32_t i) { return is_same(i, identity); });
    if (index == next)
        add_function(identity);
    return index;
}

void FunctionTable::add_function(const Identity& identity) {
    Function function;
    function.kind = identity.kind;
    function.module = identity.module;
    function.name = row_of(identity.kind).name;
    switch (row_of(identity.kind).key) {
    case KeyKind::fixed:
        if (identity.kind == NodeKind::pause)
            function.symbol = function.name;
        break;
    case KeyKind::code:
        function.offset = identity.number;
        if (identity.generated)
            function.symbol = function.name = identity.generated->name;
        break;
    case KeyKind::section:
        function.offset = section_level(identity.number);
        [[fallthrough]];
    case KeyKind::text:
        function.name = region_name(identity.number);
        break;
    case KeyKind::mpi_call: {
        char buffer[64];
        function.symbol = function.name = mpi_name(identity.number, buffer);
        break;
    }
    case KeyKind::io_call:
        function.symbol = function.name = io_name(identity.number);
        break;
    case KeyKind::construct:
        if (const OpenmpName* construct = identity.openmp) {
            function.name = construct->name;
            function.file = construct->file;
            function.line = construct->line;
        }
        break;
    case KeyKind::gpu_name:
        function.offset = identity.number;
        if (const GpuCallName* event = identity.openacc) {
            function.name = event->function;
            function.symbol = text_or_empty(event->within);
            function.file = text_or_empty(event->file);
            function.line = event->line;
        } else {
            function.symbol = function.name = identity.gpu;
        }
        break;
    case KeyKind::node:
    case KeyKind::folded:
        break;  // these do not have paths
    }
    functions_.push_back(std::move(function));
    numbers_.push_back(identity.number);
}

void FunctionTable::look_up_names() {
    // Functions sorted by module: each file is opened once.
    std::vector<std::vector<std::uint32_t>> by_module(modules_.size());
    for (std::uint32_t i = 0; i < functions_.size(); i++) {
        Function& function = functions_[i];
        if (function.module != no_index)
            by_module[function.module].push_back(i);
        else if (function.kind == NodeKind::function && function.symbol.empty())
            function.name = name_without_symbol("", function.offset);
        else if (function.kind == NodeKind::gpu && !is_openacc(function.offset))
            function.demangled = demangle(function.symbol);
    }
    for (std::uint32_t m = 0; m < by_module.size(); m++) {
        Module& file = modules_[m];
        std::vector<std::uint64_t> offsets;
        offsets.reserve(by_module[m].size());
        for (std::uint32_t i : by_module[m])
            offsets.push_back(functions_[i].offset);
        ModuleSymbols symbols = lookup_symbols(files_, loaded_as_[m], offsets);
        if (file.build_id.empty())
            file.build_id = symbols.build_id;
        for (std::size_t j = 0; j < offsets.size(); j++) {
            Function& function = functions_[by_module[m][j]];
            function.symbol = std::move(symbols.names[j]);
            function.name = function.symbol.empty()
                                ? name_without_symbol(file.path, function.offset)
                                : clean_name(function.symbol);
            function.demangled = demangle(function.symbol);
        }
    }
}

// The processor time that a run spends on this. Programs with hooks were compiled to be profiled;
// samples are taken in any program, also in those that run for a moment, a thousand times, and
// whose libraries have much debug information.
static std::uint64_t time_for_source_lines(const RunInfo& run) {
    if (run.sample_period_ns == 0)
        return ~std::uint64_t{0};
    constexpr std::int64_t at_least_ns = 5'000'000, share = 50;
    return static_cast<std::uint64_t>(std::max(run.processor_ns / share, at_least_ns));
}

void look_up_source_lines(Profile& profile, CodeFiles& files) {
    std::uint64_t rest_ns = time_for_source_lines(profile.run);
    std::vector<std::vector<std::uint32_t>> by_module(profile.modules.size());
    for (std::uint32_t i = 0; i < profile.functions.size(); i++)
        if (profile.functions[i].module != no_index)
            by_module[profile.functions[i].module].push_back(i);
    for (std::uint32_t m = 0; m < by_module.size(); m++) {
        std::vector<std::uint64_t> offsets;
        offsets.reserve(by_module[m].size());
        for (std::uint32_t i : by_module[m])
            offsets.push_back(profile.functions[i].offset);
        const Module& module = profile.modules[m];
        std::vector<SourceLine> lines =
            lookup_source_lines(files.path(module.path, module.build_id), offsets, rest_ns);
        for (std::size_t j = 0; j < lines.size(); j++) {
            Function& function = profile.functions[by_module[m][j]];
            function.file = std::move(lines[j].file);
            function.line = lines[j].line;
        }
    }
}

}  // namespace vftrace
