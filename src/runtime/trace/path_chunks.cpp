#include "trace/path_chunks.hpp"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>

#include "base/arena.hpp"
#include "guest/modules.hpp"
#include "record/gpu_record.hpp"
#include "record/openmp_constructs.hpp"
#include "symbol/function_set.hpp"
#include "tree/call_tree.hpp"
#include "tree/callees.hpp"
#include "tree/event_buffer.hpp"
#include "tree/own_record.hpp"
#include "tree/region_names.hpp"

namespace vftrace {
namespace {

// Not on the stack, which may be that of a signal handler.
alignas(8) char payload[64 * 1024];

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) & ~std::size_t{7}; }

std::uint16_t described_modules;
// The data about the process as last written.
bool process_described;
std::uint32_t described_rank, described_ranks;
bool described_mpi;

bool describe_process(ChunkPayload::Write write) {
    const ProcessRecord& record = *process_record;
    if (process_described && record.rank == described_rank && record.ranks == described_ranks &&
        record.uses_mpi == described_mpi)
        return true;
    // Texts are not shortened: a command line can have 2 MiB.
    char base[PATH_MAX + 64];
    int length = std::snprintf(base, sizeof base, "%s", record.output_base);
    if (record.forked)
        length += std::snprintf(base + length, sizeof base - static_cast<std::size_t>(length),
                                "_%ld", static_cast<long>(record.pid));
    if (!record.uses_mpi)
        std::snprintf(base + length, sizeof base - static_cast<std::size_t>(length), "%s",
                      record.task_suffix);
    const char* texts[] = {record.application, record.command_line,  record.host,       base,
                           record.job,         record.config_source, record.config_text};
    std::size_t bytes = sizeof(TraceProcess);
    for (const char* text : texts)
        bytes += std::strlen(text) + 1;
    bytes = padded(bytes);
    char* memory = static_cast<char*>(map_memory(bytes));
    if (!memory)
        return false;
    TraceProcess process{};
    process.pid = record.pid;
    process.start_unix_ns = record.start_unix_ns;
    process.start_ticks = record.start.ticks;
    process.start_ns = record.start.ns;
    process.sample_interval_ns = static_cast<std::int64_t>(trace_settings.interval_ns);
    process.rank = record.rank;
    process.ranks = record.ranks;
    process.uses_mpi = record.uses_mpi;
    process.counters = trace_settings.counters;
    process.processor_ticks = record.processor_ticks;
    process.forked = record.forked;
    std::memcpy(memory, &process, sizeof process);
    char* end = memory + sizeof process;
    for (const char* text : texts) {
        std::size_t size = std::strlen(text) + 1;
        std::memcpy(end, text, size);
        end += size;
    }
    bool written = write(ChunkKind::process, memory, bytes);
    unmap_memory(memory, bytes);
    process_described = written;
    described_rank = process.rank;
    described_ranks = process.ranks;
    described_mpi = process.uses_mpi;
    return written;
}

bool describe_modules(ChunkPayload::Write write) {
    ChunkPayload chunk(ChunkKind::modules, write);
    const std::uint16_t count = module_count();
    for (; described_modules < count; described_modules++) {
        const LoadedModule& described = module(described_modules);
        const char* path = described.path;
        std::size_t length = std::strlen(path);
        const TraceModule row = {described_modules, static_cast<std::uint32_t>(length),
                                 described.id};
        chunk.add(&row, sizeof row, path, length);
    }
    return chunk.finish();
}

// The thread whose tree the node is in, and its number there.
void set_target(TracePath& row, const Node* target) {
    row.target_thread = no_target;
    if (!target)
        return;
    row.target_thread = thread_of(target);
    row.target_number = target->number;
}

void describe_root(const ThreadRecord& thread, ChunkPayload& chunk) {
    TracePath row{};
    row.thread = thread.number;
    row.kind = static_cast<std::uint8_t>(NodeKind::root);
    row.flags = thread.is_worker;
    row.module = no_module;
    row.body_offset = thread.tid;
    set_target(row, thread.start);
    char name[sizeof thread.name + 1] = {};
    std::memcpy(name, thread.name, sizeof thread.name);
    row.text_bytes = static_cast<std::uint32_t>(std::strlen(name));
    chunk.add(&row, sizeof row, name, row.text_bytes);
}

