#include "commands/run_library.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/environment_variable.hpp"
#include "symbol/preload_list.hpp"

namespace vftrace::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* library_with_mpi = "libvftrace.so";
constexpr const char* library_without_mpi = "libvftrace_serial.so";
constexpr const char* annotation_library = "libvftrace_annotations.so";

// A library in a folder. On systems on which programs are run but not built, it only has the name
// that programs request, with the number of its interface. Empty if neither name exists.
fs::path find_library(const fs::path& folder, const char* name) {
    std::error_code error;
    for (const char* ending : {"", VFTRACE_LIBRARY_INTERFACE})
        if (fs::path library = folder / (std::string(name) + ending);
            fs::is_regular_file(library, error))
            return library;
    return {};
}

// First next to a vftrace that has not been installed yet, then at its place relative to an
// installed vftrace, because the installation may have been moved, then where it was installed.
fs::path find_library_folder() {
    std::error_code error;
    const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
    const auto folders =
        std::to_array<fs::path>({here / ".libs", here.filename() == ".libs" ? here : fs::path(),
                                 here / VFTRACE_LIBDIR_FROM_BINDIR, fs::path(VFTRACE_LIBDIR)});
    for (const fs::path& folder : folders)
        if (!folder.empty() && !find_library(folder, library_with_mpi).empty())
            return fs::weakly_canonical(folder);
    throw CommandError(fmt::format("{} is not in {}: name it with --library", library_with_mpi,
                                   fs::path(VFTRACE_LIBDIR).string()));
}

void add_entry(std::string& list, std::string_view entry) {
    list += (list.empty() ? "" : ":") + std::string(entry);
}

}  // namespace

std::string choose_library(const LibraryRequest& request, const LinkedLibraries& linked) {
    std::error_code error;
    const std::string named =
        request.named.empty() ? environment_variable("VFTRACE_LIBRARY") : request.named;
    if (!named.empty()) {
        if (!fs::is_regular_file(named, error))
            throw CommandError(fmt::format("{}: no such library", named));
        if (request.mpi != "auto")
            throw CommandError(fmt::format("--mpi {} chooses a library, but --library or "
                                           "VFTRACE_LIBRARY already names one: {}",
                                           request.mpi, named));
        return fs::absolute(named).lexically_normal().string();
    }
    const fs::path folder = find_library_folder();
    if (request.mpi == "no" && linked.vftrace)
        throw CommandError(fmt::format("--mpi no: the program is linked to {}", library_with_mpi));
    const bool serial = request.mpi == "no" ||
                        (request.mpi == "auto" && !linked.vftrace && linked.mpi == MpiUse::none);
    if (serial)
        if (const fs::path library = find_library(folder, library_without_mpi); !library.empty())
            return library;
    if (request.mpi == "no")
        throw CommandError(
            fmt::format("--mpi no: {} is not in {}", library_without_mpi, folder.string()));
    return find_library(folder, library_with_mpi);
}

std::string other_preloaded_libraries() {
    std::string others;
    for_each_preloaded(environment_variable("LD_PRELOAD"), [&](std::string_view library) {
        if (!is_own_library(library))
            add_entry(others, library);
    });
    return others;
}

std::vector<std::string> further_libraries(const Options& options, const std::string& library) {
    struct Further {
        bool wanted;
        std::string setting;
        const char* name;
        bool may_be_missing = false;
    };
    const bool heap = options.memory_profile != "off";
    const Further all[] = {
        {heap || options.section_memory == "allocations",
         heap ? "memory.profile = " + options.memory_profile : "section.memory = allocations",
         "libvftrace_allocations.so"},
        // Before the next one, so that its functions know by whom they are called.
        {options.io_active, "io.active = yes", "libvftrace_io.so"},
        {options.waiting_active == "on", "waiting.active = on", "libvftrace_waits.so"},
        {options.annotations_active != "off", "annotations.active = " + options.annotations_active,
         annotation_library, options.annotations_active == "auto"}};
    std::vector<std::string> libraries;
    const fs::path folder = fs::path(library).parent_path();
    for (const Further& further : all) {
        std::error_code error;
        if (options.off || !further.wanted)
            continue;
        if (fs::is_regular_file(folder / further.name, error))
            libraries.push_back(folder / further.name);
        else if (!further.may_be_missing)
            throw CommandError(
                fmt::format("{}: {} is not in {}", further.setting, further.name, folder.string()));
    }
    return libraries;
}

void preload(const std::vector<std::string>& libraries, const ProgramImage& image) {
    for (const std::string& path : libraries)
        if (path.find_first_of(" :") != std::string::npos)
            throw CommandError(fmt::format(
                "{}: a library cannot be preloaded if its path contains a blank or a colon", path));
    std::string sanitizers, others;
    for_each_preloaded(other_preloaded_libraries(), [&](std::string_view entry) {
        add_entry(is_address_sanitizer(base_name(entry)) ? sanitizers : others, entry);
    });
    std::vector<std::string> parts = libraries;
    parts.insert(parts.begin(), sanitizers);
    parts.push_back(others);
    std::string all;
    for (const std::string& part : parts)
        if (!part.empty())
            add_entry(all, part);
    std::string fitting(longest_fitting_list(all), '\0');
    if (make_fitting_list(all, image, fitting.data()))
        all = fitting.c_str();
    set_environment_variable("LD_PRELOAD", all);
}

void ask_for_injection(const std::string& library, const std::vector<std::string>& further) {
    const auto annotations =
        std::find_if(further.begin(), further.end(),
                     [](const std::string& path) { return base_name(path) == annotation_library; });
    for (const InjectionVariable& variable : injection_variables) {
        if (variable.of_annotations && annotations == further.end())
            continue;
        const std::string& wanted = variable.of_annotations ? *annotations : library;
        const std::string other = environment_variable(variable.name);
        const std::string_view first = std::string_view(other).substr(0, other.find(';'));
        if (other.empty() || (other == first && is_own_library(other)))
            set_environment_variable(variable.name, wanted);
        else if (variable.is_list && !is_own_library(first))
            set_environment_variable(variable.name, wanted + ';' + other);
    }
}

}  // namespace vftrace::tools
