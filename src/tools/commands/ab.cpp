// vftrace ab: runs two programs in turn, and says which one is slower, and where.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/core.h>

#include "ab/comparison_text.hpp"
#include "ab/verdict.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "commands/child_process.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/elf_program.hpp"
#include "commands/foreign_text.hpp"
#include "commands/program_file.hpp"
#include "commands/progress.hpp"
#include "commands/table_printing.hpp"
#include "commands/temporary_folder.hpp"
#include "readers/profile_json_reader.hpp"

namespace vftrace::tools {
namespace {

namespace fs = std::filesystem;

struct AbArguments {
    std::size_t pairs = 7;
    std::size_t warm_up = 1;
    double threshold_percent = 2;
    std::size_t limit = 20;
    std::vector<std::string> options;
    std::string keep;
    std::string profile = "auto";
    bool repeats = true, json = false, compares_output = false;
};

using Words = std::vector<std::string>;

volatile std::sig_atomic_t interrupted;

// The running program gets the signal, too; what the command has made is removed before it ends.
void note_interrupts() {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action = {};
        action.sa_handler = [](int signal) { interrupted = signal; };
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(number, &action, nullptr);
    }
}

// "--", the first program, "--", the second program.
std::pair<Words, Words> two_programs(const Words& words) {
    const auto second =
        words.empty() ? words.end() : std::find(words.begin() + 1, words.end(), "--");
    if (second == words.end() || second - words.begin() < 2 || words.end() - second < 2)
        throw UsageError("ab: two programs are needed: vftrace ab [OPTIONS] -- FIRST [ARGUMENTS] "
                         "-- SECOND [ARGUMENTS]");
    return {{words.begin() + 1, second}, {second + 1, words.end()}};
}

// The end of a file, for messages.
std::string last_lines(const fs::path& file) {
    constexpr std::size_t most_lines = 10, most_bytes = 4096;
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (text.size() > most_bytes)
        text.erase(0, text.size() - most_bytes);
    std::size_t begin = text.size();
    for (std::size_t lines = 0; begin > 0 && lines <= most_lines; lines++)
        begin = begin > 1 ? text.rfind('\n', begin - 2) + 1 : 0;
    return text.substr(begin);
}

std::size_t hash_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return std::hash<std::string>()({std::istreambuf_iterator<char>(in), {}});
}

// Runs one of the programs again and again.
class Side {
  public:
    Side(const AbArguments& arguments, Words words, const fs::path& folder, const char* name)
        : arguments_(arguments), words_(std::move(words)), folder_(folder), name_(name) {
        if (find_program(words_[0]).empty())
            throw CommandError(fmt::format("{}: {}", words_[0], std::strerror(ENOENT)));
    }

    // Throws CommandError if the program fails, or ends in another way than before.
    Trial run(std::size_t number) {
        const fs::path folder = folder_ / fmt::format("{}-{}", name_, number);
        fs::create_directory(folder);
        const ChildOutput output = {arguments_.compares_output ? (folder_ / "stdout").string()
                                                               : std::string(no_output),
                                    (folder_ / "stderr").string()};
        const ChildEnd end = run_child(command(folder), output);
        if (interrupted)
            throw CommandError("interrupted", 128 + static_cast<int>(interrupted));
        if (end.status != 0)
            throw CommandError(fmt::format("{} ended with status {}: {}", printable(words_[0]),
                                           end.status,
                                           printable_lines(last_lines(folder_ / "stderr"))));
        if (arguments_.compares_output)
            note_output();
        Trial trial = trial_of(profiles_in(folder), {end.wall_seconds, end.processor_seconds});
        if (arguments_.keep.empty())
            fs::remove_all(folder);
        return trial;
    }

    const Words& words() const { return words_; }
    // Of what it printed in the first run; nothing before.
    const std::optional<std::size_t>& output() const { return output_; }
    bool output_varies() const { return output_varies_; }

