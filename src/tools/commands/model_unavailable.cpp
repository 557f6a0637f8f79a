// The message of `vftrace model` in builds without Eigen, which finding models needs.
#include "commands/commands.hpp"
#include "commands/model_report.hpp"

namespace vftrace::tools {

void print_models(const ModelArguments&) {
    throw CommandError("this vftrace was built without Eigen, which models need (Debian: "
                       "libeigen3-dev)");
}

}  // namespace vftrace::tools
