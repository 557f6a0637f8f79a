#include "code/code_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "code/instruction_mix.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

std::string place_of(const SourceLoop& loop, const AnnotatedFunction& function) {
    if (loop.line == 0) {
        const std::size_t first = loop.innermost.empty() ? 0 : loop.innermost.front();
        return fmt::format("loop at +0x{:x}",
                           function.instructions[first].address - function.code.start);
    }
    std::string place = fmt::format("loop at {}{}:{}", loop.is_header ? "" : "about ",
                                    base_name(loop.file), loop.line);
    if (!loop.inlined_at.empty())
        place += " (inlined at " + loop.inlined_at + ")";
    return place;
}

constexpr Column loop_columns[] = {share_of_whole_column("share", "t[%]"),
                                   time_column("time", "t[s]"),
                                   time_column("time_error", "+-[s]"),
                                   time_column("own_time", "without inner[s]"),
                                   count_column("samples", "Samples"),
                                   count_column("iterations", "Iterations"),
                                   text_column("place", "Function, loop", Align::left),
                                   {.id = "instructions",
                                    .header = "Instructions of the loop itself",
                                    .align = Align::left,
                                    .keeps_width = true},
                                   for_scripts(text_column("function", "Function name")),
                                   for_scripts(text_column("file", "File")),
                                   for_scripts(count_column("line", "Line number")),
                                   for_scripts(count_column("depth", "Depth")),
                                   for_scripts(count_column("parts", "Machine loops"))};

// A row: the function, or one of its loops.
struct LoopRow {
    const AnnotatedFunction* function;
    std::size_t loop;  // no_loop: the function
};

// Loops by time, each followed by its inner ones.
void add_loops(const AnnotatedFunction& function, std::size_t parent, std::vector<LoopRow>& rows) {
    std::vector<std::size_t> loops;
    for (std::size_t i = 0; i < function.loops.loops.size(); i++)
        if (function.loops.loops[i].parent == parent &&
            (function.loop_times[i].samples > 0 || function.time.samples == 0 ||
             function.iterations[i]))
            loops.push_back(i);
    std::stable_sort(loops.begin(), loops.end(), [&function](std::size_t a, std::size_t b) {
        return function.loop_times[a].ns > function.loop_times[b].ns;
    });
    for (const std::size_t loop : loops) {
        rows.push_back({&function, loop});
        add_loops(function, loop, rows);
    }
}

double share(double ns, double total_ns) { return total_ns > 0 ? 100 * ns / total_ns : 0; }

void fill_loop_row(const LoopRow& at, double total_ns, TableRow& row) {
    const AnnotatedFunction& function = *at.function;
    const bool is_loop = at.loop != no_loop;
    const CodeTime& time = is_loop ? function.loop_times[at.loop] : function.time;
    if (time.samples == 0) {  // the time is not known
        for (int column = 0; column < 4; column++)
            row.blank();
        if (function.time.samples == 0)  // nor is that of the function: only its code is shown
            row.blank();
        else
            row.integer(0);
    } else {
        row.number(share(time.ns, total_ns));
        row.number(time.ns / 1e9);
        row.number(std::sqrt(time.variance) / 1e9);
        if (is_loop)
            row.number(function.own_times[at.loop].ns / 1e9);
        else
            row.blank();
        row.integer(time.samples);
    }
    if (is_loop && function.iterations[at.loop])
        row.integer(*function.iterations[at.loop]);
    else
        row.blank();
    if (!is_loop) {
        row.text(function.display);
        row.blank();
        row.text(function.display);
        row.blank();
        row.blank();
        row.integer(0);
        row.blank();
        return;
    }
    const SourceLoop& loop = function.loops.loops[at.loop];
    row.text(std::string(2 * loop.depth, ' ') + place_of(loop, function));
    row.text(sentence_of(count_instructions(function.instructions, loop.innermost)));
    row.text(function.display);
    row.text(loop.file);
    row.integer(loop.line);
    row.integer(loop.depth);
    row.integer(loop.machine_loops.size());
}

// What is known of a line of the source.
struct LineOfSource {
    CodeTime own, with_inlined;
    bool has_code = false;
};
using LinesOfFile = std::map<std::uint32_t, LineOfSource>;

std::map<std::string, LinesOfFile> lines_of(const AnnotatedFunction& function) {
    std::map<std::string, LinesOfFile> files;
    for (std::size_t i = 0; i < function.instructions.size(); i++) {
        const std::vector<SourcePlace>& places = function.places[i];
        std::vector<const LineOfSource*> counted;
        for (std::size_t k = 0; k < places.size(); k++) {
            if (places[k].line == 0)
                continue;
            LineOfSource& line = files[places[k].file][places[k].line];
            line.has_code = true;
            if (k == 0)
                line.own.add(function.times[i]);
            if (std::find(counted.begin(), counted.end(), &line) == counted.end())
                line.with_inlined.add(function.times[i]);
            counted.push_back(&line);
        }
    }
    return files;
}

constexpr Column source_columns[] = {
    share_of_whole_column("share", "t[%]"),
    percent_column("share_with_inlined", "with inlined[%]"),
    count_column("samples", "Samples"),
    count_column("line", "Line"),
    {.id = "text", .header = "Source", .align = Align::left, .keeps_width = true},
    for_scripts(text_column("file", "File"))};

