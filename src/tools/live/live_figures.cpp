// What a watched process has counted in addition to its call trees: messages, GPUs, tasks.
#include <algorithm>
#include <cmath>

#include "live/live_tree.hpp"
#include "record/gpu_record.hpp"
#include "record/message_figures.hpp"
#include "record/side_table.hpp"
#include "record/task_sums.hpp"

namespace vftrace {
namespace {

// A list with more entries is damaged: it is circular.
constexpr std::size_t most_entries = 1 << 22;
constexpr std::uint32_t most_columns = 4096;

}  // namespace

void LiveTree::read_messages() {
    peers_.clear();
    std::unordered_map<std::int32_t, std::size_t> by_peer;  // an entry belongs to a path and a peer
    const auto ranks = static_cast<std::int64_t>(file_.record().ranks);
    for (const ThreadState& thread : states_) {
        ThreadMessages messages;
        if (!thread.record.messages || !file_.read(thread.record.messages, messages))
            continue;
        const MessageEntry* next = messages.first;
        for (std::size_t count = 0; next && count < most_entries; count++) {
            MessageEntry entry;
            if (!file_.read(next, entry))
                break;
            next = entry.next_created;
            if (entry.peer < all_peers || entry.peer >= ranks)
                continue;
            const auto [found, is_new] = by_peer.try_emplace(entry.peer, peers_.size());
            if (is_new)
                peers_.push_back({entry.peer});
            peers_[found->second] += {entry.peer, entry.sent.messages, entry.received.messages,
                                      entry.sent.bytes, entry.received.bytes};
        }
    }
}

void LiveTree::read_devices() {
    devices_.clear();
    GpuRecord gpu;
    if (!file_.record().gpu || !file_.read(file_.record().gpu, gpu))
        return;
    const GpuDevice* next = gpu.devices;
    constexpr std::size_t most_devices = 1024;
    while (next && devices_.size() < most_devices) {
        GpuDevice device;
        if (!file_.read(next, device))
            break;
        device.name[sizeof device.name - 1] = '\0';
        const auto seconds = [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; };
        devices_.push_back({device.number, device.name, seconds(device.kernel_ns),
                            seconds(device.copy_ns), seconds(device.overlap_ns)});
        next = device.next_created;
    }
}

void LiveTree::read_tasks() {
    tasks_.clear();
    for (const ThreadState& thread : states_) {
        const SideTable* next = thread.record.side_tables;
        for (std::size_t count = 0; next && count < most_columns; count++) {
            SideTable table;
            if (!file_.read(next, table) || table.columns == 0 || table.columns > most_columns)
                break;
            const SideTable* here = std::exchange(next, table.next);
            const auto* first = reinterpret_cast<const SideColumn*>(here + 1);
            std::vector<SideColumn> columns(table.columns);
            bool sound = true;
            for (std::uint32_t i = 0; i < table.columns && sound; i++)
                sound = file_.read(first + i, columns[i]) &&
                        static_cast<std::size_t>(columns[i].metric) < std::size(metric_rows);
            if (!sound || row_of(columns[0].metric).source != SourceId::task ||
                row_of(columns[0].metric).scope != MetricScope::path)
                continue;
            const SideRow* row = table.first;
            for (std::size_t rows = 0; row && rows < most_entries; rows++) {
                SideRow head;
                if (!file_.read(row, head))
                    break;
                TaskSums sums;
                const auto* values = reinterpret_cast<const std::uint64_t*>(row + 1);
                for (std::uint32_t i = 0; i < table.columns; i++) {
                    std::uint64_t word = 0;
                    if (file_.read(values + i, word))
                        add_value(sums, number_of(word, columns[i].value, ns_per_tick_),
                                  [&](MetricId metric, unsigned index) {
                                      return metric == columns[i].metric &&
                                             index == columns[i].index;
                                  });
                }
                row = head.next_created;
                const std::uint32_t node = node_at(head.node);
                if (node != no_path)
                    tasks_.push_back(
                        {nodes_[node].path, sums.created, sums.ended(), sums.failed, sums.pauses});
            }
        }
    }
}

void LiveTree::read_memory() {
    memory_.clear();
    for (const ThreadState& thread : states_) {
        const HeapSite* next = thread.record.heap.first;
        HeapSite site;
        for (std::size_t count = 0; next && count < most_entries && file_.read(next, site);
             count++) {
            next = site.next_created;
            const std::uint32_t node = node_at(site.node);
            if (node != no_path)
                memory_.push_back({nodes_[node].path, static_cast<double>(site.figures.allocated),
                                   std::isfinite(site.figures.calls) ? site.figures.calls : 0,
                                   static_cast<double>(site.figures.live)});
        }
    }
}

}  // namespace vftrace
