// The keys of the rows of each list of a profile, their other members, and the names of the lists:
// together with the figures in profile/fields.hpp the complete description of most rows.
//
// Messages between ranks, merging, sorting, renumbering of paths and functions, and JSON use these
// descriptions: a list that is added to profile_lists is in all of them.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "profile/fields.hpp"
#include "profile/profile_json_words.hpp"

namespace vftrace {

// What the value of a key stands for.
struct PathIndex {};       // into Profile::paths
struct PathOrNone {};      // the same; no_index in a row of what was left out
struct PathIfKnown {};     // the same, or no_index: absent in JSON
struct FunctionOrNone {};  // index into Profile::functions, or no_index: absent in JSON
struct ModuleOrNone {};    // index into Profile::modules, or no_index: absent in JSON
struct MetricIndex {};     // into Profile::metrics
struct RankOfRun {};       // below RunInfo::ranks
struct PeerRank {};        // the same, or unknown_peer
struct AsItIs {};          // itself
struct GpuCall {           // a gpu_call_id(): in JSON two numbers, that of the API and this one
    const char* function;
};
template <class Value, std::size_t size>
struct WordOf {  // an enumerator, in JSON its word; all have one, in their order
    const profile_json::Word<Value> (&words)[size];
};
template <class Value, std::size_t size>
WordOf(const profile_json::Word<Value> (&)[size]) -> WordOf<Value, size>;

template <class Row, class Value, class Role>
struct Key {
    const char* name;  // in JSON
    Value Row::*member;
    Role role;
    // For a text or a Boolean: absent in JSON if it is empty, or false.
    bool optional = false;

