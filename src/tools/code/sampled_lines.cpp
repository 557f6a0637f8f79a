#include "code/sampled_lines.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace vftrace {
namespace {

bool is_paused(const Profile& profile, const Path& path) {
    return (path.flags & path_paused) != 0 ||
           profile.functions[path.function].kind == NodeKind::pause;
}

}  // namespace

bool SourceMap::add(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
        return false;
    prefixes_.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    return true;
}

std::string SourceMap::path(const std::string& name) const {
    for (const auto& [before, now] : prefixes_) {
        const bool fits =
            name.starts_with(before) &&
            (before.ends_with('/') || name.size() == before.size() || name[before.size()] == '/');
        if (fits)
            return now + name.substr(before.size());
    }
    return name;
}

SampledLines::SampledLines(const Profile& profile, const SourceMap& map,
                           const std::set<std::uint32_t>* paths) {
    for (const SampledAddress& address : sampled_addresses(profile))
        if ((!paths || paths->contains(address.path)) &&
            !is_paused(profile, profile.paths[address.path]))
            samples_.push_back(
                {address.path, address.module, address.offset, address.samples, 0, 0, nullptr});
    divide_times(profile);
    look_up(profile, map);
}

void SampledLines::divide_times(const Profile& profile) {
    std::vector<double> samples_of_path(profile.paths.size());
    for (const SampleOnLine& sample : samples_)
        samples_of_path[sample.path] += static_cast<double>(sample.samples);
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const Path& path = profile.paths[i];
        if (is_paused(profile, path))
            continue;
        total_ns_ += static_cast<double>(path.exclusive_ns);
        if (samples_of_path[i] == 0)
            unsampled_ns_ += static_cast<double>(path.exclusive_ns);
    }
    // How many of a path's samples hit an address is binomial; the path's own error is added.
    for (SampleOnLine& sample : samples_) {
        const Path& path = profile.paths[sample.path];
        const double all = samples_of_path[sample.path];
        const double share = static_cast<double>(sample.samples) / all;
        const auto ns = static_cast<double>(path.exclusive_ns);
        const auto error = static_cast<double>(path.exclusive_error_ns);
        sample.ns = ns * share;
        sample.variance = ns * ns * share * (1 - share) / all + error * error * share * share;
    }
}

void SampledLines::look_up(const Profile& profile, const SourceMap& map) {
    std::map<std::uint32_t, double> time_of_module;
    for (SampleOnLine& sample : samples_) {
        sample.places = &places_[{sample.module, sample.offset}];
        time_of_module[sample.module] += sample.ns;
    }
    std::vector<std::pair<double, std::string>> problems;
    SourcePlaces places;
    std::uint32_t open = no_index;
    for (auto& [at, found] : places_) {
        const auto& [module, offset] = at;
        if (module == no_index)
            continue;
        if (module != open) {
            open = module;
            const Module& file = profile.modules[module];
            if (!places.open(map.path(file.path), file.build_id, profile.run.start_unix_ns))
                problems.emplace_back(-time_of_module[module], places.problem());
        }
        found = places.at(offset);
        for (SourcePlace& place : found)
            place.file = map.path(place.file);
    }
    if (time_of_module.contains(no_index))
        problems.emplace_back(-time_of_module[no_index],
                              "code that the program generated while it ran does not have lines");
    std::sort(problems.begin(), problems.end());
    for (auto& [ns, problem] : problems)
        problems_.push_back(std::move(problem));
}

void say_what_lines_are_missing(const std::vector<std::string>& problems, TableOutput& out) {
    for (const std::string& problem : problems)
        out.write("Lines are missing: " + printable(problem) + "\n");
}

std::string short_place(const SourcePlace& place) {
    return fmt::format("{}:{}", base_name(place.file), place.line);
}

namespace {

class InlinedFunctions {
  public:
    explicit InlinedFunctions(const Profile& profile) : profile_(profile) {
        for (const Path& path : profile.paths)
            next_stid_ = std::max(next_stid_, path.stid + 1);
    }

    // Moves the time of a sample from its path to the functions that are inlined there.
    void add(const SampleOnLine& sample) {
        const std::vector<SourcePlace>& places = *sample.places;
        std::uint32_t path = sample.path;
        if (places.size() < 2)
            return add_address(path, sample);
        const auto ns = static_cast<std::int64_t>(std::llround(sample.ns));
        profile_.paths[path].exclusive_ns -= ns;
        profile_.paths[path].raw_exclusive_ns -= ns;
        profile_.paths[path].samples -= std::min(profile_.paths[path].samples, sample.samples);
        for (std::size_t i = places.size() - 1; i-- > 0;) {
            path = path_below(path, sample.module, places[i]);
            profile_.paths[path].inclusive_ns += ns;
            profile_.paths[path].raw_inclusive_ns += ns;
        }
        Path& leaf = profile_.paths[path];
        leaf.exclusive_ns += ns;
        leaf.raw_exclusive_ns += ns;
        leaf.samples += sample.samples;
        variances_[path] += sample.variance;
        add_address(path, sample);
    }

    Profile finish() && {
        for (const auto& [path, variance] : variances_)
            profile_.paths[path].exclusive_error_ns =
                static_cast<std::int64_t>(std::llround(std::sqrt(variance)));
        if (!profile_.spread.empty())
            profile_.spread.resize(profile_.paths.size());
        profile_.addresses.clear();
        for (auto& [key, row] : addresses_) {
            sort_and_add_up(row.addresses);
            profile_.addresses.push_back(std::move(row));
        }
        return std::move(profile_);
    }

  private:
    void add_address(std::uint32_t path, const SampleOnLine& sample) {
        PathAddresses& row = addresses_[{path, sample.module}];
        row.path = path;
        row.module = sample.module;
        row.time_ns += static_cast<std::int64_t>(std::llround(sample.ns));
        row.addresses.push_back({sample.offset, sample.samples});
    }

    std::uint32_t path_below(std::uint32_t parent, std::uint32_t module, const SourcePlace& place) {
        const std::uint32_t function = function_of(module, place);
        const auto next = static_cast<std::uint32_t>(profile_.paths.size());
        const auto [known, is_new] = paths_.try_emplace({parent, function}, next);
        if (is_new) {
            Path& path = profile_.paths.emplace_back();
            path.parent = parent;
            path.function = function;
            path.stid = next_stid_++;
        }
        return known->second;
    }

    std::uint32_t function_of(std::uint32_t module, const SourcePlace& place) {
        const auto next = static_cast<std::uint32_t>(profile_.functions.size());
        const auto [known, is_new] = functions_.try_emplace({module, place.function}, next);
        if (is_new) {
            Function& function = profile_.functions.emplace_back();
            function.name = place.function;
            function.display = place.function_display + " [inlined]";
            function.module = module;
            function.file = place.file;
            function.line = place.function_line;
        }
        return known->second;
    }

    Profile profile_;
    std::uint32_t next_stid_ = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> paths_;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> functions_;
    std::map<std::uint32_t, double> variances_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, PathAddresses> addresses_;
};

}  // namespace

Profile with_inlined_functions(const Profile& profile, const SampledLines& lines) {
    InlinedFunctions result(profile);
    for (const SampleOnLine& sample : lines.samples())
        result.add(sample);
    return std::move(result).finish();
}

}  // namespace vftrace
