// The words for enumerators in a profile's JSON file, for both the writer and the reader.
// doc/profile-json.md explains them to users.
#pragma once

#include <iterator>
#include <string_view>

#include "profile/profile.hpp"

namespace vftrace::profile_json {

inline constexpr std::string_view format_name = "vftrace-profile";
inline constexpr int format_version = 1;

template <class Value>
struct Word {
    Value value;
    std::string_view word;
};

template <class Value, std::size_t size>
std::string_view word_of(const Word<Value> (&words)[size], Value value) {
    for (const auto& [known, word] : words)
        if (known == value)
            return word;
    return {};
}

inline constexpr Word<GpuWork> gpu_work_kinds[] = {
    {GpuWork::kernel, "kernel"},
    {GpuWork::host_to_device, "host-to-device"},
    {GpuWork::device_to_host, "device-to-host"},
    {GpuWork::device_to_device, "device-to-device"},
    {GpuWork::peer_to_peer, "peer-to-peer"},
    {GpuWork::host_to_host, "host-to-host"},
    {GpuWork::migrated_to_device, "migrated-to-device"},
    {GpuWork::migrated_to_host, "migrated-to-host"},
    {GpuWork::memset, "memset"}};
static_assert(std::size(gpu_work_kinds) == gpu_works);

inline constexpr Word<ProgrammingModel> programming_model_words[] = {
    {ProgrammingModel::openacc, "openacc"}, {ProgrammingModel::openmp, "openmp"}};
static_assert(std::size(programming_model_words) == programming_models);

inline constexpr Word<PathFlag> path_flags[] = {{path_closed_without_exit, "closed-without-exit"},
                                                {path_recursion_folded, "recursion-folded"},
                                                {path_paused, "paused"},
                                                {path_thinned, "thinned"},
                                                {path_calls_until_removal, "calls-until-removal"},
                                                {path_combined, "clock-and-samples"},
                                                {path_calls_estimated, "calls-estimated"}};

inline constexpr Word<FilterReason> filter_reasons[] = {{FilterReason::budget, "budget"},
                                                        {FilterReason::excluded, "excluded"},
                                                        {FilterReason::sampled, "sampled"}};

inline constexpr Word<Reduction> reductions[] = {{Reduction::sum, "sum"},
                                                 {Reduction::max, "max"},
                                                 {Reduction::min, "min"},
                                                 {Reduction::mean, "mean"}};

inline constexpr Word<MetricScope> scopes[] = {
    {MetricScope::path, "path"},    {MetricScope::thread, "thread"},
    {MetricScope::rank, "rank"},    {MetricScope::series, "series"},
    {MetricScope::host, "host"},    {MetricScope::device, "device"},
    {MetricScope::region, "region"}};
static_assert(std::size(scopes) == metric_scopes);

inline constexpr Word<RegionPart> region_parts[] = {{RegionPart::region, "region"},
                                                    {RegionPart::unmarked, "unmarked"},
                                                    {RegionPart::epoch, "epoch"},
                                                    {RegionPart::application, "application"}};

inline constexpr Word<WaitPattern> wait_pattern_words[] = {
    {WaitPattern::late_sender, "late-sender"},     {WaitPattern::wrong_order, "wrong-order"},
    {WaitPattern::late_receiver, "late-receiver"}, {WaitPattern::barrier, "barrier"},
    {WaitPattern::all_to_all, "all-to-all"},       {WaitPattern::late_broadcast, "late-broadcast"},
    {WaitPattern::early_reduce, "early-reduce"},   {WaitPattern::early_scan, "early-scan"}};
static_assert(std::size(wait_pattern_words) == wait_patterns);

inline constexpr Word<LockKind> lock_kind_words[] = {{LockKind::none, "none"},
                                                     {LockKind::mutex, "mutex"},
                                                     {LockKind::rwlock, "rwlock"},
                                                     {LockKind::condition, "condition"},
                                                     {LockKind::semaphore, "semaphore"},
                                                     {LockKind::barrier, "barrier"},
                                                     {LockKind::once, "once"},
                                                     {LockKind::thread, "thread"},
                                                     {LockKind::file, "file"}};
static_assert(std::size(lock_kind_words) == lock_kinds);

inline constexpr Word<FileKind> file_kind_words[] = {
    {FileKind::file, "file"},  {FileKind::folder, "folder"}, {FileKind::device, "device"},
    {FileKind::pipe, "pipe"},  {FileKind::socket, "socket"}, {FileKind::terminal, "terminal"},
    {FileKind::other, "other"}};
static_assert(std::size(file_kind_words) == file_kinds);

inline constexpr Word<AnnotationInterface> annotation_interface_words[] = {
#define VFTRACE_ANNOTATION_INTERFACE(id, word, title, prefix, nesting)                             \
    {AnnotationInterface::id, word},
#include "record/annotation_words.inc"
};
inline constexpr Word<AnnotationRole> annotation_role_words[] = {
#define VFTRACE_ANNOTATION_ROLE(id, word, hint) {AnnotationRole::id, word},
#include "record/annotation_words.inc"
};

inline constexpr Word<MetricPart> parts[] = {{MetricPart::exclusive, "exclusive"},
                                             {MetricPart::inclusive, "inclusive"},
                                             {MetricPart::point, "point"}};

}  // namespace vftrace::profile_json
