// The parts of a vfd file (vfd/vfd_format.hpp) except its samples: header, tables, extension.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"
#include "vfd/traced_communicators.hpp"
#include "vfd/vfd_format.hpp"
#include "vfd/vfd_output.hpp"

namespace vftrace {

// A thread as the file describes it.
struct VfdThreadRow {
    std::int32_t parent = -1;  // always smaller than its own number
    std::int32_t number = 0;   // the kernel's
    bool openmp_worker = false;
    std::uint64_t samples = 0;
    std::string_view name;
};

// Writes the parts one after the other, and their positions into the header.
class VfdWriter {
  public:
    VfdWriter(VfdOutput& out, const RunInfo& run);

    // Figures that are only known at the end; the functions below set the offsets. finish() writes
    // it.
    VfdNumbers numbers{};

    // To be called in this order, after the samples. `precise`: by path.
    void write_stacks(const Profile& profile, const std::vector<bool>& precise);
    void write_threads(const std::vector<VfdThreadRow>& threads);
    // The first `numbers.counters` of the run's counters; with them the observables.
    void write_counters(const RunInfo& run);

    void begin_extension();
    void begin_section(VfdSection section, std::uint32_t detail = 0);
    void end_section();
    void write_run_section(const RunInfo& run);
    void write_module_section(const std::vector<Module>& modules);
    void write_function_section(const std::vector<Function>& functions);
    void write_stack_section(const std::vector<Path>& paths);
    void write_counter_section();
    void write_clock_section(const VfdClock& clock);
    void write_thread_section(const std::vector<VfdThreadRow>& threads);
    void write_gap_section(const std::vector<VfdGap>& gaps);
    void write_communicator_section(const std::vector<TracedGroups::Group>& groups);
    void end_extension();

    // Fills in the header. Afterwards only publish() remains to be called.
    void finish();

  private:
    std::int64_t position() const { return static_cast<std::int64_t>(out_.position()); }

    VfdOutput& out_;
    std::uint64_t numbers_offset_ = 0;
    std::uint64_t extension_offset_ = 0;
    std::uint64_t section_offset_ = 0;
};

}  // namespace vftrace