    using ValueType = Value;
    using RoleType = Role;
    // Whether it is lost in a row of what was left out.
    static constexpr bool is_lost = std::is_same_v<Value, std::uint32_t>;
};
template <class Row, class Value, class Role, class... Rest>
Key(const char*, Value Row::*, Role, Rest...) -> Key<Row, Value, Role>;

// Rows of a list differ in at least one of these, by which they are sorted, beginning with the
// first.
template <class Row>
inline constexpr std::tuple<> keys_of{};

// What is the same for all rows that are about the same thing, or is taken from the first of them.
template <class Row>
inline constexpr std::tuple<> labels_of{};

// In a row that stands for all those that merging the ranks of a large job left out, this key, the
// others and the indices among the labels are no_index, and absent in JSON. nullptr: the list does
// not have such a row.
template <class Row>
inline constexpr std::uint32_t Row::*rest_mark = nullptr;

template <>
inline constexpr std::tuple keys_of<MetricValue>{
    Key{"node", &MetricValue::path, PathIndex{}},
    Key{"metric", &MetricValue::metric, MetricIndex{}}};

template <>
inline constexpr std::tuple keys_of<PathMessages>{Key{"node", &PathMessages::path, PathIndex{}}};

template <>
inline constexpr std::tuple keys_of<PeerMessages>{Key{"rank", &PeerMessages::rank, RankOfRun{}},
                                                  Key{"peer", &PeerMessages::peer, PeerRank{}},
                                                  Key{"node", &PeerMessages::path, PathIndex{}}};

template <>
inline constexpr std::tuple keys_of<RankFigures>{Key{"rank", &RankFigures::rank, RankOfRun{}}};
template <>
inline constexpr std::tuple labels_of<RankFigures>{Key{"host", &RankFigures::host, AsItIs{}},
                                                   Key{"pid", &RankFigures::pid, AsItIs{}}};

template <>
inline constexpr std::tuple keys_of<RankMetric>{Key{"rank", &RankMetric::rank, RankOfRun{}},
                                                Key{"metric", &RankMetric::metric, MetricIndex{}}};
template <>
inline constexpr std::tuple labels_of<RankMetric>{Key{"value", &RankMetric::value, AsItIs{}}};

template <>
inline constexpr std::tuple keys_of<HostMetric>{Key{"host", &HostMetric::host, AsItIs{}},
                                                Key{"device", &HostMetric::device, AsItIs{}, true},
                                                Key{"metric", &HostMetric::metric, MetricIndex{}}};
template <>
inline constexpr std::tuple labels_of<HostMetric>{Key{"value", &HostMetric::value, AsItIs{}}};

template <>
inline constexpr std::tuple keys_of<RegionFigures>{
    Key{"host", &RegionFigures::host, AsItIs{}}, Key{"machine", &RegionFigures::machine, AsItIs{}},
    Key{"part", &RegionFigures::part, WordOf{profile_json::region_parts}},
    Key{"function", &RegionFigures::function, FunctionOrNone{}}};
template <>
inline constexpr std::tuple labels_of<RegionFigures>{Key{"id", &RegionFigures::id, AsItIs{}}};

template <>
inline constexpr std::tuple keys_of<RegionMetric>{
    Key{"host", &RegionMetric::host, AsItIs{}}, Key{"machine", &RegionMetric::machine, AsItIs{}},
    Key{"part", &RegionMetric::part, WordOf{profile_json::region_parts}},
    Key{"id", &RegionMetric::id, AsItIs{}}, Key{"metric", &RegionMetric::metric, MetricIndex{}}};
template <>
inline constexpr std::tuple labels_of<RegionMetric>{Key{"value", &RegionMetric::value, AsItIs{}}};

template <>
inline constexpr std::tuple keys_of<Series>{Key{"rank", &Series::rank, RankOfRun{}},
                                            Key{"metric", &Series::metric, MetricIndex{}},
                                            Key{"node", &Series::path, PathIfKnown{}}};

template <>
inline constexpr std::tuple keys_of<EarlierSection>{Key{"id", &EarlierSection::id, AsItIs{}}};
template <>
inline constexpr std::tuple labels_of<EarlierSection>{
    Key{"parent", &EarlierSection::parent, AsItIs{}}, Key{"name", &EarlierSection::name, AsItIs{}},
    Key{"level", &EarlierSection::level, AsItIs{}}, Key{"place", &EarlierSection::place, AsItIs{}}};

template <>
inline constexpr std::tuple keys_of<ThreadFigures>{Key{"rank", &ThreadFigures::rank, RankOfRun{}},
                                                   Key{"number", &ThreadFigures::number, AsItIs{}}};
template <>
inline constexpr std::tuple labels_of<ThreadFigures>{
    Key{"start", &ThreadFigures::start, PathOrNone{}},
    Key{"name", &ThreadFigures::name, AsItIs{}, true},
    Key{"processors", &ThreadFigures::processors, AsItIs{}, true},
    Key{"core", &ThreadFigures::core, AsItIs{}, true},
    Key{"openmp_worker", &ThreadFigures::openmp_worker, AsItIs{}, true}};
template <>
inline constexpr auto rest_mark<ThreadFigures> = &ThreadFigures::number;

template <>
inline constexpr std::tuple keys_of<ThreadPath>{Key{"thread", &ThreadPath::thread, AsItIs{}},
                                                Key{"node", &ThreadPath::path, PathIndex{}}};

template <>
inline constexpr std::tuple keys_of<TaskLoop>{Key{"rank", &TaskLoop::rank, RankOfRun{}},
                                              Key{"number", &TaskLoop::number, AsItIs{}}};
template <>
inline constexpr std::tuple labels_of<TaskLoop>{
    Key{"longest_task", &TaskLoop::longest_task, PathOrNone{}}};
template <>
inline constexpr auto rest_mark<TaskLoop> = &TaskLoop::number;

template <>
inline constexpr std::tuple keys_of<ParallelRegion>{
    Key{"node", &ParallelRegion::path, PathIndex{}}};

template <>
inline constexpr std::tuple keys_of<PathAddresses>{
    Key{"node", &PathAddresses::path, PathIndex{}},
    Key{"module", &PathAddresses::module, ModuleOrNone{}}};

template <>
inline constexpr std::tuple keys_of<PathLatencies>{Key{"node", &PathLatencies::path, PathIndex{}}};

template <>
inline constexpr std::tuple keys_of<GpuFunction>{Key{"api", &GpuFunction::id, GpuCall{"cbid"}}};
template <>
inline constexpr std::tuple labels_of<GpuFunction>{Key{"name", &GpuFunction::name, AsItIs{}}};

template <>
inline constexpr std::tuple keys_of<PathGpuWork>{
    Key{"node", &PathGpuWork::path, PathIndex{}},
    Key{"function", &PathGpuWork::function, FunctionOrNone{}},
    Key{"work", &PathGpuWork::work, WordOf{profile_json::gpu_work_kinds}}};

template <>
inline constexpr std::tuple keys_of<GpuStreamFigures>{
    Key{"rank", &GpuStreamFigures::rank, RankOfRun{}},
    Key{"device", &GpuStreamFigures::device, AsItIs{}},
    Key{"context", &GpuStreamFigures::context, AsItIs{}},
    Key{"stream", &GpuStreamFigures::stream, AsItIs{}}};
template <>
inline constexpr auto rest_mark<GpuStreamFigures> = &GpuStreamFigures::stream;

template <>
inline constexpr std::tuple keys_of<GpuDeviceFigures>{
    Key{"rank", &GpuDeviceFigures::rank, RankOfRun{}},
    Key{"number", &GpuDeviceFigures::number, AsItIs{}}};
template <>
inline constexpr std::tuple labels_of<GpuDeviceFigures>{
    Key{"name", &GpuDeviceFigures::name, AsItIs{}}};

template <>
inline constexpr std::tuple keys_of<RankValues>{Key{"node", &RankValues::path, PathIndex{}}};

template <>
inline constexpr std::tuple keys_of<PathTransfers>{Key{"node", &PathTransfers::path, PathIndex{}}};

template <>
inline constexpr std::tuple keys_of<ConstructDeviceFigures>{
    Key{"rank", &ConstructDeviceFigures::rank, RankOfRun{}},
    Key{"model", &ConstructDeviceFigures::model, WordOf{profile_json::programming_model_words}},
    Key{"host", &ConstructDeviceFigures::is_host, AsItIs{}},
    Key{"number", &ConstructDeviceFigures::number, AsItIs{}}};

template <>
inline constexpr std::tuple keys_of<LockWait>{
    Key{"module", &LockWait::module, ModuleOrNone{}},
    Key{"offset", &LockWait::offset, AsItIs{}},
    Key{"origin", &LockWait::origin, PathIfKnown{}},
    Key{"kind", &LockWait::kind, WordOf{profile_json::lock_kind_words}},
    Key{"node", &LockWait::path, PathIndex{}},
    Key{"holder", &LockWait::holder, PathIfKnown{}}};
template <>
inline constexpr std::tuple labels_of<LockWait>{Key{"lock", &LockWait::name, AsItIs{}, true}};

template <>
inline constexpr std::tuple keys_of<HeapSiteRow>{
    Key{"node", &HeapSiteRow::path, PathIndex{}},
    Key{"module", &HeapSiteRow::module, ModuleOrNone{}},
    Key{"offset", &HeapSiteRow::offset, AsItIs{}}};
template <>
inline constexpr std::tuple labels_of<HeapSiteRow>{Key{"file", &HeapSiteRow::file, AsItIs{}, true},
                                                   Key{"line", &HeapSiteRow::line, AsItIs{}}};

template <>
inline constexpr std::tuple keys_of<Annotation>{
    Key{"interface", &Annotation::interface, WordOf{profile_json::annotation_interface_words}},
    Key{"role", &Annotation::role, WordOf{profile_json::annotation_role_words}},
    Key{"name", &Annotation::name, AsItIs{}}, Key{"detail", &Annotation::detail, AsItIs{}, true}};

template <>
inline constexpr std::tuple keys_of<FileCalls>{
    Key{"node", &FileCalls::path, PathIndex{}}, Key{"file", &FileCalls::file, AsItIs{}, true},
    Key{"kind", &FileCalls::kind, WordOf{profile_json::file_kind_words}}};

template <>
inline constexpr std::tuple keys_of<FileFigures>{
    Key{"file", &FileFigures::file, AsItIs{}, true},
    Key{"kind", &FileFigures::kind, WordOf{profile_json::file_kind_words}}};
template <>
inline constexpr std::tuple labels_of<FileFigures>{
    Key{"file_system", &FileFigures::file_system, AsItIs{}},
    Key{"block", &FileFigures::block, AsItIs{}}};

template <>
inline constexpr std::tuple keys_of<Placement>{
    Key{"node", &Placement::path, PathIndex{}}, Key{"module", &Placement::module, ModuleOrNone{}},
    Key{"offset", &Placement::offset, AsItIs{}}, Key{"thread", &Placement::thread, AsItIs{}},
    Key{"memory_node", &Placement::memory_node, AsItIs{}}};

template <>
inline constexpr std::tuple keys_of<WaitState>{
    Key{"rank", &WaitState::rank, RankOfRun{}}, Key{"node", &WaitState::path, PathIndex{}},
    Key{"pattern", &WaitState::pattern, WordOf{profile_json::wait_pattern_words}}};

template <>
inline constexpr std::tuple keys_of<WaitCause>{
    Key{"rank", &WaitCause::rank, RankOfRun{}}, Key{"node", &WaitCause::path, PathIndex{}},
    Key{"pattern", &WaitCause::pattern, WordOf{profile_json::wait_pattern_words}},
    Key{"waiting_node", &WaitCause::waiting_path, PathIndex{}}};

template <>
inline constexpr std::tuple keys_of<CriticalPath>{Key{"rank", &CriticalPath::rank, RankOfRun{}},
                                                  Key{"node", &CriticalPath::path, PathIndex{}}};

// A list, and its place in JSON: the object in the document, or empty, and the name there. Without
// a name, its rows are part of those of another list.
template <class RowType>
struct List {
    const char* section;
    const char* name;
    std::vector<RowType> Profile::*rows;

