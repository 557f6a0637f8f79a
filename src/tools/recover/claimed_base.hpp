// The beginning of the names of the files that a process wanted to write.
#pragma once

#include <string>

#include "profile/profile.hpp"
#include "record/process_record.hpp"
#include "recover/recovery_request.hpp"

namespace vftrace {

// Reserves a name so that no other run's files are lost; a name that is reserved and not used is
// released.
class ClaimedBase {
  public:
    // `first_file`: what follows the base in the name of the file that is written first.
    ClaimedBase(const ProcessRecord& record, const RecoveryRequest& request,
                const std::string& first_file);
    ~ClaimedBase();
    ClaimedBase(const ClaimedBase&) = delete;
    ClaimedBase& operator=(const ClaimedBase&) = delete;

    // "<directory>/<name>_".
    const std::string& text() const { return text_; }
    // Has the profile say so if the usual names are those of another process.
    void note_in(Profile& profile) const;

  private:
    std::string unclaimed_;
    std::string text_;
    std::string first_file_;  // empty: nothing is reserved
};

}  // namespace vftrace