  private:
    Words command(const fs::path& folder) const {
        if (arguments_.profile == "none")
            return words_;
        Words command{own_command(), "run", "--output-directory", folder.string()};
        if (arguments_.profile == "sampled")
            command.emplace_back("--sample");
        for (const std::string& option : arguments_.options)
            command.insert(command.end(), {"--option", option});
        command.emplace_back("--");
        command.insert(command.end(), words_.begin(), words_.end());
        return command;
    }

    static std::vector<Profile> profiles_in(const fs::path& folder) {
        constexpr std::string_view suffix = "_all.json";
        std::vector<std::string> files;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder))
            if (entry.path().string().ends_with(suffix))
                files.push_back(entry.path().string());
        std::sort(files.begin(), files.end());
        std::vector<Profile> profiles;
        profiles.reserve(files.size());
        for (const std::string& file : files)
            profiles.push_back(read_profile_json(file));
        return profiles;
    }

    void note_output() {
        const std::size_t hash = hash_of(folder_ / "stdout");
        output_varies_ |= output_ && *output_ != hash;
        if (!output_)
            output_ = hash;
    }

    const AbArguments& arguments_;
    Words words_;
    fs::path folder_;
    const char* name_;
    std::optional<std::size_t> output_;
    bool output_varies_ = false;
};

// The folder for the profiles: one that stays, or a temporary one.
class RunsFolder {
  public:
    explicit RunsFolder(const std::string& keep) {
        if (keep.empty()) {
            path_ = temporary_.emplace().path();
            return;
        }
        path_ = fs::absolute(keep);
        std::error_code error;
        fs::create_directories(path_, error);
        if (error)
            throw CommandError(fmt::format("{}: {}", keep, error.message()));
        if (!fs::is_empty(path_, error) || error)
            throw CommandError(fmt::format("{}: is not empty", keep));
    }
    const fs::path& path() const { return path_; }

  private:
    std::optional<TemporaryFolder> temporary_;
    fs::path path_;
};

class Series {
  public:
    Series(Side& first, Side& second, std::size_t planned)
        : first_(first), second_(second), planned_(planned), progress_("ab") {}

    // Each pair begins with the program that was last in the one before: what drifts, such as the
    // frequency of the processor, then affects both alike.
    Trials run(std::size_t pairs) {
        Trials trials;
        for (std::size_t i = 0; i < pairs; i++, done_++) {
            progress_.update(done_, std::max(planned_, done_ + pairs - i));
            const auto run_first = [&] { trials.first.push_back(first_.run(done_)); };
            if (done_ % 2 == 0)
                run_first();
            trials.second.push_back(second_.run(done_));
            if (done_ % 2 == 1)
                run_first();
        }
        return trials;
    }

  private:
    Side &first_, &second_;
    std::size_t planned_, done_ = 0;
    Progress progress_;
};

// Both are measured in the same way. Hooks count calls, but only a program that was compiled for
// profiling has them.
std::string usual_profile(const Words& first, const Words& second) {
    const auto has_hooks = [](const Words& words) {
        return examine_elf_program(find_program(words[0])).hooks != ElfProgram::Hooks::none;
    };
    return has_hooks(first) && has_hooks(second) ? "hooks" : "sampled";
}