    using Row = RowType;
};
template <class Row>
List(const char*, const char*, std::vector<Row> Profile::*) -> List<Row>;

// In the order of JSON.
inline constexpr std::tuple profile_lists{List{"", "", &Profile::metric_values},
                                          List{"", "", &Profile::messages},
                                          List{"", "threads", &Profile::threads},
                                          List{"", "", &Profile::thread_paths},
                                          List{"", "task_loops", &Profile::task_loops},
                                          List{"", "parallel_regions", &Profile::parallel_regions},
                                          List{"", "lock_waits", &Profile::lock_waits},
                                          List{"", "heap_sites", &Profile::heap_sites},
                                          List{"", "placement", &Profile::placement},
                                          List{"", "annotations", &Profile::annotations},
                                          List{"", "file_calls", &Profile::file_calls},
                                          List{"", "files", &Profile::files},
                                          List{"", "addresses", &Profile::addresses},
                                          List{"", "latencies", &Profile::latencies},
                                          List{"", "rank_metrics", &Profile::rank_metrics},
                                          List{"", "host_metrics", &Profile::host_metrics},
                                          List{"", "regions", &Profile::regions},
                                          List{"", "region_metrics", &Profile::region_metrics},
                                          List{"", "series", &Profile::series},
                                          List{"", "earlier_sections", &Profile::earlier_sections},
                                          List{"offload", "nodes", &Profile::transfers},
                                          List{"offload", "devices", &Profile::construct_devices},
                                          List{"gpu", "functions", &Profile::gpu_functions},
                                          List{"gpu", "work", &Profile::gpu_work},
                                          List{"gpu", "streams", &Profile::gpu_streams},
                                          List{"gpu", "devices", &Profile::gpu_devices},
                                          List{"waits", "states", &Profile::wait_states},
                                          List{"waits", "causes", &Profile::wait_causes},
                                          List{"waits", "critical_path", &Profile::critical_path},
                                          List{"", "ranks", &Profile::ranks},
                                          List{"", "rank_values", &Profile::rank_values},
                                          List{"", "communication", &Profile::matrix}};

template <class Visit>
constexpr void for_each_list(Visit visit) {
    std::apply([&](const auto&... list) { (visit(list), ...); }, profile_lists);
}

template <class Row, class Visit>
constexpr void for_each_key(Visit visit) {
    std::apply([&](const auto&... key) { (visit(key), ...); }, keys_of<Row>);
}
template <class Row, class Visit>
constexpr void for_each_key_and_label(Visit visit) {
    for_each_key<Row>(visit);
    std::apply([&](const auto&... label) { (visit(label), ...); }, labels_of<Row>);
}

template <class Role, class KeyType>
inline constexpr bool has_role =
    std::is_same_v<Role, typename std::remove_cvref_t<KeyType>::RoleType>;

// Whether it stands for an index that may be no_index in any row, and then is absent in JSON.
template <class KeyType>
inline constexpr bool may_be_absent =
    has_role<PathIfKnown, KeyType> || has_role<FunctionOrNone, KeyType> ||
    has_role<ModuleOrNone, KeyType>;

// Whether it stands for a path.
template <class KeyType>
inline constexpr bool is_path =
    has_role<PathIndex, KeyType> || has_role<PathOrNone, KeyType> || has_role<PathIfKnown, KeyType>;

template <class Row, class Role>
constexpr bool has_key_of_role() {
    bool found = false;
    for_each_key<Row>([&](const auto& key) { found |= has_role<Role, decltype(key)>; });
    return found;
}

// All keys of a row, for comparisons.
template <class Row>
constexpr auto key_of(const Row& row) {
    return std::apply([&](const auto&... key) { return std::tie(row.*key.member...); },
                      keys_of<Row>);
}
template <class Row>
constexpr bool key_before(const Row& a, const Row& b) {
    return key_of(a) < key_of(b);
}
template <class Row>
constexpr bool same_key(const Row& a, const Row& b) {
    return key_of(a) == key_of(b);
}

template <class Row>
constexpr bool is_rest(const Row& row) {
    if constexpr (rest_mark<Row> != nullptr)
        return row.*rest_mark<Row> == no_index;
    return false;
}

}  // namespace vftrace
