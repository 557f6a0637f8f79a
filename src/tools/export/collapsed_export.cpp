// Collapsed stacks, a line for each call path: "init;main;solve 123456". For flame graphs.
#include <algorithm>

#include <fmt/core.h>

#include "export/exporters.hpp"
#include "export/profile_tree.hpp"
#include "export/trace_profile.hpp"

namespace vftrace {
namespace {

// Semicolons are replaced, because the format cannot represent them in a name.
std::string frame(const std::string& name) {
    std::string text = name_on_one_line(name);
    std::replace(text.begin(), text.end(), ';', ':');
    return text;
}

std::string thread_frame(const ThreadFigures& thread) {
    std::string text = fmt::format("thread {}", thread.number);
    if (!thread.name.empty())
        text += fmt::format(" ({})", thread.name);
    return frame(text);
}

class Stacks {
  public:
    Stacks(const Profile& profile, ExportOutput& output) : profile_(profile), output_(output) {
        for (const Function& function : profile.functions)
            names_.push_back(frame(function.display));
    }

    void write(const std::string& prefix, std::uint32_t path, std::int64_t ns) {
        if (ns <= 0 || is_pause(profile_, path))
            return;
        steps_.clear();
        for (std::uint32_t i = path; i != no_index; i = profile_.paths[i].parent)
            steps_.push_back(profile_.paths[i].function);
        line_ = prefix;
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
            line_ += names_[*step];
            line_ += ';';
        }
        line_.back() = ' ';
        fmt::format_to(std::back_inserter(line_), "{}\n", ns);
        output_.write(line_);
    }

  private:
    const Profile& profile_;
    ExportOutput& output_;
    std::vector<std::string> names_;  // by function
    std::vector<std::uint32_t> steps_;
    std::string line_;
};

void write_profile(const Profile& profile, const std::string& prefix, ExportOutput& output) {
    Stacks stacks(profile, output);
    if (profile.thread_paths.empty()) {
        for (std::uint32_t i = 0; i < profile.paths.size(); i++)
            stacks.write(prefix, i, profile.paths[i].exclusive_ns);
        return;
    }
    std::uint32_t thread = no_index;
    std::string thread_prefix;
    for (const ThreadPath& path : profile.thread_paths) {
        if (path.thread != thread)
            thread_prefix = prefix + thread_frame(profile.threads[path.thread]) + ';';
        thread = path.thread;
        stacks.write(thread_prefix, path.path, path.exclusive_ns);
    }
}

}  // namespace

void export_collapsed(const ExportSource& source, ExportOutput& output) {
    const SourceProfiles all = profiles_of_source(source, output);
    for (std::size_t i = 0; i < all.profiles.size(); i++)
        write_profile(*all.profiles[i], all.names.empty() ? "" : frame(all.names[i]) + ';', output);
}

}  // namespace vftrace
