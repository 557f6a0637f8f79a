// Turns what threads have allocated (record/heap_figures.hpp) into metrics of paths, and into rows
// of the places in the code.
#pragma once

#include <cstdint>
#include <vector>

#include "collate/function_names.hpp"
#include "collate/node_paths.hpp"
#include "profile/profile.hpp"
#include "record/heap_figures.hpp"
#include "symbol/code_file.hpp"

namespace vftrace {

class HeapSitesSum {
  public:
    // `profile` already has its paths.
    HeapSitesSum(Profile& profile, FunctionTable& functions, const ModuleTable& modules)
        : profile_(profile), functions_(functions), modules_(modules),
          of_path_(profile.paths.size()) {}

    // Adds one thread, which may continue to run.
    void add(const NodePaths::Thread& thread);

    // Adds the metrics and rows to the profile.
    void finish();

  private:
    Profile& profile_;
    FunctionTable& functions_;
    const ModuleTable& modules_;
    std::vector<HeapFigures> of_path_;  // by path
};

// Fills file and line of the places with most memory, if their module's file can be read here.
void look_up_heap_lines(Profile& profile, CodeFiles& files);

}  // namespace vftrace
