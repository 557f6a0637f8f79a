// The readers that the fuzzer gives arbitrary bytes: of everything that another process, another
// user or a file from elsewhere may have written. Each reads its input to the end and does with it
// what commands do. Faults are exceptions other than those that the reader announces, reports of
// sanitizers, and run times of more than a few seconds.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fuzz {

void read_vfd(std::string_view input);         // a vfd file, alone and as the only trace of a run
void read_tree(std::string_view input);        // a tree file, of a dead and of a running process
void read_mark(std::string_view input);        // a tree file and the mark of its process
void read_trace(std::string_view input);       // a trace (.tmpvfd)
void read_profile(std::string_view input);     // a profile in JSON, with wait states
void read_parameters(std::string_view input);  // an analysis of parameters
void read_models(std::string_view input);      // the document of vftrace model
void read_extrap(std::string_view input);      // measurements in a format of Extra-P
void read_hosts(std::string_view input);       // a list of hosts, as an argument and as a file
void read_roll_call(std::string_view input);   // the message of a reader on another host
void read_log(std::string_view input);         // a text log
void read_configuration(std::string_view input);  // a configuration

struct Reader {
    std::string_view name;
    void (*read)(std::string_view);
};
inline constexpr Reader readers[] = {
    {"vfd", read_vfd},         {"tree", read_tree},
    {"mark", read_mark},       {"trace", read_trace},
    {"profile", read_profile}, {"parameters", read_parameters},
    {"models", read_models},   {"extrap", read_extrap},
    {"hosts", read_hosts},     {"roll_call", read_roll_call},
    {"log", read_log},         {"configuration", read_configuration}};

// The name of a file in memory with the input, the same for all inputs. `use`: one per file that is
// needed at the same time.
std::string file_with(std::string_view input, unsigned use = 0);

}  // namespace fuzz
