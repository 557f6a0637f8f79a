// "OpenACC ratio of memcpy / kernel calls": paths that copy back and forth between launches.
#include <algorithm>
#include <string>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "collate/unite.hpp"
#include "report/offload_tables.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

// How many are shown, unless the configuration sets another number.
constexpr std::size_t most_blocks = 20, most_kernels = 10;

constexpr const char* titles[] = {"OpenACC ratio of memcpy / kernel calls:\n",
                                  "OpenMP ratio of transfers / target regions:\n"};

// The copies of a function's constructs.
struct Copies {
    std::uint32_t caller = 0;  // path of the function
    std::uint64_t in = 0, out = 0;

    std::uint64_t count() const {
        std::uint64_t sum = in;
        add_saturating(sum, out);
        return sum;
    }
};

std::vector<Copies> copies_by_caller(const Profile& profile, const OffloadRows& offload) {
    std::vector<Copies> all;
    for (const OffloadRow& row : offload.rows) {
        const auto transfers = [&](ConstructBytes which) {
            return row.figures.transfers[static_cast<std::size_t>(which)];
        };
        const Copies own = {calling_function(profile, row.path),
                            transfers(ConstructBytes::to_device),
                            transfers(ConstructBytes::to_host)};
        if (own.count() > 0)
            all.push_back(own);
    }
    std::sort(all.begin(), all.end(),
              [](const Copies& a, const Copies& b) { return a.caller < b.caller; });
    unite(
        all, [](const Copies& a, const Copies& b) { return a.caller == b.caller; },
        [](Copies& to, const Copies& from) {
            add_saturating(to.in, from.in);
            add_saturating(to.out, from.out);
        });
    return all;
}

std::vector<const OffloadRow*> launches_below(const Profile& profile, const OffloadRows& offload,
                                              std::uint32_t caller) {
    std::vector<const OffloadRow*> launches;
    for (const OffloadRow& row : offload.rows)
        if (row.launches && is_below(profile, row.path, caller))
            launches.push_back(&row);
    std::sort(launches.begin(), launches.end(), [&](const OffloadRow* a, const OffloadRow* b) {
        return row_before(a->figures.calls, b->figures.calls, profile.paths[a->path].stid,
                          profile.paths[b->path].stid, false);
    });
    return launches;
}

// "100 in", and for several ranks "100 in (25.00 a rank)".
std::string count_text(const Profile& profile, std::uint64_t count, const char* what) {
    std::string text = format("%llu %s", static_cast<unsigned long long>(count), what);
    const auto ranks = static_cast<std::uint64_t>(profile.summed_ranks());
    if (count > 0 && ranks > 1)
        append_format(text, " (%.2f a rank)", mean(static_cast<double>(count), ranks));
    return text;
}

void write_block(const Profile& profile, const OffloadRows& offload, const PathText& text,
                 const Copies& copies, TableOutput& out) {
    out.print("%s<%s (STID %u): ", text.function(copies.caller).c_str(),
              std::string(text.caller(copies.caller)).c_str(), profile.paths[copies.caller].stid);
    out.write(count_text(profile, copies.in, "in") + ", " + count_text(profile, copies.out, "out") +
              "\n");
    const std::vector<const OffloadRow*> launches = launches_below(profile, offload, copies.caller);
    if (launches.empty())
        out.write("    no kernel is launched below the same function\n");
    for (std::size_t i = 0; i < launches.size() && i < most_kernels; i++) {
        const OffloadRow& launch = *launches[i];
        out.print("    %s (STID %u): ", text.function(launch.path).c_str(),
                  profile.paths[launch.path].stid);
        out.write(count_text(profile, launch.figures.calls,
                             launch.figures.calls == 1 ? "launch" : "launches"));
        out.print(", %.3f in and %.3f out per launch\n",
                  mean(static_cast<double>(copies.in), launch.figures.calls),
                  mean(static_cast<double>(copies.out), launch.figures.calls));
    }
    write_rest(launches.size(), most_kernels, "kernel", "kernels", out, "    ");
}

}  // namespace

void write_offload_ratios(const Profile& profile, ProgrammingModel model,
                          const OffloadRows& offload, const PathText& text,
                          const ReportOptions& options, TableOutput& out) {
    std::vector<Copies> all = copies_by_caller(profile, offload);
    if (all.empty())
        return;
    std::sort(all.begin(), all.end(), [&](const Copies& a, const Copies& b) {
        return row_before(a.count(), b.count(), profile.paths[a.caller].stid,
                          profile.paths[b.caller].stid, false);
    });
    out.write(titles[static_cast<std::size_t>(model)]);
    const std::size_t shown = shown_rows(all.size(), options, most_blocks);
    for (std::size_t i = 0; i < shown; i++)
        write_block(profile, offload, text, all[i], out);
    write_rest(all.size(), shown, "function with copies", "functions with copies", out);
    out.write("\n");
}

}  // namespace vftrace
