// vftrace_vfd_dump: the tool of Vftrace 2.0, with its options, for scripts that call it.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include <fmt/core.h>

#include "base/links.hpp"
#include "base/output_file.hpp"
#include "commands/command_line.hpp"
#include "commands/foreign_text.hpp"
#include "commands/vfd_text.hpp"

namespace {

constexpr const char* usage =
    "Usage: vftrace_vfd_dump [--output=stdout|stderr|FILE] [--only_header] [--skip_samples]\n"
    "                        [--show_threadtree] [--help] [--usage] [--version] FILE\n";

struct Arguments {
    std::string file, output = "stdout";
    bool only_header = false, skip_samples = false, thread_tree = false;
};

std::unique_ptr<vftrace::OutputFile> open_output(const std::string& name) {
    if (name == "stdout")
        return std::make_unique<vftrace::OutputFile>(STDOUT_FILENO);
    if (name == "stderr")
        return std::make_unique<vftrace::OutputFile>(STDERR_FILENO);
    return std::make_unique<vftrace::OutputFile>(name);
}

void dump(const Arguments& arguments) {
    const vftrace::VfdFile file(arguments.file);
    const auto out = open_output(arguments.output);
    vftrace::VfdText text(file, *out);
    text.write_header();
    if (arguments.thread_tree)
        text.write_thread_tree();
    if (!arguments.only_header) {
        text.write_stacks();
        if (!arguments.skip_samples)
            text.write_samples({}, [](std::uint64_t, std::uint64_t) {});
        text.write_counters();
    }
    const int error = out->close();
    if (error != 0 && error != EPIPE)  // the reader of our output may have closed it
        throw std::runtime_error(fmt::format("{}: {}", arguments.output, std::strerror(error)));
}

void run(int argc, char** argv) {
    vftrace::follow_only_own_links(true);
    Arguments arguments;
    bool shows_usage = false;
    vftrace::tools::CommandLine line("vftrace_vfd_dump",
                                     "Prints a vfd file. \"vftrace dump\" does the same and more.");
    const vftrace::tools::Command app = line.root();
    app.add_flag("--usage", shows_usage, "Print the usage");
    app.add_option("--output", arguments.output, "Where to print to; by default stdout")
        .type_name("stdout|stderr|FILE");
    app.add_flag("--only_header", arguments.only_header, "Print only the header");
    app.add_flag("--skip_samples", arguments.skip_samples, "Do not print samples");
    app.add_flag("--show_threadtree", arguments.thread_tree, "Print which thread created which");
    app.add_option("FILE", arguments.file, "vfd file").type_name("");
    if (!line.read({argv + (argc > 0 ? 1 : 0), argv + argc}))
        return;
    if (shows_usage)
        fmt::print("{}", usage);
    else if (arguments.file.empty())
        throw std::runtime_error("no vfd file given (see vftrace_vfd_dump --help)");
    else
        dump(arguments);
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int failed = 2;
    try {
        run(argc, argv);
        return std::fflush(stdout) == 0 ? 0 : failed;
    } catch (const std::exception& error) {
        vftrace::tools::remark(error.what());
        return failed;
    }
}
