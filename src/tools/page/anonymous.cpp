#include "page/anonymous.hpp"

#include <map>
#include <string>

#include <fmt/core.h>

#include "base/text.hpp"

namespace vftrace {
namespace {

class Hosts {
  public:
    void rename(std::string& host) {
        if (host.empty())
            return;
        host = names_.emplace(host, fmt::format("host-{}", names_.size() + 1)).first->second;
    }
    // Replaces the known host names in a sentence.
    void rename_in(std::string& text) const {
        for (const auto& [host, name] : names_)
            for (std::size_t at = 0; (at = text.find(host, at)) != std::string::npos;
                 at += name.size())
                text.replace(at, host.size(), name);
    }
    std::uint64_t machine(std::uint64_t number) {
        return number == 0 ? 0 : machines_.emplace(number, machines_.size() + 1).first->second;
    }

  private:
    std::map<std::string, std::string> names_;
    std::map<std::uint64_t, std::uint64_t> machines_;
};

void without_folder(std::string& path) { path = std::string(base_name(path)); }

// Removes the folders of paths among the words of a text.
void without_folders(std::string& text) {
    std::string result, word;
    const auto end_word = [&] {
        result += word.find('/') == std::string::npos ? word : std::string(base_name(word));
        word.clear();
    };
    for (const char c : text) {
        if (c == ' ' || c == '"' || c == '\'' || c == '(' || c == '=' || c == ',') {
            end_word();
            result += c;
        } else {
            word += c;
        }
    }
    end_word();
    text = std::move(result);
}

}  // namespace

void make_anonymous(Profile& profile) {
    Hosts hosts;
    for (RankFigures& rank : profile.ranks) {
        hosts.rename(rank.host);
        rank.pid = 0;
    }
    RunInfo& run = profile.run;
    hosts.rename(run.host);
    for (HostMetric& metric : profile.host_metrics)
        hosts.rename(metric.host);
    for (RegionFigures& region : profile.regions) {
        hosts.rename(region.host);
        region.machine = hosts.machine(region.machine);
    }
    for (RegionMetric& metric : profile.region_metrics) {
        hosts.rename(metric.host);
        metric.machine = hosts.machine(metric.machine);
    }
    without_folder(run.application);
    run.command_line.clear();
    run.pid = 0;
    run.visible_gpus.clear();
    run.config_source.clear();
    run.config_text.clear();
    for (Notice& notice : run.notices) {
        for (NoticeArgument& argument : notice.arguments) {
            hosts.rename_in(argument.text);
            without_folders(argument.text);
        }
        hosts.rename_in(notice.text);
        without_folders(notice.text);
    }
    for (Module& module : profile.modules) {
        without_folder(module.path);
        module.build_id.clear();
    }
    for (Function& function : profile.functions) {
        without_folder(function.file);
        // The name of an OpenMP construct: "loop at /home/...:12".
        if (function.kind != NodeKind::function && function.name.find('/') != std::string::npos) {
            without_folders(function.name);
            without_folders(function.display);
        }
    }
}

void make_anonymous(std::vector<PageLine>& lines) {
    for (PageLine& line : lines)
        without_folder(line.file);
}

}  // namespace vftrace
