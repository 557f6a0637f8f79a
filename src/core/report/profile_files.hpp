// The files made from a finished profile: their names and contents. The process itself writes them
// at its end; `vftrace recover` does so for a process that could not.
#pragma once

#include <cstdint>
#include <string>

#include "base/directories.hpp"
#include "config/options.hpp"
#include "profile/profile.hpp"
#include "report/exec_chain.hpp"
#include "report/text_log.hpp"

namespace vftrace {

// `base` ("<directory>/<name>_"), or, if a process that ran at the same time has written
// `first_file` ("all.log") under this name, one with the process id: "<directory>/<name>_<pid>_".
// Reserves the name for the writer, which was started at `start_unix_ns`. Files of earlier programs
// of the process get other names (exec_chain.hpp). `base` may be relative to a folder.
std::string claim_output_base(const std::string& base, const std::string& first_file,
                              std::int64_t start_unix_ns, const Writer& writer,
                              const OutputFolder& folder = {});
// Adds a notice if the result, `claimed`, is not `base`. Not a message, because tools show what the
// programs that they start print.
void note_taken_names(std::vector<Notice>& notices, const std::string& base,
                      const std::string& first_file, const std::string& claimed);

// Whether logfile_for_ranks asks for a log of this rank's own.
bool rank_log_wanted(const Options& options, std::uint32_t rank);

// Releases a name that was reserved in this way and not used: removes the file if it is still
// empty.
void give_output_base_back(const std::string& base, const std::string& first_file,
                           const OutputFolder& folder = {});

// The profile as JSON, with its efficiencies: of the run, and of `regions` (efficiencies.hpp).
void write_json_with_efficiencies(const Profile& profile, const char* regions, OutputFile& out);

// Writes the logs `<base>all.log` etc. and, unless options.json is false, `<base>all.json`, and
// adds them to `files`, which publishes them.
void write_run_files(const Profile& profile, const Options& options, const std::string& base,
                     NewFiles& files);

// The same for the rank that the profile is about: `<base><rank>.log`, `<base><rank>.json`.
void write_rank_files(const Profile& profile, const Options& options, const std::string& base,
                      NewFiles& files);

}  // namespace vftrace
