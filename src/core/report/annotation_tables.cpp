// What the program has annotated for other tools, by interface and name.
#include "report/tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "profile/annotations.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

// Which part of the rows a table shows.
enum class Part : std::uint8_t { regions, memory, values, texts };

Part part_of(const Annotation& row) {
    switch (row.role) {
    case AnnotationRole::allocation:
        return Part::memory;
    case AnnotationRole::counter:
        return Part::values;
    case AnnotationRole::metadata:
        return Part::texts;
    default:
        return Part::regions;
    }
}

const char* title_of(const Annotation& row) {
    return annotation_interfaces[static_cast<std::size_t>(row.interface)].title;
}
const char* role_of(const Annotation& row) {
    return annotation_roles[static_cast<std::size_t>(row.role)].word;
}

constexpr Column interface_column = text_column("interface", "Interface", Align::left);
constexpr Column name_column = {
    .id = "name", .header = "Name", .align = Align::left, .keeps_width = true};

struct Cells {
    const PathText& text;
    TableRow& row;

    void names(const Annotation& annotation) const {
        row.text(title_of(annotation));
        row.text(text.shown(annotation.name));
    }
    void count(std::uint64_t number) const {
        if (number == 0)
            row.blank();
        else
            row.number(static_cast<double>(number));
    }
    void mebibytes(double bytes) const { row.number(bytes / mebibyte); }
};

using Rows = std::vector<AnnotationTime>;

Rows rows_of(const Rows& all, Part part) {
    Rows rows;
    std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
                 [&](const AnnotationTime& row) { return part_of(*row.annotation) == part; });
    return rows;
}

template <class Write>
void write_rows(const TableSpec& spec, const Rows& rows, const PathText& text,
                const ReportOptions& options, TableOutput& out, Write write) {
    if (rows.empty())
        return;
    const std::size_t shown = shown_rows(rows.size(), options);
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        write(rows[i], Cells{text, cells});
    });
    say_what_is_left_out(rows.size(), shown, out);
}

void write_regions(Rows rows, const PathText& text, const ReportOptions& options,
                   TableOutput& out) {
    const auto has = [&](std::uint64_t Annotation::*figure) {
        return std::any_of(rows.begin(), rows.end(),
                           [&](const AnnotationTime& row) { return row.annotation->*figure > 0; });
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [](const AnnotationTime& a, const AnnotationTime& b) { return a.ns > b.ns; });
    struct Further {
        std::uint64_t Annotation::*figure;
        Column column;
    };
    const Further further[] = {
        {&Annotation::merged, number_column("merged", "Merged", "", 0)},
        {&Annotation::crossed, number_column("crossed", "Crossed", "", 0)},
        {&Annotation::unmatched, number_column("unmatched", "Ends only", "", 0)}};
    std::vector<Column> columns = {interface_column,
                                   text_column("role", "What", Align::left),
                                   text_column("detail", "Where", Align::left),
                                   number_column("calls", "Calls", "", 0),
                                   time_column("time", "Time[s]"),
                                   number_column("bytes", "Bytes[MiB]", "MiB", 3)};
    const bool has_bytes = has(&Annotation::bytes);
    if (!has_bytes)
        columns.back() = for_scripts(columns.back());
    for (const Further& figure : further)
        columns.push_back(has(figure.figure) ? figure.column : for_scripts(figure.column));
    columns.push_back(name_column);
    const TableSpec spec = {.id = "annotations",
                            .title = "Regions annotated for other tools",
                            .row = "annotation",
                            .columns = columns,
                            .sorted_by = "time"};
    write_rows(spec, rows, text, options, out, [&](const AnnotationTime& row, const Cells& cells) {
        const Annotation& annotation = *row.annotation;
        cells.row.text(title_of(annotation));
        cells.row.text(role_of(annotation));
        cells.row.text(text.shown(annotation.detail));
        cells.row.number(static_cast<double>(row.calls));
        if (row.ns < 0)
            cells.row.blank();
        else
            cells.row.number(seconds(row.ns));
        if (annotation.bytes == 0)
            cells.row.blank();
        else
            cells.mebibytes(static_cast<double>(annotation.bytes));
        for (const Further& figure : further)
            cells.count(annotation.*figure.figure);
        cells.row.text(text.shown(is_region(annotation.role) ? readable_kernel(annotation.name)
                                                             : annotation.name));
    });
}

