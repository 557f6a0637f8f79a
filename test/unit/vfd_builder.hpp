// Helpers for writing vfd files: version 3 as Vftrace 2.0 wrote it, or with our extension. Nothing
// is checked, so that damaged files can be built too.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "profile/profile.hpp"
#include "vfd/vfd_format.hpp"

namespace vftrace::test {

class VfdBuilder {
  public:
    // With the stack "init" and thread 0.
    explicit VfdBuilder(bool with_extension = true) : extension(with_extension) {
        numbers.processes = 1;
        numbers.runtime_s = 1.0;
        clock.start_unix_ns = 1'700'000'000'000'000'000;
        clock.start_monotonic_ns = 5'000'000'000;
        add_stack(-1, "init");
        add_thread(-1);
    }

    // What is written; may be changed at will. The counts and offsets in `numbers` are filled in.
    bool extension;
    std::int32_t version = vfd_version;
    std::string package = "Vftrace 2.0.0";
    std::string start_date = "Sat Nov 21 01:33:13 2026", end_date = "Sat Nov 21 01:33:14 2026";
    VfdNumbers numbers{};
    VfdClock clock{};
    std::string application = "heat", command_line = "./heat 100", host = "node1",
                configuration = "{}";

    // Return the index of what was added.
    std::uint32_t add_stack(std::int32_t parent, std::string_view name, bool precise = false,
                            std::uint32_t function = no_index) {
        integer(stack_table_, parent);
        text_with_nul(stack_table_, std::string(name) + (precise ? "*" : ""));
        integer(stack_functions_, function);
        return numbers.stacks++;
    }
    std::uint32_t add_thread(std::int32_t parent, std::string_view name = "",
                             bool openmp_worker = false) {
        const auto index = static_cast<std::int32_t>(threads_.size());
        threads_.push_back({parent, 1000 + index, openmp_worker, std::string(name), {}, 0});
        return static_cast<std::uint32_t>(index);
    }
    // Must come before the first sample, because each sample has readings of all counters.
    void add_counter(std::string_view name, std::string_view symbol, std::string_view unit = "") {
        text_with_nul(counter_table_, name);
        text_with_nul(counter_table_, symbol);
        text(counter_units_, unit);
        numbers.counters++;
    }
    void add_observable(std::string_view name, std::string_view formula,
                        std::string_view unit = "") {
        text_with_nul(observable_table_, name);
        text_with_nul(observable_table_, formula);
        if (unit.empty())
            integer(observable_table_, std::int32_t{0});
        else
            text_with_nul(observable_table_, unit);
        numbers.observables++;
    }
    std::uint32_t add_module(std::string_view path, std::string_view build_id = "") {
        text(modules_, path);
        text(modules_, build_id);
        return modules_count_++;
    }
    std::uint32_t add_function(std::string_view symbol, std::string_view demangled = "",
                               std::uint32_t module = no_index, std::uint64_t offset = 0,
                               NodeKind kind = NodeKind::function, std::string_view file = "",
                               std::uint32_t line = 0) {
        integer(functions_, VfdFunction{static_cast<std::uint32_t>(kind), module, offset, line});
        text(functions_, symbol);
        text(functions_, demangled);
        text(functions_, file);
        return functions_count_++;
    }
    void add_gap(const VfdGap& gap) { integer(gaps_, gap); }

    void enter(std::uint32_t stack, std::int64_t ns, std::uint32_t thread = 0,
               std::initializer_list<std::int64_t> readings = {}) {
        sample(VfdSampleKind::enter, stack, ns, thread, readings);
    }
    void exit(std::uint32_t stack, std::int64_t ns, std::uint32_t thread = 0,
              std::initializer_list<std::int64_t> readings = {}) {
        sample(VfdSampleKind::exit, stack, ns, thread, readings);
    }
    // Messages of all threads are among the samples of thread 0.
    void message(VfdMessageSample message) {
        message.kind = VfdSampleKind::message;
        integer(threads_[0].samples, message);
        numbers.message_samples++;
    }
    // MPI_INT, 10 elements, from `start` for `ns`.
    void send(std::uint32_t stack, std::int32_t peer, std::int32_t tag, std::int64_t start,
              std::int64_t ns, std::uint32_t thread = 0) {
        message(simple_message(0, stack, peer, tag, start, ns, thread));
    }
    void receive(std::uint32_t stack, std::int32_t peer, std::int32_t tag, std::int64_t start,
                 std::int64_t ns, std::uint32_t thread = 0) {
        message(simple_message(1, stack, peer, tag, start, ns, thread));
    }
    // The events of a thread that the interval left out.
    void add_left_out(std::uint32_t thread, std::initializer_list<VfdLeftOut> entries) {
        std::string payload;
        for (const VfdLeftOut& entry : entries)
            payload.append(reinterpret_cast<const char*>(&entry), sizeof entry);
        add_section(static_cast<std::uint32_t>(VfdSection::left_out), thread, payload);
    }
    // A section that readers do not know, or one more of a known kind.
    void add_section(std::uint32_t kind, std::uint32_t detail, std::string_view payload) {
        section(further_sections_, static_cast<VfdSection>(kind), detail, std::string(payload));
    }

