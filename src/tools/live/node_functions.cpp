// Finds the function and its name from the key of a node of a watched process.
#include <optional>
#include <string>
#include <string_view>

#include "live/live_tree.hpp"
#include "record/function_place.hpp"
#include "record/gpu_record.hpp"
#include "record/io_functions.hpp"
#include "record/mpi_functions.hpp"
#include "record/openmp_constructs.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

// Whether a function of CUDA returns only when a device has finished something.
bool waits_for_device(std::string_view function) {
    const auto has = [&](std::string_view part) { return function.find(part) != function.npos; };
    return has("Synchronize") || (has("Mem") && (has("cpy") || has("set")) && !has("Async"));
}

}  // namespace

std::uint32_t LiveTree::function_of(const Node& node) {
    const std::uint64_t identity = (node.key * 0x9e3779b97f4a7c15u) ^
                                   (std::uint64_t{node.module} << 40) ^
                                   static_cast<std::uint64_t>(node.kind);
    const auto [known, is_new] = functions_.try_emplace(identity, 0);
    if (is_new)
        known->second = name_function(node);
    return known->second;
}

std::uint32_t LiveTree::name_function(const Node& node) {
    LiveFunctions& functions = names_.functions;
    const NodeKindRow& row = row_of(node.kind);
    const auto* text = reinterpret_cast<const char*>(node.key);
    switch (row.key) {
    case KeyKind::code: {
        if (node.module >= modules_.size())
            return functions.code(LiveFunctions::no_module_known,
                                  function_place(node, module_table_).offset);
        const bool retired = node.key & retired_bit;
        return functions.code(module_ids_[node.module],
                              retired ? node.key & retired_offset_mask
                                      : node.key - modules_[node.module].bias);
    }
    case KeyKind::text:
        return functions.named(node.kind, file_.text(text).value_or("(name lost)"), TimeIn::code);
    case KeyKind::section: {
        std::uint8_t before_name = last_section_level;
        file_.read(reinterpret_cast<const std::uint8_t*>(node.key) - 1, before_name);
        const std::optional<std::string> name = file_.text(text);
        const bool has_message = name && before_name & section_message_bit;
        return functions.section(name.value_or("(name lost)"), level_in(before_name),
                                 has_message ? file_.text(text + name->size() + 1).value_or("")
                                             : "");
    }
    case KeyKind::mpi_call: {
        char buffer[64];
        return functions.named(node.kind, mpi_name(node.key, buffer), TimeIn::mpi);
    }
    case KeyKind::io_call:
        return functions.named(node.kind, io_name(node.key), TimeIn::code);
    case KeyKind::construct: {
        const std::uint8_t construct = openmp_construct(node.key);
        const bool waits =
            construct < std::size(openmp_constructs) && openmp_constructs[construct].waits;
        return functions.named(node.kind, openmp_.name_of(node).name,
                               waits ? TimeIn::openmp_wait : TimeIn::code);
    }
    case KeyKind::gpu_name: {
        GpuCallName name;
        if (!file_.read(reinterpret_cast<const GpuCallName*>(node.key), name))
            return functions.named(node.kind, "(name lost)", TimeIn::code);
        const std::string function = file_.text(name.function).value_or("(name lost)");
        const std::string kernel = name.kernel ? file_.text(name.kernel).value_or("") : "";
        return functions.named(node.kind, kernel.empty() ? function : short_name(kernel),
                               waits_for_device(function) ? TimeIn::gpu_wait : TimeIn::code);
    }
    case KeyKind::fixed:
    case KeyKind::node:
    case KeyKind::folded:
        break;
    }
    return functions.named(node.kind, row.name, TimeIn::code);
}

}  // namespace vftrace