void write_memory(Rows rows, const PathText& text, const ReportOptions& options, TableOutput& out) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const AnnotationTime& a, const AnnotationTime& b) {
                         return a.annotation->peak > b.annotation->peak;
                     });
    static constexpr Column columns[] = {interface_column,
                                         name_column,
                                         text_column("detail", "Where", Align::left),
                                         number_column("allocations", "Allocations", "", 0),
                                         number_column("allocated", "Allocated[MiB]", "MiB", 3),
                                         number_column("peak", "At most[MiB]", "MiB", 3),
                                         number_column("live", "At the end[MiB]", "MiB", 3)};
    const TableSpec spec = {.id = "annotated_memory",
                            .title = "Memory annotated for other tools",
                            .row = "name of allocations",
                            .columns = columns,
                            .sorted_by = "peak"};
    write_rows(spec, rows, text, options, out, [&](const AnnotationTime& row, const Cells& cells) {
        const Annotation& annotation = *row.annotation;
        cells.names(annotation);
        cells.row.text(text.shown(annotation.detail));
        cells.row.number(static_cast<double>(annotation.events));
        cells.mebibytes(static_cast<double>(annotation.bytes));
        cells.mebibytes(static_cast<double>(annotation.peak));
        cells.mebibytes(static_cast<double>(annotation.live));
    });
}

void write_values(const Rows& rows, const PathText& text, const ReportOptions& options,
                  TableOutput& out) {
    static constexpr Column columns[] = {interface_column,
                                         name_column,
                                         number_column("values", "Values", "", 0),
                                         number_column("mean", "Mean", "", 3),
                                         number_column("smallest", "Smallest", "", 3),
                                         number_column("largest", "Largest", "", 3)};
    const TableSpec spec = {.id = "annotated_values",
                            .title = "Values annotated for other tools",
                            .row = "counter",
                            .columns = columns,
                            .sorted_by = "name"};
    write_rows(spec, rows, text, options, out, [&](const AnnotationTime& row, const Cells& cells) {
        const Annotation& annotation = *row.annotation;
        cells.names(annotation);
        cells.row.number(static_cast<double>(annotation.values));
        cells.row.number(
            annotation.values > 0 ? annotation.sum / static_cast<double>(annotation.values) : 0);
        cells.row.number(annotation.smallest);
        cells.row.number(annotation.largest);
    });
}

void write_texts(const Rows& rows, const PathText& text, const ReportOptions& options,
                 TableOutput& out) {
    static constexpr Column columns[] = {
        interface_column,
        name_column,
        {.id = "value", .header = "Value", .align = Align::left, .keeps_width = true}};
    const TableSpec spec = {.id = "annotated_metadata",
                            .title = "Metadata annotated for other tools",
                            .row = "value",
                            .columns = columns,
                            .sorted_by = "name"};
    write_rows(spec, rows, text, options, out, [&](const AnnotationTime& row, const Cells& cells) {
        cells.names(*row.annotation);
        cells.row.text(text.shown(row.annotation->detail));
    });
}

}  // namespace

void write_annotation_tables(const Profile& profile, const PathText& text,
                             const ReportOptions& options, TableOutput& out) {
    const Rows rows = annotation_times(profile);
    write_regions(rows_of(rows, Part::regions), text, options, out);
    write_memory(rows_of(rows, Part::memory), text, options, out);
    write_values(rows_of(rows, Part::values), text, options, out);
    write_texts(rows_of(rows, Part::texts), text, options, out);
}

}  // namespace vftrace
