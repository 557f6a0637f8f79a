#include "export/anonymity.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>

#include <fmt/core.h>

#include "base/text.hpp"
#include "symbol/common_libraries.hpp"

namespace vftrace {
namespace {

struct SipState {
    std::uint64_t v0, v1, v2, v3;

    void rounds(int count) {
        for (int i = 0; i < count; i++) {
            v0 += v1;
            v2 += v3;
            v1 = std::rotl(v1, 13) ^ v0;
            v3 = std::rotl(v3, 16) ^ v2;
            v0 = std::rotl(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = std::rotl(v1, 17) ^ v2;
            v3 = std::rotl(v3, 21) ^ v0;
            v2 = std::rotl(v2, 32);
        }
    }
    void take(std::uint64_t word) {
        v3 ^= word;
        rounds(2);
        v0 ^= word;
    }
};

class Names {
  public:
    Names(const AnonymityKey& key, std::map<std::string, std::string>& names)
        : key_(key), names_(names) {}

    std::string of(const char* kind, const std::string& name) {
        if (name.empty())
            return name;
        constexpr std::uint64_t digits = (std::uint64_t{1} << 48) - 1;
        std::string result = fmt::format("{}_{:012x}", kind, keyed_hash(name, key_) & digits);
        names_.emplace(result, name);
        return result;
    }
    void replace(const char* kind, std::string& name) { name = of(kind, name); }
    // 0 stays 0: nothing.
    void replace(std::uint64_t& number) {
        if (number == 0)
            return;
        const std::array<char, sizeof number> bytes =
            std::bit_cast<std::array<char, sizeof number>>(number);
        number = keyed_hash({bytes.data(), bytes.size()}, key_);
    }

  private:
    const AnonymityKey& key_;
    std::map<std::string, std::string>& names_;
};

bool keeps_its_name(const Profile& profile, const Function& function) {
    switch (function.kind) {
    case NodeKind::root:
    case NodeKind::pause:
    case NodeKind::thread:
    case NodeKind::mpi:
        return true;
    case NodeKind::function:
        return function.module != no_index &&
               is_common_library(profile.modules[function.module].path);
    default:
        return false;
    }
}

void anonymise_functions(Profile& profile, Names& names) {
    for (Function& function : profile.functions) {
        names.replace("file", function.file);
        if (keeps_its_name(profile, function))
            continue;
        const char* const kind = function.kind == NodeKind::function ? "function"
                                 : function.kind == NodeKind::other
                                     ? "other"
                                     : row_of(function.kind).word.data();
        const std::string name =
            names.of(kind, function.demangled.empty() ? function.name : function.demangled);
        for (std::string* const text :
             {&function.symbol, &function.name, &function.demangled, &function.display})
            if (!text->empty())
                *text = name;
    }
    // Hashes of the names from the root on, which anybody could compute.
    for (Path& path : profile.paths)
        names.replace(path.hash);
}

void anonymise_run(RunInfo& run, Names& names) {
    names.replace("host", run.host);
    names.replace("program", run.application);
    std::string arguments;
    for (const std::string_view word : split(run.command_line, ' '))
        arguments +=
            arguments.empty() ? run.application : ' ' + names.of("argument", std::string(word));
    run.command_line = arguments;
    run.pid = 0;
    run.visible_gpus.clear();
    run.config_source.clear();
    run.config_text.clear();
    for (RunParameter& parameter : run.parameters)
        names.replace("parameter", parameter.name);
    std::sort(run.parameters.begin(), run.parameters.end(),
              [](const RunParameter& a, const RunParameter& b) { return a.name < b.name; });
    for (ObservableFormula& observable : run.observables) {
        names.replace("observable", observable.name);
        observable.formula.clear();
    }
    std::erase_if(run.notices,
                  [](const Notice& notice) { return notice.code == NoticeCode::other; });
    for (Notice& notice : run.notices)
        for (NoticeArgument& argument : notice.arguments)
            if (argument.is_text)
                names.replace("text", argument.text);
}

// By fields that have new values now.
template <class Row, class Key>
void sort_again(std::vector<Row>& rows, Key key) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Row& a, const Row& b) { return key(a) < key(b); });
}

void anonymise_hosts(Profile& profile, Names& names) {
    for (RankFigures& rank : profile.ranks) {
        names.replace("host", rank.host);
        rank.pid = 0;
    }
    for (HostMetric& metric : profile.host_metrics)
        names.replace("host", metric.host);
    sort_again(profile.host_metrics,
               [](const HostMetric& row) { return std::tuple(row.host, row.device, row.metric); });
    for (RegionFigures& region : profile.regions) {
        names.replace("host", region.host);
        names.replace(region.machine);
        names.replace(region.id);
    }
    for (RegionMetric& metric : profile.region_metrics) {
        names.replace("host", metric.host);
        names.replace(metric.machine);
        names.replace(metric.id);
    }
    const auto key = [](const auto& row) {
        return std::tuple(row.host, row.machine, row.part, row.id);
    };
    sort_again(profile.regions, key);
    sort_again(profile.region_metrics, key);
}

void anonymise_rows(Profile& profile, Names& names) {
    for (EarlierSection& section : profile.earlier_sections) {
        names.replace("section", section.name);
        names.replace(section.id);
        names.replace(section.parent);
    }
    sort_again(profile.earlier_sections, [](const EarlierSection& row) { return row.id; });
    for (ThreadFigures& thread : profile.threads)
        names.replace("thread", thread.name);
    for (LockWait& wait : profile.lock_waits)
        names.replace("lock", wait.name);
    for (HeapSiteRow& site : profile.heap_sites)
        names.replace("file", site.file);
    for (FileCalls& calls : profile.file_calls)
        names.replace("file", calls.file);
    for (FileFigures& file : profile.files)
        names.replace("file", file.file);
    sort_again(profile.files, [](const FileFigures& row) { return row.file; });
    sort_again(profile.file_calls,
               [](const FileCalls& row) { return std::tuple(row.path, row.file); });
    for (Annotation& annotation : profile.annotations) {
        names.replace("annotation", annotation.name);
        names.replace("annotation", annotation.detail);
    }
    sort_again(profile.annotations, [](const Annotation& row) {
        return std::tuple(row.interface, row.role, row.name, row.detail);
    });
}

}  // namespace

std::uint64_t keyed_hash(std::string_view text, const AnonymityKey& key) {
    SipState state{key.first ^ 0x736f6d6570736575, key.second ^ 0x646f72616e646f6d,
                   key.first ^ 0x6c7967656e657261, key.second ^ 0x7465646279746573};
    const std::size_t whole = text.size() / 8 * 8;
    for (std::size_t at = 0; at < whole; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, sizeof word);
        state.take(word);
    }
    std::uint64_t last = std::uint64_t{text.size()} << 56;
    std::memcpy(&last, text.data() + whole, text.size() - whole);
    state.take(last);
    state.v2 ^= 0xff;
    state.rounds(4);
    return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

AnonymityKey anonymity_key(std::string_view secret) {
    return {keyed_hash(secret, {1, 0}), keyed_hash(secret, {2, 0})};
}

void anonymise(Profile& profile, const AnonymityKey& key,
               std::map<std::string, std::string>& new_names) {
    Names names(key, new_names);
    anonymise_functions(profile, names);
    anonymise_run(profile.run, names);
    anonymise_hosts(profile, names);
    anonymise_rows(profile, names);
    for (Module& module : profile.modules) {
        if (is_common_library(module.path))
            module.path = std::string(base_name(module.path));
        else
            names.replace("module", module.path);
        module.build_id.clear();
    }
}

}  // namespace vftrace
