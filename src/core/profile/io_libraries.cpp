#include "profile/io_libraries.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/text.hpp"

namespace vftrace {
namespace {

// Known by the beginning of the names of their files, or of their functions.
struct IoLibrary {
    std::string_view name, file, function;
};
constexpr IoLibrary libraries[] = {
    {"MPI-IO", "", "MPI_File_"},   {"HDF5", "libhdf5", ""},   {"NetCDF", "libnetcdf", ""},
    {"PnetCDF", "libpnetcdf", ""}, {"ADIOS", "libadios", ""}, {"SIONlib", "libsion", ""},
    {"CGNS", "libcgns", ""},       {"Silo", "libsilo", ""},   {"GRIB (ecCodes)", "libeccodes", ""},
    {"XDMF", "libXdmf", ""}};
constexpr std::size_t count = std::size(libraries);

bool is_of(const Profile& profile, const Function& function, const IoLibrary& library) {
    if (!library.function.empty())
        return function.kind == NodeKind::mpi && function.name.starts_with(library.function);
    return function.module != no_index &&
           base_name(profile.modules[function.module].path).starts_with(library.file);
}

// For each path the libraries that it is in, a bit each.
std::vector<std::uint32_t> libraries_of_paths(const Profile& profile) {
    std::vector<std::uint32_t> of_function;
    of_function.reserve(profile.functions.size());
    for (const Function& function : profile.functions) {
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < count; i++)
            bits |= static_cast<std::uint32_t>(is_of(profile, function, libraries[i])) << i;
        of_function.push_back(bits);
    }
    std::vector<std::uint32_t> of_path;
    of_path.reserve(profile.paths.size());
    for (const Path& path : profile.paths)
        of_path.push_back(of_function[path.function] |
                          (path.parent == no_index ? 0 : of_path[path.parent]));
    return of_path;
}

}  // namespace

std::vector<IoLibraryUse> io_library_uses(const Profile& profile) {
    const std::vector<std::uint32_t> inside = libraries_of_paths(profile);
    std::vector<IoLibraryUse> uses(count);
    const auto for_each_around = [&](std::uint32_t path, auto visit) {
        for (std::size_t i = 0; i < count; i++)
            if (inside[path] >> i & 1)
                visit(uses[i]);
    };
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const Path& path = profile.paths[i];
        const bool is_call = profile.functions[path.function].kind == NodeKind::io;
        for_each_around(i, [&](IoLibraryUse& use) {
            use.ns += path.exclusive_ns;
            use.own_ns += is_call ? 0 : path.exclusive_ns;
        });
    }
    for (const FileCalls& row : profile.file_calls)
        for_each_around(row.path, [&](IoLibraryUse& use) {
            use.calls += row.calls;
            use.read += row.read;
            use.written += row.written;
        });
    for (std::size_t i = 0; i < count; i++)
        uses[i].name = libraries[i].name;
    std::erase_if(uses, [](const IoLibraryUse& use) { return use.ns <= 0 && use.calls == 0; });
    std::stable_sort(uses.begin(), uses.end(),
                     [](const IoLibraryUse& a, const IoLibraryUse& b) { return a.ns > b.ns; });
    return uses;
}

}  // namespace vftrace
