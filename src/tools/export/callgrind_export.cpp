// Callgrind's profile format, for KCachegrind and callgrind_annotate
// (https://valgrind.org/docs/manual/cl-format.html).
//
// Its readers add up inclusive costs from what each function calls, and count recursion twice. So
// a function that is already on its own call path appears there as another function, "f'2", as in
// Callgrind with --separate-recs.
#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "base/saturating.hpp"
#include "base/version.hpp"
#include "export/exporters.hpp"
#include "export/profile_tree.hpp"
#include "export/trace_profile.hpp"

namespace vftrace {
namespace {

// A function at a level of recursion; level 1 is the outermost.
struct Instance {
    std::uint32_t function, level;
    auto operator<=>(const Instance&) const = default;
};

// One number for each of the file's events: nanoseconds, then metrics.
using Numbers = std::vector<std::int64_t>;

struct Call {
    std::uint64_t calls = 0;
    Numbers inclusive;
};

struct Costs {
    Numbers exclusive;
    std::map<Instance, Call> callees;
};

void add(Numbers& sum, const Numbers& values) {
    sum.resize(values.size());
    for (std::size_t i = 0; i < values.size(); i++)
        add_saturating(sum[i], values[i]);
}

class CallgrindFile {
  public:
    CallgrindFile(const Profile& profile, ExportOutput& output)
        : profile_(profile), tree_(profile), output_(output) {
        find_instances();
        find_numbers();
        for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
            const Path& path = profile.paths[i];
            if (tree_.paused[i])
                continue;
            add(costs_[instances_[i]].exclusive, exclusive_[i]);
            if (path.parent == no_index || (path.calls == 0 && tree_.total_ns[i] == 0))
                continue;
            Call& call = costs_[instances_[path.parent]].callees[instances_[i]];
            add_saturating(call.calls, path.calls);
            add(call.inclusive, total_[i]);
        }
    }

    void write() {
        const RunInfo& run = profile_.run;
        print("# callgrind format\nversion: 1\ncreator: vftrace {}\npid: {}\ncmd: {}\n", version,
              run.pid, name_on_one_line(run.command_line));
        print("desc: Trigger: Program termination\n\npositions: line\n");
        std::string names;
        for (const auto& [name, meaning] : events_) {
            print("event: {} : {}\n", name, meaning);
            names += " " + name;
        }
        print("events:{}\nsummary: {}\n", names, text_of(total_[0]));
        for (const auto& [instance, costs] : costs_)
            write_function(instance, costs);
        print("\ntotals: {}\n", text_of(total_[0]));
    }

  private:
    template <class... Values>
    void print(fmt::format_string<Values...> text, Values&&... values) {
        output_.write(fmt::format(text, std::forward<Values>(values)...));
    }

    static std::string text_of(const Numbers& numbers) {
        std::string text;
        for (const auto number : numbers)
            text += (text.empty() ? "" : " ") + std::to_string(number);
        return text;
    }

    void find_numbers() {
        const std::size_t count = profile_.paths.size();
        exclusive_.resize(count);
        for (std::size_t i = 0; i < count; i++)
            exclusive_[i].push_back(tree_.exclusive_ns[i]);
        for (const AdditiveMetric& metric : additive_metrics(profile_)) {
            events_.emplace_back(event_name(metric.name), name_on_one_line(metric.name));
            for (std::size_t i = 0; i < count; i++)
                exclusive_[i].push_back(metric.rounded(i));
        }
        total_ = exclusive_;
        for (std::size_t i = count; i-- > 1;)
            add(total_[profile_.paths[i].parent], total_[i]);
    }

    // Names of events may only have letters, digits and underscores.
    static std::string event_name(const std::string& metric) {
        std::string name;
        for (const char c : metric)
            name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
        return name;
    }

    // Visits the paths depth first and counts how often each function occurs on the way from the
    // root.
    void find_instances() {
        std::vector<std::uint32_t> levels(profile_.functions.size(), 0);
        instances_.resize(profile_.paths.size());
        std::vector<std::pair<std::uint32_t, bool>> to_do{{0, false}};
        while (!to_do.empty()) {
            const auto [path, leaves] = to_do.back();
            const std::uint32_t function = profile_.paths[path].function;
            if (leaves) {
                levels[function]--;
                to_do.pop_back();
                continue;
            }
            to_do.back().second = true;
            instances_[path] = {function, ++levels[function]};
            for (std::uint32_t i = tree_.first[path]; i < tree_.first[path + 1]; i++)
                to_do.emplace_back(tree_.order[i], false);
        }
    }

    // "(3) name" when a name is first used, "(3)" later.
    template <class Key>
    static std::string numbered(std::map<Key, std::size_t>& numbers, const Key& key,
                                const std::string& name) {
        const auto [place, is_new] = numbers.try_emplace(key, numbers.size() + 1);
        return is_new ? fmt::format("({}) {}", place->second, name)
                      : fmt::format("({})", place->second);
    }
    std::string function_name(const Instance& instance) {
        std::string name = name_on_one_line(profile_.functions[instance.function].display);
        if (instance.level > 1)
            name += fmt::format("'{}", instance.level);
        return numbered(function_numbers_, instance, name);
    }
    std::string file_name(const Function& function) {
        const std::string name = function.file.empty() ? "???" : name_on_one_line(function.file);
        return numbered(file_numbers_, name, name);
    }
    std::string object_name(const Function& function) {
        const std::string name = function.module == no_index
                                     ? "???"
                                     : name_on_one_line(profile_.modules[function.module].path);
        return numbered(object_numbers_, name, name);
    }

    void write_function(const Instance& instance, const Costs& costs) {
        const Function& function = profile_.functions[instance.function];
        print("\nob={}\n", object_name(function));
        print("fl={}\n", file_name(function));
        print("fn={}\n{} {}\n", function_name(instance), function.line, text_of(costs.exclusive));
        for (const auto& [callee, call] : costs.callees) {
            const Function& called = profile_.functions[callee.function];
            print("cob={}\n", object_name(called));
            print("cfi={}\n", file_name(called));
            // Readers expect at least one call, but threads and OpenMP regions may not have counted
            // any.
            print("cfn={}\ncalls={} {}\n{} {}\n", function_name(callee),
                  std::max<std::uint64_t>(call.calls, 1), called.line, function.line,
                  text_of(call.inclusive));
        }
    }

    const Profile& profile_;
    const ProfileTree tree_;
    ExportOutput& output_;
    std::vector<Instance> instances_;         // by path
    std::vector<Numbers> exclusive_, total_;  // by path, too
    std::vector<std::pair<std::string, std::string>> events_{{"ns", "Nanoseconds"}};
    std::map<Instance, Costs> costs_;
    std::map<Instance, std::size_t> function_numbers_;
    std::map<std::string, std::size_t> file_numbers_, object_numbers_;
};

}  // namespace

void export_callgrind(const ExportSource& source, ExportOutput& output) {
    const Profile profile = merged_profile_of_source(source, output);
    CallgrindFile(profile, output).write();
}

}  // namespace vftrace