    // The place of `numbers` in contents().
    std::size_t numbers_offset() const {
        return 4 + 4 + package.size() + 1 + 4 + start_date.size() + 1 + end_date.size() + 1;
    }

    // The bytes of the file. Fills in counts and offsets first.
    std::string contents() {
        numbers.threads = static_cast<std::int32_t>(threads_.size());
        numbers.function_samples = static_cast<std::uint32_t>(threads_[0].count);
        std::string thread_table;
        for (const Thread& thread : threads_)
            integer(thread_table, thread.parent);
        numbers.samples_offset = static_cast<std::int64_t>(numbers_offset() + sizeof(VfdNumbers));
        numbers.stacks_offset = numbers.samples_offset + size_of(threads_[0].samples);
        numbers.threads_offset = numbers.stacks_offset + size_of(stack_table_);
        numbers.hwprof_offset = numbers.threads_offset + size_of(thread_table);

        std::string file;
        integer(file, version);
        text_with_nul(file, package);
        integer(file, static_cast<std::int32_t>(start_date.size() + 1));
        file.append(start_date.c_str(), start_date.size() + 1);
        file.append(end_date.c_str(), end_date.size() + 1);
        integer(file, numbers);
        file +=
            threads_[0].samples + stack_table_ + thread_table + counter_table_ + observable_table_;
        if (extension)
            append_extension(file);
        return file;
    }
    void write(const std::string& path) { std::ofstream(path, std::ios::binary) << contents(); }