void describe_node(const ThreadRecord& thread, const Node& node, ChunkPayload& chunk) {
    TracePath row{};
    const char* text = "";
    row.thread = thread.number;
    row.number = node.number;
    row.parent = node.parent->number;
    row.kind = static_cast<std::uint8_t>(node.kind);
    row.flags = node.flags;
    row.module = no_module;
    row.target_thread = no_target;
    switch (row_of(node.kind).key) {
    case KeyKind::code: {
        const FunctionPlace place = function_place(node);
        row.module = place.module;
        row.offset = place.offset;
        row.body_offset = node.body_offset;
        break;
    }
    case KeyKind::construct: {
        const FunctionPlace place =
            place_of_address(openmp_code(node.key), node.module, module_table());
        row.module = place.module;
        row.offset = place.offset;
        row.key = openmp_construct(node.key);
        break;
    }
    case KeyKind::section:
        row.key = section_level(node.key);
        [[fallthrough]];
    case KeyKind::text:
        text = region_name(node.key);
        break;
    case KeyKind::mpi_call:
    case KeyKind::io_call:
        row.key = node.key;
        break;
    case KeyKind::gpu_name: {
        const auto* name = reinterpret_cast<const GpuCallName*>(node.key);
        row.key = gpu_call_id(name->api, name->callback);
        text = gpu_symbol(*name);
        break;
    }
    case KeyKind::node:
        set_target(row, reinterpret_cast<const Node*>(node.key));
        break;
    case KeyKind::folded:
        set_target(row, node.last_callee);
        break;
    case KeyKind::fixed:
        break;
    }
    row.text_bytes = static_cast<std::uint32_t>(std::strlen(text));
    row.text_bytes = std::min(row.text_bytes, std::uint32_t{ChunkPayload::longest_text});
    chunk.add(&row, sizeof row, text, row.text_bytes);
}

// Functions of libraries that were opened after the start are marked as precise here.
void mark_precise(Node& node) {
    if (node.kind == NodeKind::function && tree_settings.precise_functions &&
        tree_settings.precise_functions->contains(node.key))
        __atomic_or_fetch(&node.flags, node_precise, __ATOMIC_RELAXED);
}

void describe_thread(ThreadRecord& thread, ChunkPayload& chunk) {
    Node* latest = const_cast<Node*>(thread.latest_in_trace);
    const bool named = *thread.name;
    if (!latest || named != static_cast<bool>(thread.name_in_trace)) {
        describe_root(thread, chunk);
        thread.name_in_trace = named;
    }
    if (!latest)
        latest = thread.root;
    while (Node* next = __atomic_load_n(&latest->next_created, __ATOMIC_ACQUIRE)) {
        mark_precise(*next);
        describe_node(thread, *next, chunk);
        latest = next;
    }
    thread.latest_in_trace = latest;
}

}  // namespace

void ChunkPayload::add(const void* record, std::size_t bytes, const char* text,
                       std::size_t text_bytes) {
    const std::size_t size = bytes + padded(text_bytes);
    if (size > sizeof payload)
        return;
    if (used_ + size > sizeof payload)
        hand_on();
    std::memcpy(payload + used_, record, bytes);
    std::memcpy(payload + used_ + bytes, text, text_bytes);
    std::memset(payload + used_ + bytes + text_bytes, 0, padded(text_bytes) - text_bytes);
    used_ += size;
}

bool ChunkPayload::hand_on() {
    if (used_ && !failed_ && !write_(kind_, payload, used_))
        failed_ = true;
    used_ = 0;
    return !failed_;
}

bool ChunkPayload::finish() { return hand_on(); }

bool describe_paths(ChunkPayload::Write write) {
    if (!describe_process(write))
        return false;
    ChunkPayload chunk(ChunkKind::paths, write);
    for (ThreadRecord* thread = __atomic_load_n(&process_record->threads, __ATOMIC_ACQUIRE); thread;
         thread = thread->next)
        if (thread->root)
            describe_thread(*thread, chunk);
    // Modules come last, because a node may be created with a new module in the meantime.
    return chunk.finish() && describe_modules(write);
}

void forget_described_paths() {
    described_modules = 0;
    process_described = false;
}

}  // namespace vftrace
