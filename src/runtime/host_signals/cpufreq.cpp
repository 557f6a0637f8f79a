// Frequencies of cores, from cpufreq and /proc/cpuinfo.
#include "host_signals/cpufreq.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/text.hpp"
#include "host_signals/file_sources.hpp"

namespace vftrace {
namespace {

std::string processor_file(const HostFiles& files, std::uint32_t processor, const char* file) {
    return format("%s/devices/system/cpu/cpu%u/cpufreq/%s", files.system.c_str(), processor, file);
}

// The text after "NAME :" for the first processor. Reads only the start of the file, which may be
// long.
std::string cpuinfo_field(const std::string& path, std::string_view name) {
    char text[4096];
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return "";
    const ssize_t length = read(file, text, sizeof text);
    close(file);
    if (length <= 0)
        return "";
    for (const std::string_view line :
         split(std::string_view(text, static_cast<std::size_t>(length)), '\n')) {
        const std::size_t colon = line.find(':');
        if (colon != line.npos && trim(line.substr(0, colon)) == name)
            return std::string(trim(line.substr(colon + 1)));
    }
    return "";
}

// "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz"
double frequency_in_name(std::string_view name) {
    struct Unit {
        std::string_view word;
        double hz;
    };
    constexpr Unit units[] = {{"GHz", 1e9}, {"MHz", 1e6}};
    const std::size_t at = name.rfind("@ ");
    for (const Unit& unit : units)
        if (at != name.npos && name.ends_with(unit.word))
            return unit.hz *
                   real_in_text(name.substr(at + 2, name.size() - at - 2 - unit.word.size()))
                       .value_or(0);
    return 0;
}

}  // namespace

FoundParts find_core_frequencies(const HostFiles& files, const SignalRow& row,
                                 const Processors& processors) {
    FilesOfParts<StateFiles> found(row);
    for (std::uint32_t core = 0; core < processors.cores().size(); core++) {
        const std::string path =
            processor_file(files, processors.cores()[core].first_processor, "scaling_cur_freq");
        if (access(path.c_str(), F_OK) == 0)  // cores that are switched off have none
            found.add(path, core);
    }
    return found.finish("the kernel does not have a cpufreq driver for these processors, as is "
                        "usual in virtual machines");
}

double sticker_frequency(const HostFiles& files) {
    constexpr double kilohertz = 1e3, megahertz = 1e6;
    if (const auto base = number_in_file(processor_file(files, 0, "base_frequency"));
        base && *base > 0)
        return kilohertz * static_cast<double>(*base);
    const std::string cpuinfo = files.processes + "/cpuinfo";
    if (const double named = frequency_in_name(cpuinfo_field(cpuinfo, "model name")); named > 0)
        return named;
    return megahertz * real_in_text(cpuinfo_field(cpuinfo, "cpu MHz")).value_or(0);
}

}  // namespace vftrace
