#include "profile/annotations.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/text.hpp"
#include "profile/outermost.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

struct Time {
    std::string_view name{};
    std::uint64_t calls = 0;
    std::int64_t ns = 0;
};

// Of all regions, sorted by name.
std::vector<Time> region_times(const Profile& profile) {
    std::vector<Time> of_function(profile.functions.size());
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const std::uint32_t function = profile.paths[i].function;
        if (profile.functions[function].kind != NodeKind::region)
            continue;
        Time& time = of_function[function];
        time.name = profile.functions[function].name;
        time.calls += profile.paths[i].calls;
        if (is_outermost(profile, i))
            time.ns += profile.paths[i].inclusive_ns;
    }
    std::erase_if(of_function, [](const Time& time) { return time.name.empty(); });
    std::sort(of_function.begin(), of_function.end(),
              [](const Time& a, const Time& b) { return a.name < b.name; });
    return of_function;
}

}  // namespace

std::vector<AnnotationTime> annotation_times(const Profile& profile) {
    const std::vector<Time> times = region_times(profile);
    std::vector<AnnotationTime> rows;
    rows.reserve(profile.annotations.size());
    for (const Annotation& annotation : profile.annotations) {
        AnnotationTime row{&annotation, annotation.events};
        if (is_region(annotation.role)) {
            const auto time = std::lower_bound(
                times.begin(), times.end(), annotation.name,
                [](const Time& a, std::string_view name) { return a.name < name; });
            const bool is_known = time != times.end() && time->name == annotation.name;
            row.calls = is_known ? time->calls : 0;
            row.ns = is_known ? time->ns : 0;
        }
        rows.push_back(row);
    }
    return rows;
}

std::string annotated_interfaces(const Profile& profile) {
    std::string text;
    for (std::size_t interface = 0; interface < annotation_interface_count; interface++) {
        std::vector<std::string_view> names;
        for (const Annotation& row : profile.annotations)
            if (static_cast<std::size_t>(row.interface) == interface &&
                (is_region(row.role) || row.role == AnnotationRole::task))
                names.push_back(row.name);
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        if (!names.empty())
            text += format("%s%s (%zu)", text.empty() ? "" : ", ",
                           annotation_interfaces[interface].title, names.size());
    }
    return text;
}

std::string readable_kernel(const std::string& name) {
    // Names of types begin with a length, a nested or a local name, without "_Z".
    const bool may_be_mangled = name.size() > 1 &&
                                name.find_first_of(" :<(") == std::string::npos &&
                                (std::isdigit(static_cast<unsigned char>(name[0])) ||
                                 ((name[0] == 'N' || name[0] == 'Z') &&
                                  (std::isalnum(static_cast<unsigned char>(name[1])))));
    std::string readable = may_be_mangled ? demangle("_Z" + name) : "";
    if (readable.empty())
        readable = name;
    if (readable.find('<') == std::string::npos && readable.find('(') == std::string::npos)
        return readable;
    const std::string shorter = short_cxx_name(readable);
    return shorter.empty() ? readable : shorter;
}

}  // namespace vftrace
