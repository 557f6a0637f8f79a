// vftrace info: identifies files and shows their main figures.
#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/core.h>

#include "base/json_string.hpp"
#include "base/utf8.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/file_facts.hpp"
#include "commands/foreign_text.hpp"

namespace vftrace::tools {
namespace {

struct InfoArguments {
    std::vector<std::string> files;
    bool json = false;
};

std::string padded(const std::string& text, std::size_t width) {
    const std::size_t columns = count_code_points(text);
    return text + std::string(columns < width ? width - columns : 0, ' ');
}

void print_table(const FactTable& table) {
    if (table.rows.empty())
        return;
    std::vector<std::size_t> widths;
    for (const Fact& fact : table.rows.front())
        widths.push_back(count_code_points(fact.label));
    for (const std::vector<Fact>& row : table.rows)
        for (std::size_t i = 0; i < row.size(); i++)
            widths[i] = std::max(widths[i], count_code_points(row[i].text));
    auto print_line = [&](const std::vector<Fact>& row, std::string Fact::*part) {
        std::string line = "   ";
        for (std::size_t i = 0; i < row.size(); i++)
            line += ' ' + padded(row[i].*part, widths[i]) + ' ';
        fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
    };
    fmt::print("  {}:\n", table.title);
    print_line(table.rows.front(), &Fact::label);
    for (const std::vector<Fact>& row : table.rows)
        print_line(row, &Fact::text);
}

void print_text(const FileFacts& facts) {
    fmt::print("{}: {}\n", printable(facts.file), facts.description);
    std::size_t width = 0;
    for (const Fact& fact : facts.facts)
        width = std::max(width, fact.label.size());
    for (const Fact& fact : facts.facts)
        if (!fact.label.empty())
            fmt::print("  {:<{}}{}\n", fact.label + ':', width + 3, fact.text);
    for (const FactTable& table : facts.tables)
        print_table(table);
}

std::string json_members(const std::vector<Fact>& facts) {
    std::string text;
    for (const Fact& fact : facts)
        if (!fact.key.empty())
            text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", fact.key, fact.json);
    return text;
}

void print_json(const FileFacts& facts) {
    fmt::print("  {{\"file\": {}, \"kind\": \"{}\", {}", json_string(facts.file), facts.kind,
               json_members(facts.facts));
    for (const FactTable& table : facts.tables) {
        fmt::print(",\n   \"{}\": [", table.key);
        const char* separator = "";
        for (const std::vector<Fact>& row : table.rows) {
            fmt::print("{}\n    {{{}}}", separator, json_members(row));
            separator = ",";
        }
        fmt::print("]");
    }
    fmt::print("}}");
}

// Errors of a file are printed on stderr; the other files are still described.
int info(const InfoArguments& arguments) {
    int status = status_ok;
    const char* separator = "";
    if (arguments.json)
        fmt::print("[");
    for (const std::string& file : arguments.files) {
        try {
            const FileFacts facts = facts_of_file(file);
            fmt::print("{}", separator);
            if (arguments.json) {
                fmt::print("\n");
                print_json(facts);
            } else {
                print_text(facts);
            }
            separator = arguments.json ? "," : "\n";
        } catch (const std::exception& error) {
            std::fflush(stdout);
            remark(error.what());
            status = status_failed;
        }
    }
    if (arguments.json)
        fmt::print("\n]\n");
    return status;
}

}  // namespace

void add_info_command(const Command& app, int& status) {
    const Command command =
        app.add_subcommand("info", "Identify files of vftrace and print their main figures");
    auto arguments = std::make_shared<InfoArguments>();
    command
        .add_option("FILE", arguments->files,
                    "Traces (.vfd, .tmpvfd), profiles (.json), tree files, text logs")
        .required()
        .type_name("");
    command.add_flag("--json", arguments->json, "Print JSON: an array with one object per file");
    command.footer(R"(Examples:
  vftrace info heat_0.vfd
  vftrace info --json *.vfd)");
    command.callback([arguments, &status] { status = info(*arguments); });
}

}  // namespace vftrace::tools
