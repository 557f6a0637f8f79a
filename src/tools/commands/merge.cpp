// vftrace merge: merges the profiles of ranks, or of several runs, into one.
#include <filesystem>
#include <memory>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/profile_file.hpp"
#include "compare/merge_profiles.hpp"

namespace vftrace::tools {
namespace {

struct MergeArguments {
    std::vector<std::string> files;
    std::string output;
    std::string runs;  // empty: the files are from ranks of one run
};

void check_output(const MergeArguments& arguments) {
    std::error_code error;
    for (const std::string& file : arguments.files)
        if (std::filesystem::equivalent(file, arguments.output, error))
            throw CommandError(fmt::format("{} would be both read and written", file));
}

void merge(const MergeArguments& arguments) {
    check_output(arguments);
    std::vector<Profile> profiles;
    for (const std::string& file : arguments.files)
        profiles.push_back(read_profile(file));
    const std::size_t count = profiles.size();
    const Profile merged =
        arguments.runs.empty()
            ? merge_ranks(std::move(profiles), arguments.files)
            : merge_runs(std::move(profiles), arguments.files,
                         arguments.runs == "mean" ? RunReduction::mean : RunReduction::sum);
    write_profile(merged, arguments.output);
    show("{}: {} profile{}, {} call paths\n", arguments.output, count, plural_s(count),
         merged.paths.size());
    for (const Notice& notice : merged.run.notices)
        if (notice.code == NoticeCode::ranks_without_profile)
            remark(full_sentence(notice));
}

constexpr const char* examples = R"(Examples:
  vftrace merge -o halo_all.json halo_0.json halo_1.json halo_2.json halo_3.json
  vftrace merge --runs mean -o heat_mean.json run*/heat_all.json)";

}  // namespace

void add_merge_command(const Command& app, int& status) {
    const Command command =
        app.add_subcommand("merge", "Merge the profiles of ranks or of several runs into one");
    auto arguments = std::make_shared<MergeArguments>();
    command
        .add_option("FILE", arguments->files,
                    "Profiles (JSON) of the ranks of one run or, with --runs, of several runs")
        .required()
        .type_name("");
    command.add_option("-o,--output", arguments->output, "File for the merged profile (JSON)")
        .required()
        .type_name("FILE");
    command
        .add_option("--runs", arguments->runs,
                    "The profiles are from several runs of one program; take their sum or mean")
        .one_of({"sum", "mean"})
        .type_name("HOW");
    command.footer(examples);
    command.callback([arguments, &status] {
        merge(*arguments);
        status = status_ok;
    });
}

}  // namespace vftrace::tools
