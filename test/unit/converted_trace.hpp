// The vfd file of a synthetic trace, as text that is easy to compare.
#pragma once

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "readers/vfd_reader.hpp"
#include "trace_file_builder.hpp"
#include "vfd/vfd_conversion.hpp"

namespace vftrace::test {

// A folder for one test; it is removed with the object.
struct TemporaryFolder {
    TemporaryFolder() { REQUIRE(mkdtemp(path.data())); }
    ~TemporaryFolder() {
        for (const char* file : {"/trace.tmpvfd", "/trace.vfd"})
            unlink((path + file).c_str());
        rmdir(path.c_str());
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    // Whether there are incomplete files.
    bool has_parts() const {
        for (const auto& entry : std::filesystem::directory_iterator(path))
            if (entry.path().extension() == ".part")
                return true;
        return false;
    }
    std::string path = "/tmp/vftrace_unit_XXXXXX";
    std::string trace() const { return path + "/trace.tmpvfd"; }
    std::string vfd() const { return path + "/trace.vfd"; }
};

// A profile of regions, and the paths of a process's nodes, which are specified by hand.
struct RegionProfile {
    RegionProfile() {
        add(no_index, "init", NodeKind::root);
        profile.run.start_unix_ns = 1'700'000'000'000'000'000;
        profile.run.end_unix_ns = 1'700'000'003'000'000'000;
        profile.run.runtime_ns = 3'000'000'000;
        profile.run.application = "program";
        profile.run.host = "node7";
    }
    std::uint32_t add(std::uint32_t parent, const std::string& name,
                      NodeKind kind = NodeKind::region) {
        Function function;
        function.name = name;
        function.kind = kind;
        profile.functions.push_back(function);
        Path path;
        path.parent = parent;
        path.function = static_cast<std::uint32_t>(profile.functions.size() - 1);
        profile.paths.push_back(path);
        return static_cast<std::uint32_t>(profile.paths.size() - 1);
    }
    Profile profile;
    PathsOfNodes nodes;
};

// init, main, work; nodes 1 and 2 of thread 0.
struct SmallTrace : RegionProfile {
    SmallTrace() {
        const std::uint32_t main = add(0, "main", NodeKind::function);
        const std::uint32_t work = add(main, "work", NodeKind::function);
        nodes.path_of = {{0, main, work}};
        trace.process.sample_interval_ns = 0;
    }
    void begin() {
        trace.add_process();
        trace.add_paths({TraceFileBuilder::root(0),
                         TraceFileBuilder::node(0, 1, 0, NodeKind::function),
                         TraceFileBuilder::node(0, 2, 1, NodeKind::function)});
    }
    TemporaryFolder folder;
    TraceFileBuilder trace;
};

inline VfdFigures convert(const TemporaryFolder& folder, const TraceFileBuilder& trace,
                          const RegionProfile& known, std::uint64_t end_ticks,
                          double ns_per_tick = 1.0) {
    trace.write(folder.trace());
    return convert_to_vfd({.trace_file = folder.trace(),
                           .vfd_file = folder.vfd(),
                           .profile = &known.profile,
                           .nodes = &known.nodes,
                           .ns_per_tick = ns_per_tick,
                           .end_ticks = end_ticks});
}

// "12 call work<main<init", "15 exit ...", "20-30 send to 3 of main<init thread 0: 5x8 type 13
// tag 7", one line per sample.
inline std::vector<std::string> sample_lines(const VfdFile& file, std::uint32_t thread = 0) {
    std::vector<std::string> lines;
    VfdSampleStream samples = file.samples(thread);
    for (VfdSample sample; samples.next(sample);) {
        std::string line = std::to_string(sample.ns);
        if (sample.kind == VfdSampleKind::message) {
            const VfdMessageSample& m = sample.message;
            line += "-" + std::to_string(std::int64_t{m.end_ns}) +
                    (m.receives ? " recv from " : " send to ") +
                    std::to_string(std::int32_t{m.peer}) + " of " + file.stack_text(sample.stack) +
                    " thread " + std::to_string(std::int32_t{m.thread}) + ": " +
                    std::to_string(std::int32_t{m.count}) + "x" +
                    std::to_string(std::int32_t{m.type_bytes}) + " type " +
                    std::to_string(std::int32_t{m.datatype}) + " tag " +
                    std::to_string(std::int32_t{m.tag});
        } else {
            line += (sample.kind == VfdSampleKind::enter ? " call " : " exit ") +
                    file.stack_text(sample.stack);
            for (std::int64_t reading : sample.counters)
                line += " " + std::to_string(reading);
        }
        lines.push_back(line);
    }
    return lines;
}

inline bool exists(const std::string& path) {
    struct stat information;
    return stat(path.c_str(), &information) == 0;
}

}  // namespace vftrace::test