// Files with most time first.
std::vector<std::pair<std::string, LinesOfFile>> files_by_time(const AnnotatedFunction& function) {
    const auto time_of = [](const LinesOfFile& lines) {
        double ns = 0;
        for (const auto& [number, line] : lines)
            ns += line.own.ns;
        return ns;
    };
    std::map<std::string, LinesOfFile> files = lines_of(function);
    std::vector<std::pair<std::string, LinesOfFile>> sorted(files.begin(), files.end());
    std::stable_sort(sorted.begin(), sorted.end(), [&time_of](const auto& one, const auto& other) {
        return time_of(one.second) > time_of(other.second);
    });
    return sorted;
}

void write_file(const AnnotatedFunction& function, const std::string& file,
                const LinesOfFile& lines, SourceFiles& sources, bool own_only, TableOutput& out) {
    constexpr std::uint32_t context = 3;  // lines between two with code that are shown
    std::vector<std::uint32_t> shown;
    for (const auto& [number, line] : lines) {
        if (!own_only && !shown.empty() && number - shown.back() <= context + 1)
            for (std::uint32_t between = shown.back() + 1; between < number; between++)
                shown.push_back(between);
        shown.push_back(number);
    }
    const std::string title =
        printable(file) + (sources.has(file) ? "" : " (the text is not here)");
    const TableSpec spec = {.id = "source",
                            .title = title,
                            .row = "line",
                            .columns = source_columns,
                            .sorted_by = "line",
                            .ascending = true,
                            .style = TableStyle::list};
    out.table(spec, shown.size(), [&](std::size_t i, TableRow& row) {
        const auto line = lines.find(shown[i]);
        if (line != lines.end() && line->second.with_inlined.samples > 0) {
            row.number(share(line->second.own.ns, function.time.ns));
            row.number(share(line->second.with_inlined.ns, function.time.ns));
            row.integer(line->second.own.samples);
        } else {
            row.blank();
            row.blank();
            row.blank();
        }
        row.integer(shown[i]);
        row.text(printable(sources.line(file, shown[i])));
        row.text(file);
    });
}

constexpr Column instruction_columns[] = {
    share_of_whole_column("share", "t[%]"),
    count_column("samples", "Samples"),
    text_column("address", "Address"),
    {.id = "text", .header = "Instruction", .align = Align::left, .keeps_width = true},
    text_column("place", "Line", Align::left),
    count_column("loop", "Loop")};

}  // namespace

void write_loop_table(const std::vector<AnnotatedFunction>& functions, double total_ns,
                      const ReportOptions& options, TableOutput& out,
                      const ParametersOfLoop& parameters) {
    std::vector<LoopRow> rows;
    for (const AnnotatedFunction& function : functions) {
        rows.push_back({&function, no_loop});
        add_loops(function, no_loop, rows);
    }
    const std::size_t shown = shown_rows(rows.size(), options);
    std::vector<Column> columns(std::begin(loop_columns), std::end(loop_columns));
    const bool any_iterations = std::any_of(rows.begin(), rows.end(), [](const LoopRow& row) {
        return row.loop != no_loop && row.function->iterations[row.loop];
    });
    for (Column& column : columns)
        if (column.id == "iterations")
            column.in_text = any_iterations;
    if (parameters)
        columns.push_back(text_column("parameters", "Depends on", Align::left));
    const TableSpec spec = {.id = "loops", .title = "Loops", .row = "loop", .columns = columns};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        fill_loop_row(rows[i], total_ns, row);
        if (parameters && rows[i].loop == no_loop)
            row.blank();
        else if (parameters)
            row.text(parameters(rows[i].function->loops.loops[rows[i].loop]));
    });
    say_what_is_left_out(rows.size(), shown, out);
}

void write_annotated_source(const AnnotatedFunction& function, SourceFiles& sources, bool own_only,
                            TableOutput& out) {
    for (const auto& [file, lines] : files_by_time(function))
        write_file(function, file, lines, sources, own_only, out);
}

void write_annotated_instructions(const AnnotatedFunction& function, Syntax syntax,
                                  TableOutput& out) {
    const TableSpec spec = {
        .id = "instructions",
        .title = "Instructions (samples often count for one after the instruction that took long)",
        .row = "instruction",
        .columns = instruction_columns,
        .sorted_by = "address",
        .ascending = true,
        .style = TableStyle::list};
    out.table(spec, function.instructions.size(), [&](std::size_t i, TableRow& row) {
        const MachineInstruction& instruction = function.instructions[i];
        if (function.times[i].samples > 0) {
            row.number(share(function.times[i].ns, function.time.ns));
            row.integer(function.times[i].samples);
        } else {
            row.blank();
            row.blank();
        }
        row.text(fmt::format("{:x}", instruction.address));
        row.text(instruction_text(
            std::string_view(function.code.bytes).substr(instruction.address - function.code.start),
            instruction.address, syntax));
        row.text(function.places[i].empty() || function.places[i].front().line == 0
                     ? ""
                     : printable(short_place(function.places[i].front())));
        if (function.loops.loop_of[i] == no_loop)
            row.blank();
        else
            row.integer(function.loops.loop_of[i] + 1);
    });
}

}  // namespace vftrace
