// The files of a process that continues as another program, which may use the same names.
//
// The last program of such a chain gets the usual names, as it would alone; files that an earlier
// one has written with these names are kept as "<name>_exec1_all.log", "<name>_exec2_all.log" and
// so on.
#pragma once

#include <cstdint>
#include <string>

#include "base/directories.hpp"

namespace vftrace {

// The process that wants to write files.
struct Writer {
    std::int64_t pid;
    std::uint64_t process_start;         // as in ProcessRecord
    std::int64_t program_start_unix_ns;  // of the program that the process now runs
};

// The text about the end of the process in the summary of a log, by which it is recognised.
std::string exec_end_text(std::int64_t pid);

// If an earlier program of the process has written `<base><first_file>`, renames it and the files
// that were written with it. Returns whether there was one. `base` is relative to the folder.
bool keep_files_of_earlier_program(const std::string& base, const std::string& first_file,
                                   const Writer& writer, const OutputFolder& folder);

}  // namespace vftrace
