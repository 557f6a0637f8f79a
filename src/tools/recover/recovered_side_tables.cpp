// The figures of sources that are stored with the trees of a dead process's threads, and those of
// the whole process.
#include <iterator>
#include <utility>
#include <vector>

#include "recover/recovered_process.hpp"

namespace vftrace {
namespace {

constexpr std::uint32_t most_columns = 4096;  // a larger number is not a count

bool is_of_process(MetricScope scope) { return static_cast<std::size_t>(scope) >= tree_scopes; }

// Whether all columns are known here and belong to one source and scope, which must be that of a
// process's table (`of_process`) or of a thread's.
bool is_sound(const SideTable& table, bool of_process) {
    for (std::uint32_t i = 0; i < table.columns; i++) {
        const SideColumn& column = table.described()[i];
        if (static_cast<std::size_t>(column.metric) >= std::size(metric_rows) ||
            column.value > SideValue::real)
            return false;
        const MetricRow &metric = row_of(column.metric), &first = row_of(table.described()->metric);
        if (metric.source != first.source || metric.scope != first.scope ||
            metric.scope == MetricScope::series || is_of_process(metric.scope) != of_process)
            return false;
    }
    return table.columns > 0;
}

constexpr std::size_t words_for(std::size_t bytes) { return (bytes + 7) / 8; }

}  // namespace

// Tables and rows come from the same arena as the nodes: elements of a list were complete before
// they were linked.
void RecoveredProcess::read_side_tables(SideTable*& list, SideWords& words, const Thread* thread) {
    const SideTable* next = std::exchange(list, nullptr);
    SideTable** link = &list;
    while (next) {
        SideTable head;
        if (!image_->read(next, head) || head.columns > most_columns ||
            !spend(side_table_bytes(head.columns))) {
            left_out_++;
            return;
        }
        std::vector<std::uint64_t> memory(words_for(side_table_bytes(head.columns)));
        auto* table = reinterpret_cast<SideTable*>(memory.data());
        *table = {nullptr, nullptr, nullptr, head.columns, head.notes};
        bool whole = true;
        const auto columns = reinterpret_cast<std::uint64_t>(next) + sizeof(SideTable);
        for (std::uint32_t i = 0; i < head.columns && whole; i++)
            whole = image_->read(columns + i * sizeof(SideColumn), table->described()[i]);
        next = head.next;
        if (!whole || !is_sound(*table, !thread)) {
            left_out_++;
            continue;
        }
        words.push_back(std::move(memory));  // the table does not move
        *link = table;
        link = &table->next;
        read_side_rows(*table, words, thread, head.first);
    }
}

void RecoveredProcess::read_side_rows(SideTable& table, SideWords& words, const Thread* thread,
                                      const SideRow* next) {
    const MetricScope scope = scope_of(table);
    SideRow** link = &table.first;
    while (next) {
        SideRow head;
        if (!spend(side_row_bytes(table.columns)) || !image_->read(next, head)) {
            left_out_++;
            return;
        }
        std::vector<std::uint64_t> memory(words_for(side_row_bytes(table.columns)));
        auto* row = reinterpret_cast<SideRow*>(memory.data());
        const auto values = reinterpret_cast<std::uint64_t>(next) + sizeof(SideRow);
        bool sound = true;
        for (std::uint32_t i = 0; i < table.columns && sound; i++)
            sound = image_->read(values + i * sizeof(std::uint64_t), row->values()[i]);
        next = head.next_created;
        if (scope == MetricScope::path) {
            row->node = head.node ? node_at(head.node) : nullptr;
            sound = sound && thread && row->node && belongs_to(*thread, row->node);
        } else if (scope == MetricScope::device || scope == MetricScope::region) {
            row->device = keep_text(head.device, "(name lost)");
        } else {
            sound = sound && !head.node;
            row->node = nullptr;
        }
        if (!sound) {
            left_out_++;
            continue;
        }
        row->next_created = nullptr;
        words.push_back(std::move(memory));
        *link = table.newest = row;
        link = &row->next_created;
    }
}

void RecoveredProcess::read_series() {
    const SeriesRecord* next = std::exchange(record_.series, nullptr);
    SeriesRecord** link = &record_.series;
    while (next) {
        OneSeries series;
        if (!image_->read(next, series.record) || !spend(sizeof series.record)) {
            left_out_++;
            return;
        }
        SeriesRecord& record = series.record;
        next = std::exchange(record.next, nullptr);
        const std::size_t metric = static_cast<std::size_t>(record.metric);
        const bool known = metric < std::size(metric_rows) &&
                           metric_rows[metric].scope == MetricScope::series && record.half < 2;
        const Node* const node = node_at(record.node);
        if (!known || record.count[record.half] > record.capacity || (record.node && !node)) {
            left_out_++;
            continue;
        }
        record.node = node;
        const auto first = reinterpret_cast<std::uint64_t>(record.points) +
                           std::uint64_t{record.half} * record.capacity * sizeof(SeriesPoint);
        for (std::uint64_t i = 0; i < record.count[record.half]; i++) {
            SeriesPoint point;
            if (!spend(sizeof point) || !image_->read(first + i * sizeof point, point)) {
                left_out_++;
                break;
            }
            series.points.push_back(point);
            note_time(point.ticks);
        }
        if (record.subject)
            record.subject = keep_text(record.subject, "(name lost)");
        series_.push_back(std::move(series));
        OneSeries& kept = series_.back();
        const auto points = static_cast<std::uint32_t>(kept.points.size());
        kept.record.points = kept.points.data();
        kept.record.half = 0;
        kept.record.capacity = kept.record.count[0] = points;
        *link = &kept.record;
        link = &kept.record.next;
    }
}

}  // namespace vftrace
