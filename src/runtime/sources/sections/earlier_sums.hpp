// The sections of the earlier run that this run continues: their figures are added to answers about
// the sections of this run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/index_table.hpp"
#include "queries/live_index.hpp"
#include "record/earlier_section.hpp"

namespace vftrace {

// Seconds and bytes.
struct EarlierFigures {
    LiveSums times, memory;
};

class EarlierSums {
  public:
    // To be created and queried in run_guarded(). `sections` must outlive this object.
    explicit EarlierSums(std::span<const EarlierSectionRecord> sections);

    // This rank's share of the figures of all sections with this name, with nested ones counted
    // once; zeros if there was none.
    EarlierFigures of(const char* name, std::uint32_t rank, std::uint32_t ranks) const;
    EarlierFigures of_root(std::uint32_t rank, std::uint32_t ranks) const;

  private:
    struct Sum {
        std::uint64_t calls = 0;
        std::int64_t self_ns = 0, total_ns = 0, self_memory = 0, total_memory = 0;
    };
    Sum& sum_of(const EarlierSectionRecord& section);
    static EarlierFigures share_of(const Sum& sum, std::uint32_t rank, std::uint32_t ranks);

    std::vector<const char*> names_;
    std::vector<Sum> sums_;  // by name
    IndexTable by_name_;
    Sum root_;
};

// Whether one of the sections has this name. Does not allocate memory.
bool is_earlier_section(std::span<const EarlierSectionRecord> sections, const char* name);

}  // namespace vftrace
