// The one table of the formats that `vftrace export` writes.
#include "export/export_format.hpp"

#include "export/exporters.hpp"

namespace vftrace {
namespace {

#ifdef VFTRACE_HAVE_PROTOZERO
constexpr auto write_perfetto = export_perfetto;
#else
constexpr decltype(ExportFormat::write) write_perfetto = nullptr;
#endif
#ifdef VFTRACE_HAVE_OTF2
constexpr auto write_otf2 = export_otf2;
#else
constexpr decltype(ExportFormat::write) write_otf2 = nullptr;
#endif
#if defined VFTRACE_HAVE_PROTOZERO && defined VFTRACE_HAVE_ZLIB
constexpr auto write_pprof = export_pprof;
#else
constexpr decltype(ExportFormat::write) write_pprof = nullptr;
#endif

// In the order of --help.
constexpr ExportFormat formats[] = {
    // Timelines
    {"perfetto", "Perfetto trace, for https://ui.perfetto.dev", ".perfetto-trace", false, true,
     false, ExportTarget::file, write_perfetto, "libprotozero-dev"},
    {"chrome", "JSON trace events, for chrome://tracing and Perfetto", ".trace.json", false, true,
     false, ExportTarget::file, export_chrome, nullptr},
    {"speedscope", "speedscope JSON, for https://www.speedscope.app", ".speedscope.json", true,
     true, false, ExportTarget::file, export_speedscope, nullptr},
    {"otf2", "directory with an OTF2 archive, for Vampir and otf2-print", ".otf2", false, true,
     false, ExportTarget::folder, write_otf2, "libotf2-trace-dev"},
    // Profiles
    {"collapsed", "one line per call path, for flame graphs", ".collapsed", true, true, true,
     ExportTarget::file, export_collapsed, nullptr},
    {"callgrind", "Callgrind format, for KCachegrind", ".callgrind", true, true, true,
     ExportTarget::file, export_callgrind, nullptr},
    {"pprof", "protobuf for \"go tool pprof\" and related tools", ".pb.gz", true, true, true,
     ExportTarget::file, write_pprof, "libprotozero-dev and zlib1g-dev"},
    {"hatchet", "Hatchet literal JSON, for analysis in Python", ".hatchet.json", true, true, true,
     ExportTarget::file, export_hatchet, nullptr},
    {"extrap", "JSON lines for Extra-P, to model scaling", ".jsonl", true, true, true,
     ExportTarget::file, export_extrap, nullptr},
    {"extrap-json", "the same as one JSON document of Extra-P", ".extrap.json", true, true, true,
     ExportTarget::file, export_extrap_json, nullptr},
    {"extrap-text", "the same as Extra-P's text", ".extrap.txt", true, true, true,
     ExportTarget::file, export_extrap_text, nullptr},
    {"extrap-talpas", "the same in the Talpas format", ".talpas", true, true, true,
     ExportTarget::file, export_extrap_talpas, nullptr},
    {"csv", "table with all figures of all call paths", ".csv", true, true, true,
     ExportTarget::file, export_csv, nullptr},
    {"perfgraph", "sections in the JSON of MOOSE's PerfGraphReporter", ".perfgraph.json", true,
     true, false, ExportTarget::file, export_perfgraph, nullptr},
    {"geopm", "the report of regions, in GEOPM format", ".report.yaml", true, false, false,
     ExportTarget::file, export_geopm, nullptr},
    {"darshan", "calls with files, as darshan-parser prints them", ".darshan.txt", true, false,
     false, ExportTarget::file, export_darshan, nullptr},
    {"json", "the profile itself, to be passed on with --anonymise", ".export.json", true, false,
     false, ExportTarget::file, export_json, nullptr},
    {"prometheus", "text file for the node exporter of Prometheus", ".prom", true, false, false,
     ExportTarget::file, export_prometheus, nullptr},
    // For compilers and linkers
    {"autofdo", "sample profile for clang -fprofile-sample-use", ".prof", true, false, true,
     ExportTarget::file, export_autofdo, nullptr},
    {"function-order", "order of functions, for ld.lld --symbol-ordering-file", ".order", true,
     false, true, ExportTarget::file, export_function_order, nullptr},
    {"section-order", "the same for gold's --section-ordering-file", ".sections", true, false, true,
     ExportTarget::file, export_section_order, nullptr},
};

}  // namespace

std::span<const ExportFormat> export_formats() { return formats; }

const ExportFormat* find_export_format(const std::string& name) {
    for (const ExportFormat& format : formats)
        if (name == format.name)
            return &format;
    return nullptr;
}

}  // namespace vftrace