    template <class T>
    static void integer(std::string& out, const T& value) {
        out.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    // As in the tables of version 3.
    static void text_with_nul(std::string& out, std::string_view text) {
        integer(out, static_cast<std::int32_t>(text.size() + 1));
        out += text;
        out += '\0';
    }
    // As in the extension.
    static void text(std::string& out, std::string_view text) {
        integer(out, static_cast<std::uint32_t>(text.size()));
        out += text;
    }

  private:
    struct Thread {
        std::int32_t parent, number;
        bool openmp_worker;
        std::string name, samples;
        std::uint64_t count;  // of function samples
    };

    static std::int64_t size_of(const std::string& bytes) {
        return static_cast<std::int64_t>(bytes.size());
    }
    static VfdMessageSample simple_message(std::int32_t receives, std::uint32_t stack,
                                           std::int32_t peer, std::int32_t tag, std::int64_t start,
                                           std::int64_t ns, std::uint32_t thread) {
        return {VfdSampleKind::message,
                receives,
                peer,
                2,
                10,
                4,
                tag,
                start,
                start + ns,
                static_cast<std::int32_t>(stack),
                static_cast<std::int32_t>(thread)};
    }
    void sample(VfdSampleKind kind, std::uint32_t stack, std::int64_t ns, std::uint32_t thread,
                std::initializer_list<std::int64_t> readings) {
        Thread& target = threads_[thread];
        integer(target.samples, VfdFunctionSample{kind, static_cast<std::int32_t>(stack), ns});
        for (std::int64_t reading : readings)
            integer(target.samples, reading);
        target.count++;
    }
    static void section(std::string& file, VfdSection kind, std::uint32_t detail,
                        const std::string& payload) {
        integer(file, VfdSectionHeader{kind, detail, payload.size()});
        file += payload;
    }
    void append_extension(std::string& file) const {
        VfdExtensionFooter footer{size_of(file), {}};
        std::memcpy(footer.magic, vfd_extension_magic, sizeof footer.magic);
        file.append(vfd_extension_magic, sizeof vfd_extension_magic);
        std::string run, threads;
        for (const std::string& part : {application, command_line, host, configuration})
            text(run, part);
        for (const Thread& thread : threads_) {
            integer(threads,
                    VfdThread{thread.parent, thread.number, thread.openmp_worker, thread.count,
                              static_cast<std::uint32_t>(thread.name.size())});
            threads += thread.name;
        }
        std::string clock_payload;
        integer(clock_payload, clock);
        section(file, VfdSection::run, 0, run);
        section(file, VfdSection::threads, 0, threads);
        for (std::size_t i = 1; i < threads_.size(); i++)
            section(file, VfdSection::samples, static_cast<std::uint32_t>(i), threads_[i].samples);
        section(file, VfdSection::clock, 0, clock_payload);
        if (modules_count_ > 0)
            section(file, VfdSection::modules, 0, modules_);
        if (functions_count_ > 0) {
            section(file, VfdSection::functions, 0, functions_);
            section(file, VfdSection::stacks, 0, stack_functions_);
        }
        if (numbers.counters > 0)
            section(file, VfdSection::counters, 0, counter_units_);
        if (!gaps_.empty())
            section(file, VfdSection::gaps, 0, gaps_);
        file += further_sections_;
        integer(file, footer);
    }

    std::vector<Thread> threads_;
    std::string stack_table_, counter_table_, observable_table_;  // of version 3
    std::string stack_functions_, modules_, functions_, counter_units_, gaps_, further_sections_;
    std::uint32_t modules_count_ = 0, functions_count_ = 0;
};

// Two threads, counters, messages, modules, a gap: some of everything.
//
//   0 init   1 main<init   2 work<main<init   3 MPI_Send*<main<init   4 [thread]<main<init
inline VfdBuilder sample_vfd(bool with_extension = true) {
    VfdBuilder builder(with_extension);
    builder.numbers.processes = 3;
    builder.numbers.rank = 1;
    builder.numbers.interval_ns = 5'000'000;
    builder.numbers.runtime_s = 0.5194;
    const std::uint32_t program = builder.add_module("/nowhere/heat", "0123abcd");
    const std::uint32_t mpi = builder.add_module("/nowhere/libmpi.so");
    builder.add_function("", "", no_index, 0, NodeKind::root);
    const std::uint32_t main =
        builder.add_function("main", "", program, 0x1000, NodeKind::function, "heat.c", 42);
    const std::uint32_t work = builder.add_function("_Z4worki", "work(int)", program, 0x1100);
    const std::uint32_t send = builder.add_function("MPI_Send", "", mpi, 0x2000, NodeKind::mpi);
    builder.add_stack(0, "main", false, main);
    builder.add_stack(1, "work", false, work);
    builder.add_stack(1, "MPI_Send", true, send);
    builder.add_stack(1, "[thread]", false);
    builder.add_counter("Cycles", "c", "cycles");
    builder.add_counter("Loads", "l");
    builder.add_observable("Rate", "c/T", "1/s");
    builder.add_observable("Ratio", "c/l");
    const std::uint32_t worker = builder.add_thread(0, "worker");
    builder.enter(1, 57'634'400, 0, {1, 2});
    builder.enter(2, 60'000'000, 0, {3, 4});
    builder.exit(2, 70'000'000, 0, {5, 6});
    builder.enter(3, 80'000'000, 0, {7, 8});
    builder.message({VfdSampleKind::message, 0, 2, 13, 1000, 8, 7, 80'000'000, 80'062'130, 3, 0});
    builder.exit(3, 81'000'000, 0, {9, 10});
    builder.receive(4, 0, 9, 90'000'000, 0, worker);
    builder.exit(1, 500'000'000, 0, {11, 12});
    builder.exit(0, 519'000'000, 0, {11, 12});
    builder.enter(4, 85'000'000, worker, {1, 1});
    builder.exit(4, 95'000'000, worker, {2, 2});
    builder.add_gap({worker, 0, 86'000'000, 87'000'000, 12});
    builder.clock.measured = 2;
    builder.clock.begin_offset_ns = 1500;
    builder.clock.begin_error_ns = 200;
    builder.clock.end_ns = 519'000'000;
    builder.clock.end_offset_ns = 1600;
    builder.clock.end_error_ns = 210;
    return builder;
}

// A separate file, which is removed with the object.
class VfdFileOnDisk {
  public:
    explicit VfdFileOnDisk(std::string_view contents) {
        const int descriptor = mkstemp(path_.data());
        if (descriptor >= 0)
            close(descriptor);
        replace(contents);
    }
    ~VfdFileOnDisk() { unlink(path_.c_str()); }
    VfdFileOnDisk(const VfdFileOnDisk&) = delete;
    VfdFileOnDisk& operator=(const VfdFileOnDisk&) = delete;

    void replace(std::string_view contents) {
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << contents;
    }
    const std::string& path() const { return path_; }

  private:
    std::string path_ = "/tmp/vftrace-test-XXXXXX";
};

}  // namespace vftrace::test
