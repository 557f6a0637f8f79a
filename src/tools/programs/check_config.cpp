// vftrace_check_config: the tool of Vftrace 2.0, for scripts that call it. As in the original,
// misspelt keys are reported but do not change the exit status; `vftrace config check` is stricter.
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/utf8.hpp"
#include "base/version.hpp"
#include "config/config.hpp"

namespace {

constexpr const char* usage = "Usage: vftrace_check_config <config file>\n";

int print(const std::string& text) {
    fmt::print("{}", text);
    return std::fflush(stdout) == 0 ? 0 : 1;
}

// Scripts look for the marker of a malformed file in this spelling.
std::string as_vftrace_2_spelt_it(std::string text) {
    constexpr std::string_view right = "<= Parsing error occurred here";
    if (const std::size_t at = text.find(right); at != std::string::npos)
        text.replace(at, right.size(), "<= Parsing error occoured here");
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "{}", usage);
        return 1;
    }
    const std::string_view argument = argv[1];
    if (argument == "--help")
        return print(usage);
    if (argument == "--version")
        return print(fmt::format("vftrace {}\n", vftrace::version));
    const vftrace::ConfigurationCheck result = vftrace::check_configuration_file(argv[1]);
    for (const vftrace::Finding& finding : result.findings)
        fmt::print(stderr, "{}\n",
                   vftrace::printable_lines(as_vftrace_2_spelt_it(finding.text_of_vftrace_2)));
    if (result.errors > 0)
        return 1;
    return print(
        fmt::format("Checking of config file {} is complete\n", vftrace::printable(argument)));
}
