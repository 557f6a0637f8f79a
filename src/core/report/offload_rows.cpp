#include "report/offload_rows.hpp"

#include <algorithm>
#include <optional>

#include "base/index_table.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/text_hash.hpp"
#include "record/openmp_constructs.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

struct Construct {
    ProgrammingModel model;
    ConstructTime time;
    std::uint32_t event;
    bool launches;
};

constexpr struct {
    OpenmpConstruct construct;
    ConstructTime time;
    bool launches = false;
} openmp_rows[] = {{OpenmpConstruct::target, ConstructTime::compute, true},
                   {OpenmpConstruct::target_data, ConstructTime::data},
                   {OpenmpConstruct::target_update, ConstructTime::data},
                   {OpenmpConstruct::target_to_device, ConstructTime::data},
                   {OpenmpConstruct::target_from_device, ConstructTime::data},
                   {OpenmpConstruct::target_alloc, ConstructTime::data},
                   {OpenmpConstruct::target_free, ConstructTime::data},
                   {OpenmpConstruct::target_launch, ConstructTime::compute}};

// "omp target" of "omp target @heat.c:42".
std::string_view construct_name(std::string_view name) { return name.substr(0, name.find(" @")); }

std::optional<Construct> construct_of(const Function& function) {
    if (function.kind == NodeKind::gpu && is_openacc(function.offset)) {
        const OpenaccEvent* event = openacc_event(openacc_event_number(function.offset));
        if (event)
            return Construct{ProgrammingModel::openacc, event->time, event->number, false};
    }
    if (function.kind == NodeKind::openmp)
        for (const auto& row : openmp_rows)
            if (construct_name(function.name) ==
                openmp_constructs[static_cast<std::size_t>(row.construct)].name)
                return Construct{ProgrammingModel::openmp, row.time, 0, row.launches};
    return {};
}

// Compilers turn the bodies of OpenMP constructs into functions.
bool is_outlined(std::string_view name) {
    for (std::string_view part : {".omp_outlined", ".omp_task_entry", "._omp_fn."})
        if (name.find(part) != std::string_view::npos)
            return true;
    return false;
}

bool has_position(const Function& function) { return !function.file.empty() && function.line != 0; }

void add(OffloadFigures& sum, const OffloadFigures& value) {
    add_saturating(sum.calls, value.calls);
    for (std::size_t i = 0; i < construct_times; i++)
        add_saturating(sum.ns[i], value.ns[i]);
    for (std::size_t i = 0; i < construct_bytes; i++) {
        add_saturating(sum.transfers[i], value.transfers[i]);
        add_saturating(sum.bytes[i], value.bytes[i]);
    }
}

class Rows {
  public:
    Rows(const Profile& profile, ProgrammingModel model)
        : profile_(profile), model_(model), row_of_(profile.paths.size(), no_index),
          outermost_(profile.paths.size(), no_index) {
        for (const Function& function : profile.functions)
            constructs_.push_back(construct_of(function));
    }

    OffloadRows take() {
        std::size_t next = 0;
        const std::vector<PathTransfers>& moved = profile_.transfers;
        for (std::uint32_t path = 0; path < profile_.paths.size(); path++) {
            while (next < moved.size() && moved[next].path < path)
                next++;
            const std::uint32_t parent = profile_.paths[path].parent;
            const std::uint32_t around = parent == no_index ? no_index : row_of_[parent];
            const std::optional<Construct>& construct = constructs_[profile_.paths[path].function];
            if (!construct || construct->model != model_) {
                add_to_construct(path, around);
                continue;
            }
            const bool has_moved = next < moved.size() && moved[next].path == path;
            add_row(path, *construct, parent == no_index ? no_index : outermost_[parent],
                    has_moved ? &moved[next] : nullptr);
        }
        for (const OffloadRow& row : result_.rows)
            add(result_.regions[row.region].figures, row.figures);
        mark_launches();
        return std::move(result_);
    }

  private:
    const Function& function_of(std::uint32_t path) const {
        return profile_.functions[profile_.paths[path].function];
    }

    // Calls of CUDA, and functions that the host runs, are part of what the construct does; threads
    // continue in parallel.
    void add_to_construct(std::uint32_t path, std::uint32_t row) {
        const NodeKind kind = function_of(path).kind;
        const bool belongs =
            row != no_index && kind != NodeKind::thread && kind != NodeKind::openmp;
        row_of_[path] = belongs ? row : no_index;
        if (belongs)
            add_saturating(
                result_.rows[row].figures.ns[static_cast<std::size_t>(result_.rows[row].time)],
                profile_.paths[path].exclusive_ns);
    }

