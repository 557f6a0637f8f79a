#include "commands/help_format.hpp"

#include <algorithm>
#include <string_view>
#include <unistd.h>

#include "base/utf8.hpp"
#include "commands/terminal.hpp"

namespace vftrace::tools {
namespace {

constexpr std::size_t description_column = 30, least_columns = 60, most_columns = 110;

// 0: descriptions are not wrapped.
std::size_t columns_for_help() {
    const std::size_t columns = terminal_columns(STDOUT_FILENO);
    return columns < least_columns ? 0 : std::min(columns, most_columns);
}

// Moves the choices and the default value from " FORMAT:{text,csv}=text", and options that exclude
// this one, to the end of the description, where they can be wrapped.
void move_details(std::string& value, std::string& description) {
    if (const std::size_t excludes = value.find(" Excludes:"); excludes != value.npos) {
        description += " (not with" + value.substr(excludes + 10) + ')';
        value.erase(excludes);
    }
    const std::size_t open = value.find(":{");
    const std::size_t close = value.find('}', open);
    if (open == value.npos || close == value.npos)
        return;
    std::string choices = "one of ";
    for (const char letter : std::string_view(value).substr(open + 2, close - open - 2))
        choices += letter == ',' ? std::string(", ") : std::string(1, letter);
    const std::size_t end = std::min(value.find(' ', close), value.size());
    if (end > close + 2)
        choices += "; default: " + value.substr(close + 2, end - close - 2);
    value.erase(open, end - open);
    if (description.ends_with(')'))
        description.replace(description.size() - 1, 1, "; ");
    else
        description += " (";
    description += choices + ')';
}

}  // namespace

std::string help_of_option(std::string name, std::string value, std::string description) {
    name.erase(
        std::min(name.find('{'), name.size()));  // the value of a flag that is given without one
    if (value.starts_with(" [="))                // must not be a word of its own
        value.erase(0, 1);
    const std::size_t columns = columns_for_help();
    if (columns > 0)
        move_details(value, description);
    std::string line = "  " + name + value;
    if (description.empty())
        return line + '\n';
    if (line.size() >= description_column)
        line.append(1, '\n').append(description_column, ' ');
    else
        line.resize(description_column, ' ');
    return line + (columns == 0 ? description : wrapped(description, description_column, columns)) +
           '\n';
}

}  // namespace vftrace::tools
