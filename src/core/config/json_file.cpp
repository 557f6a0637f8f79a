#include "config/json_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"

namespace vftrace {

namespace {

// A configuration has a few KiB. The limit keeps a wrong path from filling memory.
constexpr std::size_t largest_configuration = std::size_t{1} << 20;

// Appends the file to `text`. Returns an error text, or "".
std::string read_file(int descriptor, std::size_t largest, std::string& text) {
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return std::strerror(errno);
    if (S_ISDIR(status.st_mode))
        return "it is a directory";
    if (!S_ISREG(status.st_mode))
        return "it is not a regular file";

    std::vector<char> buffer(std::size_t{64} * 1024);
    for (;;) {
        ssize_t count = read(descriptor, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return std::strerror(errno);
        if (count == 0)
            break;
        text.append(buffer.data(), static_cast<std::size_t>(count));
        if (text.size() > largest)
            return format("it is larger than %zu MiB", largest >> 20);
    }
    return trim(text).empty() ? "it is empty" : "";
}

// How deep the brackets are nested where `text` ends.
std::size_t nesting_depth(std::string_view text) {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); i++) {
        if (in_string && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            in_string = !in_string;
        else if (!in_string && (text[i] == '{' || text[i] == '['))
            depth++;
        else if (!in_string && (text[i] == '}' || text[i] == ']') && depth > 0)
            depth--;
    }
    return depth;
}

constexpr std::size_t longest_line = 120;

std::string printable(std::string_view line) {
    std::string out(line);
    for (char& c : out)
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
            c = '?';
    return out;
}

std::string_view without_carriage_return(std::string_view line) {
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

std::string context_line(std::string_view line) {
    line = without_carriage_return(line);
    return printable(line.substr(0, longest_line)) + (line.size() > longest_line ? "...\n" : "\n");
}

}  // namespace

JsonTree parse_json(std::string_view text, std::size_t* error_position) {
    const char* end = text.data();
    JsonTree tree(cJSON_ParseWithLengthOpts(text.data(), text.size(), &end, false));
    std::size_t position = static_cast<std::size_t>(end - text.data());
    // cJSON would treat a NUL as the end of the text and ignore what follows.
    if (tree) {
        std::size_t rest = text.find_first_not_of(" \t\r\n", position);
        if (rest == std::string_view::npos)
            return tree;
        position = rest;
        tree.reset();
    }
    *error_position = std::min(position, text.size());
    return tree;
}

std::string parse_error_text(std::string_view text, std::size_t position) {
    constexpr std::size_t lines_before = 2, lines_after = 2;
    std::vector<std::string_view> lines = split(text, '\n');
    if (lines.size() > 1 && lines.back().empty())
        lines.pop_back();
    std::size_t line = 0;
    std::size_t column = position;
    while (line + 1 < lines.size() && column > lines[line].size())
        column -= lines[line++].size() + 1;

    std::string out = "Could not parse vftrace config file.\n";
    append_format(out, "Parsing failed in line %zu\n", line + 1);
    if (nesting_depth(text.substr(0, position)) >= CJSON_NESTING_LIMIT)
        append_format(out, "It is nested deeper than %d levels\n", CJSON_NESTING_LIMIT);

    std::size_t first = line - std::min(line, lines_before);
    if (first > 0)
        out += "...\n";
    for (std::size_t i = first; i < line; i++)
        out += context_line(lines[i]);

    std::string_view before = without_carriage_return(lines[line].substr(0, column));
    std::string start = before.size() > longest_line ? "..." : "";
    start += printable(before.substr(before.size() - std::min(before.size(), longest_line)));
    out += start + "                <= Parsing error occurred here\n";
    // As in Vftrace 2.0: what cannot be parsed, at the beginning of a line.
    std::string_view after = trim(lines[line].substr(std::min(column, lines[line].size())));
    std::size_t last = std::min(lines.size(), line + 1 + lines_after);
    if (!after.empty())
        out += context_line(after);
    for (std::size_t i = line + 1; i < last; i++)
        out += context_line(lines[i]);
    if (last < lines.size())
        out += "...\n";
    out.pop_back();
    return out;
}

std::string read_whole_file(const std::string& path, std::size_t largest, std::string& text) {
    // Nonblocking, so that a pipe without a writer cannot block the program.
    int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return std::strerror(errno);
    std::string problem = read_file(descriptor, largest, text);
    close(descriptor);
    return problem;
}

JsonTree read_json_file(const std::string& path, Findings& findings) {
    std::string text;
    const std::string problem = read_whole_file(path, largest_configuration, text);
    if (!problem.empty()) {
        findings.add(Severity::unreadable,
                     "cannot read the configuration file " + quoted(path) + ": " + problem);
        return nullptr;
    }

    std::size_t error_position = 0;
    JsonTree tree = parse_json(text, &error_position);
    if (!tree)
        findings.add(Severity::malformed, parse_error_text(text, error_position));
    return tree;
}

}  // namespace vftrace