int ab(AbArguments arguments, const Words& words) {
    auto [first_words, second_words] = two_programs(words);
    if (arguments.profile == "none" && !arguments.options.empty())
        throw UsageError("ab: with --profile none, --option has no effect");
    if (arguments.profile == "auto")
        arguments.profile = usual_profile(first_words, second_words);
    note_interrupts();
    const RunsFolder folder(arguments.keep);
    Side first(arguments, std::move(first_words), folder.path(), "first");
    Side second(arguments, std::move(second_words), folder.path(), "second");
    TrialSeries series;
    series.first_command = first.words();
    series.second_command = second.words();
    series.warm_up_runs = arguments.warm_up;
    const double threshold = arguments.threshold_percent / 100;
    Series runs(first, second, arguments.warm_up + arguments.pairs);
    runs.run(arguments.warm_up);

    const Trials trials = runs.run(arguments.pairs);
    TrialComparison comparison = compare_trials(trials, threshold);
    series.pairs = arguments.pairs;
    if (arguments.repeats && comparison.verdict != Verdict::same &&
        arguments.pairs >= fewest_pairs) {
        comparison = compare_repeated_trials(trials, runs.run(arguments.pairs), threshold);
        series.repeated = true;
        series.pairs *= 2;
    }
    if (arguments.compares_output) {
        series.outputs_compared = true;
        series.outputs_vary = first.output_varies() || second.output_varies();
        series.outputs_differ = !series.outputs_vary && first.output() != second.output();
    }
    if (!arguments.keep.empty())
        for (const char* const file : {"stdout", "stderr"})
            fs::remove(folder.path() / file);

    OutputFile out(STDOUT_FILENO);
    if (arguments.json) {
        write_comparison_json(comparison, series, out);
        close_output(out);
    } else {
        close_output(out);
        print_in_format("text", STDOUT_FILENO, [&](OutputFile&, TableOutput& tables) {
            write_comparison(comparison, series, arguments.limit, tables);
        });
    }
    return comparison.verdict == Verdict::slower ? status_found_errors : status_ok;
}

constexpr const char* examples = R"(Examples:
  vftrace ab -- ./heat_old 500 -- ./heat_new 500
  vftrace ab --runs 15 --threshold 1 -- ./heat 500 -- ./heat 500 --blocked
  vftrace ab --json -- mpirun -n 4 ./old -- mpirun -n 4 ./new > ab.json

Exit status: 0 if the second program was not found to be slower (faster, no difference, or not
known: the last line says which); 1 if it is slower; 2 if a program fails or an argument is wrong.)";

}  // namespace

void add_ab_command(const Command& app, int& status, std::vector<std::string>& programs) {
    const Command command =
        app.add_subcommand("ab", "Run two programs in turn, and find out which one is slower");
    auto arguments = std::make_shared<AbArguments>();
    constexpr NumberCheck runs{"a number of runs (1 to 10000)", 1, 10000};
    command
        .add_option(
            "--runs", arguments->pairs,
            fmt::format("How often to run each program; at least {} for an interval", fewest_pairs))
        .check(runs)
        .type_name("N")
        .show_default();
    command
        .add_option("--warm-up", arguments->warm_up,
                    "How often to run each program before, without counting it")
        .check(NumberCheck{"a number of runs (0 to 10000)", 0, 10000})
        .type_name("N")
        .show_default();
    command
        .add_option("--threshold", arguments->threshold_percent,
                    "The smallest difference that counts, in per cent")
        .check(NumberCheck{"a number above 0, at most 1000", 1e-6, 1000})
        .type_name("PERCENT")
        .show_default();
    command.add_flag("!--no-repeat", arguments->repeats,
                     "Do not run as many pairs again if the first ones do not show that there is "
                     "no difference");
    command
        .add_option("--profile", arguments->profile,
                    "How to profile the runs: by hooks, which also count calls; by samples; or not "
                    "at all, so that nothing is known of functions. auto: by hooks if both "
                    "programs were compiled for profiling, otherwise by samples")
        .one_of({"auto", "hooks", "sampled", "none"})
        .type_name("HOW")
        .show_default();
    command
        .add_option("--option", arguments->options,
                    "Set an option of the runs, as vftrace run does; may be repeated")
        .type_name("KEY=VALUE")
        .one_value();
    command.add_flag("--compare-output", arguments->compares_output,
                     "Also say whether the programs print the same on standard output");
    command
        .add_option("--keep", arguments->keep,
                    "Keep the profiles of all runs in this directory, which must be new or empty")
        .type_name("DIR");
    command.add_option("--limit", arguments->limit, "Print only this number of functions")
        .check(number_of_rows)
        .type_name("N")
        .show_default();
    command.add_flag("--json", arguments->json, "Print JSON");
    command.usage({"[OPTIONS] -- FIRST [ARGUMENTS] -- SECOND [ARGUMENTS]"});
    command.footer(examples);
    command.callback([arguments, &status, &programs] { status = ab(*arguments, programs); });
}

}  // namespace vftrace::tools
