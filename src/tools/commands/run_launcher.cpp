#include "commands/run_launcher.hpp"

#include <algorithm>
#include <string_view>
#include <unistd.h>

#include "commands/command_output.hpp"
#include "commands/environment_variable.hpp"
#include "commands/program_file.hpp"
#include "commands/run_library.hpp"
#include "config/run_folder.hpp"
#include "config/run_variable.hpp"

namespace vftrace::tools {
namespace {

constexpr const char* list_parameter = "mca_base_env_list";
constexpr const char* list_variable = "OMPI_MCA_mca_base_env_list";

std::vector<std::string> our_variables() {
    std::vector<std::string> names;
    std::vector<const char*> known = {"LD_PRELOAD"};
    for (const InjectionVariable& variable : injection_variables)
        known.push_back(variable.name);
    known.insert(known.end(), {run_name_variable, run_variable});
    for (const char* name : known)
        if (!environment_variable(name).empty())
            names.emplace_back(name);
    for (char** entry = environ; *entry; entry++) {
        const std::string_view text = *entry;
        if (text.starts_with("VFTR_"))
            names.emplace_back(text.substr(0, text.find('=')));
    }
    return names;
}

// The list for mpirun: its previous entries, such as "A;B=1", and ours.
std::string extended_list(std::string list) {
    for (const std::string& name : our_variables())
        list += (list.empty() ? "" : ";") + name;
    return list;
}

// Inserts options after mpirun, and after each colon that begins the next of several programs. Our
// libraries are added to those that the user preloads there (-x LD_PRELOAD=...).
void insert_options(std::vector<std::string>& command) {
    constexpr std::string_view preload = "LD_PRELOAD=";
    bool has_preload = false;
    for (std::size_t i = 1; i < command.size(); i++)
        if (command[i - 1] == "-x" && command[i].starts_with(preload)) {
            command[i].insert(preload.size(), environment_variable("LD_PRELOAD") + ":");
            has_preload = true;
        }
    std::vector<std::string> options;
    for (const std::string& name : our_variables())
        if (name != "LD_PRELOAD" || !has_preload)
            options.insert(options.end(), {"-x", name});
    std::vector<std::string> result;
    for (const std::string& word : command) {
        result.push_back(word);
        if (result.size() == 1 || word == ":")
            result.insert(result.end(), options.begin(), options.end());
    }
    command = result;
}

}  // namespace

bool is_open_mpi_launcher(const std::string& path) {
    if (path.empty() || program_kind(path) != ProgramKind::mpi_launcher)
        return false;
    const std::string version =
        output_of({path, "--version"}, {"LD_PRELOAD"}).value_or(std::string());
    return version.find("Open MPI") != std::string::npos ||
           version.find("OpenRTE") != std::string::npos;
}

void hand_on_variables(std::vector<std::string>& command) {
    const auto option = std::find(command.begin(), command.end(), list_parameter);
    if (option != command.end() && option + 1 != command.end())
        *(option + 1) = extended_list(*(option + 1));
    else if (std::find(command.begin(), command.end(), "-x") != command.end())
        insert_options(command);
    else
        set_environment_variable(list_variable, extended_list(environment_variable(list_variable)));
}

}  // namespace vftrace::tools
