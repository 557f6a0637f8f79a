// The beginning of the names of the files that a process wanted to write.
#pragma once

#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/new_file.hpp"
#include "profile/profile.hpp"
#include "record/process_record.hpp"
#include "recover/recovery_request.hpp"

namespace vftrace {

// Opens the directory of the files, in which they then are, whatever happens to its path, and
// reserves a name so that no other run's files are lost; a name that is reserved and not used is
// released.
class ClaimedBase {
  public:
    // `first_file`: what follows the base in the name of the file that is written first. Throws
    // TreeFileError if the directory cannot be used.
    ClaimedBase(const ProcessRecord& record, const RecoveryRequest& request,
                const std::string& first_file);
    ~ClaimedBase();
    ClaimedBase(const ClaimedBase&) = delete;
    ClaimedBase& operator=(const ClaimedBase&) = delete;

    // "<name>_", in folder().
    const std::string& name() const { return name_; }
    OutputFolder folder() const { return {directory_, path_}; }
    // "<directory>/<name>_".
    std::string path() const { return path_ + name_; }
    // For files whose names begin with name(). If the user has named the directory, no file can be
    // anywhere else.
    NewFiles files() const { return NewFiles(folder(), is_named_by_user_); }

    // Has the profile say so if the usual names are those of another process.
    void note_in(Profile& profile) const;

  private:
    std::string path_;  // "<directory>/"
    bool is_named_by_user_;
    std::string name_;
    std::string unclaimed_;  // the usual name
    Descriptor directory_;
    std::string first_file_;  // empty: nothing is reserved
};

// Gives all files their names, or none of them: throws TreeFileError. Returns their paths.
std::vector<std::string> publish(NewFiles& files);

}  // namespace vftrace
