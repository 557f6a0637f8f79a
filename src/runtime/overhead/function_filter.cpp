// The user's filters, as two sets of functions: a function with several symbols is included if one
// of them is, and excluded if one of them is.
#include "overhead/function_filter.hpp"

namespace vftrace {

FunctionFilter::FunctionFilter(const std::optional<std::string>& include,
                               const std::optional<std::string>& exclude) {
    if (include)
        included_.emplace(include->c_str(), Compared::everything);
    if (exclude)
        excluded_.emplace(exclude->c_str(), Compared::everything);
}

void FunctionFilter::add_loaded_files() {
    if (included_)
        included_->add_loaded_files();
    if (excluded_)
        excluded_->add_loaded_files();
}

bool FunctionFilter::excludes(std::uintptr_t function_address) const {
    if (excluded_ && excluded_->contains(function_address))
        return true;
    return included_ && included_->knows(function_address) &&
           !included_->contains(function_address);
}

}  // namespace vftrace