    // `around`: the construct whose position applies to everything in it, if there is one.
    void add_row(std::uint32_t path, const Construct& construct, std::uint32_t around,
                 const PathTransfers* moved) {
        const bool inherits = around != no_index && (has_position(function_of(around)) ||
                                                     !has_position(function_of(path)));
        outermost_[path] = inherits ? around : path;
        row_of_[path] = static_cast<std::uint32_t>(result_.rows.size());
        OffloadRow& row = result_.rows.emplace_back();
        row.path = path;
        row.event = construct.event;
        row.time = construct.time;
        row.region = region_of(outermost_[path]);
        row.figures.calls = profile_.paths[path].calls;
        row.figures.ns[static_cast<std::size_t>(construct.time)] =
            profile_.paths[path].exclusive_ns;
        if (moved) {
            const TransferFigures* const parts[] = {&moved->to_device, &moved->to_host,
                                                    &moved->on_device};
            for (std::size_t i = 0; i < construct_bytes; i++) {
                row.figures.transfers[i] = parts[i]->count;
                row.figures.bytes[i] = parts[i]->bytes;
            }
        }
    }

    std::uint32_t region_of(std::uint32_t construct) {
        const Function& function = function_of(construct);
        const Function& caller = function_of(calling_function(profile_, construct));
        const std::string name = function.kind == NodeKind::gpu && !function.symbol.empty()
                                     ? short_name(function.symbol)
                                 : caller.kind == NodeKind::root ? "-"
                                                                 : caller.display;
        std::string key = name + '\n';
        if (has_position(function))
            key += function.file + format("\n%u", function.line);
        else if (model_ == ProgrammingModel::openmp)
            key += function.name;
        const auto next = static_cast<std::uint32_t>(result_.regions.size());
        const std::uint32_t index = regions_.find_or_add(
            text_hash(key), next, [&](std::uint32_t i) { return keys_[i] == key; });
        if (index == next) {
            keys_.push_back(std::move(key));
            result_.regions.push_back({construct, name, {}});
        }
        return index;
    }

    // Libraries that do not report launches, such as GCC's on the host, still compute.
    void mark_launches() {
        constexpr std::uint32_t compute_construct = 16, enqueue_launch = 18;
        const bool reported =
            std::any_of(result_.rows.begin(), result_.rows.end(),
                        [](const OffloadRow& row) { return row.event == enqueue_launch; });
        for (OffloadRow& row : result_.rows)
            row.launches = model_ == ProgrammingModel::openmp
                               ? constructs_[profile_.paths[row.path].function]->launches
                               : row.event == (reported ? enqueue_launch : compute_construct);
    }

    const Profile& profile_;
    ProgrammingModel model_;
    std::vector<std::optional<Construct>> constructs_;  // by function
    std::vector<std::uint32_t> row_of_;                 // by path: the row that its time is part of
    std::vector<std::uint32_t> outermost_;              // by path, of constructs: see add_row()
    OffloadRows result_;
    IndexTable regions_;
    std::vector<std::string> keys_;
};

}  // namespace

std::int64_t OffloadFigures::all_time() const {
    std::int64_t sum = 0;
    for (std::int64_t part : ns)
        add_saturating(sum, part);
    return sum;
}

std::uint64_t OffloadFigures::all_bytes() const {
    std::uint64_t sum = 0;
    for (std::uint64_t part : bytes)
        add_saturating(sum, part);
    return sum;
}

OffloadRows offload_rows(const Profile& profile, ProgrammingModel model) {
    return Rows(profile, model).take();
}

bool uses_offload(const Profile& profile, ProgrammingModel model) {
    return std::any_of(profile.functions.begin(), profile.functions.end(),
                       [&](const Function& function) {
                           const std::optional<Construct> construct = construct_of(function);
                           return construct && construct->model == model;
                       });
}

std::uint32_t calling_function(const Profile& profile, std::uint32_t path) {
    while (profile.paths[path].parent != no_index) {
        path = profile.paths[path].parent;
        const Function& function = profile.functions[profile.paths[path].function];
        if (function.kind == NodeKind::function && !is_outlined(function.name))
            break;
    }
    return path;
}

}  // namespace vftrace
