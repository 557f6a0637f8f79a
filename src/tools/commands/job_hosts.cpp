#include "commands/job_hosts.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <unistd.h>
#include <unordered_set>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/command_output.hpp"
#include "commands/commands.hpp"
#include "commands/environment_variable.hpp"
#include "commands/program_file.hpp"
#include "recover/running_process.hpp"

namespace vftrace::tools {
namespace {

constexpr std::size_t most_hosts = 100'000;

// Does not add what is not the name of a host.
void add_host(std::vector<std::string>& hosts, std::string_view name) {
    name = trim(name);
    if (is_plain_name(name) && hosts.size() < most_hosts &&
        (hosts.empty() || hosts.back() != name))  // node files have a line for each processor
        hosts.emplace_back(name);
}

// Hosts that are named more than once are kept where they are named first.
void keep_each_once(std::vector<std::string>& hosts) {
    std::unordered_set<std::string> seen;
    std::erase_if(hosts, [&](const std::string& host) { return !seen.insert(host).second; });
}

std::string shell_word(const std::string& word) {
    std::string text = "'";
    for (char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

// "n[8-10,12]" is n8, n9, n10, n12; "n[08-10]" keeps the width.
void add_hosts_of_pattern(std::vector<std::string>& hosts, std::string_view text) {
    const std::size_t open = text.find('['), close = text.find(']', open);
    if (open == text.npos || close == text.npos) {
        if (!text.empty() && !is_plain_name(text))
            throw UsageError(fmt::format("\"{}\": not the name of a host", text));
        return add_host(hosts, text);
    }
    const std::string before(text.substr(0, open)), after(text.substr(close + 1));
    for (std::string_view part : split(text.substr(open + 1, close - open - 1), ',')) {
        const std::size_t dash = part.find('-');
        const std::string_view low = part.substr(0, dash);
        const std::string_view high = dash == part.npos ? low : part.substr(dash + 1);
        unsigned first = 0, last = 0;
        const auto read = [](std::string_view digits, unsigned& number) {
            const auto [end, error] =
                std::from_chars(digits.data(), digits.data() + digits.size(), number);
            return error == std::errc() && end == digits.data() + digits.size();
        };
        if (!read(low, first) || !read(high, last) || last < first || last - first > most_hosts)
            throw UsageError(fmt::format("\"{}\": not a list of hosts", text));
        for (unsigned number = first; number <= last && hosts.size() < most_hosts; number++)
            add_hosts_of_pattern(hosts,
                                 fmt::format("{}{:0{}}{}", before, number, low.size(), after));
    }
}

// Splits the list at commas that are not in brackets.
void add_hosts_of_list(std::vector<std::string>& hosts, std::string_view text) {
    std::size_t start = 0, depth = 0;
    for (std::size_t i = 0; i <= text.size(); i++) {
        if (i < text.size() && text[i] == '[')
            depth++;
        if (i < text.size() && text[i] == ']' && depth > 0)
            depth--;
        if (i < text.size() && (text[i] != ',' || depth > 0))
            continue;
        add_hosts_of_pattern(hosts, trim(text.substr(start, i - start)));
        start = i + 1;
    }
}

// A name at the beginning of each line; what follows it, such as slots, is ignored.
bool add_hosts_of_file(std::vector<std::string>& hosts, const std::string& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::string_view text = trim(line);
        if (!text.empty() && text[0] != '#')
            add_host(hosts, text.substr(0, text.find_first_of(" \t:")));
    }
    return !file.bad() && file.eof();
}

std::vector<std::string> command_line_of(std::int64_t pid) {
    std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0') && words.size() < 10'000;)
        words.push_back(word);
    return words;
}

bool is_mpirun(const std::string& word) {
    const std::string_view name = base_name(word);
    return is_plain_name(name) && (name.starts_with("mpirun") || name.starts_with("mpiexec") ||
                                   name.starts_with("prterun") || name.starts_with("orterun"));
}

// A path as the process means it.
std::string path_for(std::int64_t pid, const std::string& path) {
    return path.starts_with('/') ? path : fmt::format("/proc/{}/cwd/{}", pid, path);
}

// The hosts that the mpirun above the process was given.
JobHosts hosts_of_mpirun(std::int64_t pid) {
    constexpr int most_ancestors = 64;
    JobHosts found;
    for (int i = 0; pid > 1 && i < most_ancestors && is_of_user_or_root(pid);
         i++, pid = parent_of(pid)) {
        const std::vector<std::string> words = command_line_of(pid);
        if (words.empty() || !is_mpirun(words[0]))
            continue;
        for (std::size_t word = 1; word + 1 < words.size(); word++) {
            std::string_view name = words[word];
            name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
            if (!words[word].starts_with('-'))
                continue;
            if (name == "host" || name == "H" || name == "hosts")
                for (std::string_view host : split(words[word + 1], ','))
                    add_host(found.hosts, host.substr(0, host.find(':')));
            else if (name == "hostfile" || name == "machinefile" || name == "f")
                add_hosts_of_file(found.hosts, path_for(pid, words[word + 1]));
        }
        // argv[0] is whatever the parent of the process chose.
        const std::string launcher = find_program(std::string(base_name(words[0])));
        if (!found.hosts.empty())
            found.launcher = launcher.empty() ? "ssh" : shell_word(launcher) + " --host";
        return found;
    }
    return found;
}

// The hosts in a list in Slurm's notation, which is left to scontrol if it is installed.
void add_hosts_of_slurm(std::vector<std::string>& hosts, const std::string& list) {
    if (const std::string scontrol = find_program("scontrol"); !scontrol.empty())
        if (const auto names = output_of({scontrol, "show", "hostnames", list}, {})) {
            for (std::string_view name : split(*names, '\n'))
                add_host(hosts, name);
            return;
        }
    add_hosts_of_list(hosts, list);
}

}  // namespace

std::string own_host_name() {
    char name[HOST_NAME_MAX + 1] = {};
    gethostname(name, sizeof name - 1);
    return name;
}

bool is_same_host(const std::string& a, const std::string& b) {
    const std::size_t dot_a = a.find('.'), dot_b = b.find('.');
    if (dot_a != a.npos && dot_b != b.npos)
        return a == b;
    return std::string_view(a).substr(0, dot_a) == std::string_view(b).substr(0, dot_b);
}

bool is_plain_name(std::string_view text) {
    constexpr std::size_t longest = 255;
    constexpr std::string_view others = "._-:@/+";
    return !text.empty() && text.size() <= longest && text[0] != '-' &&
           std::all_of(text.begin(), text.end(), [&](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      others.find(c) != others.npos;
           });
}

std::vector<std::string> hosts_in(const std::string& text) {
    std::vector<std::string> hosts;
    if (!text.starts_with('@'))
        add_hosts_of_list(hosts, text);
    else if (!add_hosts_of_file(hosts, text.substr(1)))
        throw UsageError(fmt::format("--hosts={}: the file cannot be read", text));
    if (hosts.empty())
        throw UsageError(fmt::format("--hosts={}: does not name a host", text));
    keep_each_once(hosts);
    return hosts;
}

JobHosts find_job_hosts(const std::string& job, std::int64_t pid) {
    JobHosts found;
    const std::string own_job = environment_variable("SLURM_JOB_ID");
    const std::string number = job.substr(0, job.find('.'));
    const bool is_number = !number.empty() && number.find_first_not_of("0123456789") == job.npos;
    if (!own_job.empty() && (number.empty() || number == own_job || !is_number)) {
        add_hosts_of_slurm(found.hosts, environment_variable("SLURM_JOB_NODELIST"));
        found.launcher = "srun";
    } else if (const std::string squeue = is_number ? find_program("squeue") : "";
               !squeue.empty()) {
        if (const auto list = output_of({squeue, "-h", "-j", number, "-o", "%N"}, {}))
            add_hosts_of_slurm(found.hosts, std::string(trim(*list)));
        found.launcher = "srun";
    }
    if (found.hosts.empty())
        found = hosts_of_mpirun(pid);
    keep_each_once(found.hosts);
    if (!found.hosts.empty())
        return found;
    for (const char* variable : {"PBS_NODEFILE", "OAR_NODEFILE", "PE_HOSTFILE"})
        if (const std::string file = environment_variable(variable); !file.empty())
            add_hosts_of_file(found.hosts, file);
    for (std::string_view host : split(environment_variable("LSB_HOSTS"), ' '))
        add_host(found.hosts, host);
    found.launcher = found.hosts.empty() ? "" : "ssh";
    keep_each_once(found.hosts);
    return found;
}

std::vector<std::string> launch_on(const std::string& host, const std::string& launcher,
                                   const std::string& job,
                                   const std::vector<std::string>& command) {
    std::string text;
    if (launcher == "srun") {
        const std::string number = job.substr(0, job.find('.'));
        const bool is_number =
            !number.empty() && number.find_first_not_of("0123456789") == number.npos;
        text = fmt::format("srun --overlap {}--nodes=1 --ntasks=1 --quiet --nodelist={{host}}",
                           is_number ? fmt::format("--jobid={} ", number) : "");
    } else if (launcher == "mpirun") {
        text = "mpirun --host {host} -n 1";
    } else if (launcher == "ssh") {
        text = "ssh -o BatchMode=yes {host}";
    } else {
        text = launcher;
        if (text.ends_with(" --host"))
            text += " {host} -n 1";
    }
    constexpr std::string_view place = "{host}";
    const std::size_t at = text.find(place);
    if (at == text.npos)
        text += ' ' + shell_word(host);
    else
        text.replace(at, place.size(), shell_word(host));
    // ssh joins its arguments and has a shell split them again, so they are quoted twice.
    const bool twice = base_name(std::string_view(text).substr(0, text.find(' '))) == "ssh";
    for (const std::string& word : command)
        text += ' ' + (twice ? shell_word(shell_word(word)) : shell_word(word));
    return {"/bin/sh", "-c", "exec " + text};
}

}  // namespace vftrace::tools
