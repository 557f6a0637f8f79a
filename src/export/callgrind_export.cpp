// Callgrind's profile format, for KCachegrind and callgrind_annotate
// (https://valgrind.org/docs/manual/cl-format.html).
//
// Its readers add up inclusive costs from what each function calls, and count recursion twice. So
// a function that is on its own call path already stands there as another function, "f'2", as
// Callgrind itself does it with --separate-recs.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "base/version.hpp"
#include "export/exporters.hpp"
#include "export/profile_tree.hpp"
#include "export/trace_profile.hpp"

namespace vftrace {
namespace {

// A function at a level of recursion, 1 for the outermost.
struct Instance {
    std::uint32_t function, level;
    auto operator<=>(const Instance&) const = default;
};

struct Call {
    std::uint64_t calls = 0;
    std::int64_t ns = 0;
};

struct Costs {
    std::int64_t exclusive_ns = 0;
    std::map<Instance, Call> callees;
};

class CallgrindFile {
  public:
    CallgrindFile(const Profile& profile, ExportOutput& output)
        : profile_(profile), tree_(profile), output_(output) {
        find_instances();
        for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
            const Path& path = profile.paths[i];
            if (tree_.paused[i])
                continue;
            add_saturating(costs_[instances_[i]].exclusive_ns, tree_.exclusive_ns[i]);
            if (path.parent == no_index || (path.calls == 0 && tree_.total_ns[i] == 0))
                continue;
            Call& call = costs_[instances_[path.parent]].callees[instances_[i]];
            add_saturating(call.calls, path.calls);
            add_saturating(call.ns, tree_.total_ns[i]);
        }
    }

    void write() {
        const RunInfo& run = profile_.run;
        print("# callgrind format\nversion: 1\ncreator: vftrace {}\npid: {}\ncmd: {}\n", version,
              run.pid, name_on_one_line(run.command_line));
        print("desc: Trigger: Program termination\n\npositions: line\nevent: ns : Nanoseconds\n"
              "events: ns\nsummary: {}\n",
              tree_.total_ns[0]);
        for (const auto& [instance, costs] : costs_)
            write_function(instance, costs);
        print("\ntotals: {}\n", tree_.total_ns[0]);
    }

  private:
    template <class... Values>
    void print(fmt::format_string<Values...> text, Values&&... values) {
        output_.write(fmt::format(text, std::forward<Values>(values)...));
    }

    // Depth first, with how often each function is on the way from the root.
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

    // "(3) name" where a name is told for the first time, "(3)" later.
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
        print("fn={}\n{} {}\n", function_name(instance), function.line, costs.exclusive_ns);
        for (const auto& [callee, call] : costs.callees) {
            const Function& called = profile_.functions[callee.function];
            print("cob={}\n", object_name(called));
            print("cfi={}\n", file_name(called));
            // Readers want a call at least, but threads and regions of OpenMP may have begun none.
            print("cfn={}\ncalls={} {}\n{} {}\n", function_name(callee),
                  std::max<std::uint64_t>(call.calls, 1), called.line, function.line, call.ns);
        }
    }

    const Profile& profile_;
    const ProfileTree tree_;
    ExportOutput& output_;
    std::vector<Instance> instances_;  // by path
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
