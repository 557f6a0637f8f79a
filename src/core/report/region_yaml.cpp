#include "report/region_yaml.hpp"

#include <algorithm>
#include <cmath>

#include "base/crc32.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/version.hpp"
#include "report/region_report.hpp"
#include "report/summary.hpp"

namespace vftrace {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A word that readers interpret as something other than text.
bool is_taken(std::string_view text) {
    for (const std::string_view word :
         {"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
        if (equal_ignoring_case(text, word))
            return true;
    return false;
}

bool is_plain(std::string_view text) {
    if (text.empty() || !(is_letter(text[0]) || text[0] == '_') || text.back() == ' ' ||
        is_taken(text))
        return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
        constexpr std::string_view harmless = "_ .<>()+*/~$-";
        return is_letter(c) || is_digit(c) || harmless.find(c) != harmless.npos;
    });
}

class Fields {
  public:
    Fields(OutputFile& out, std::string indent) : out_(out), indent_(std::move(indent)) {}

    // GEOPM's readers need all keys, so what is not known is not a number.
    void add(const char* key, double value) {
        out_.print("%s%s: %s\n", indent_.c_str(), key,
                   std::isnan(value) ? ".nan" : yaml_number(value).c_str());
    }

    void add_figures(const RegionReportRow& row, bool has_spin) {
        add("runtime (s)", row.runtime_s);
        add("count", row.count);
        add("sync-runtime (s)", row.sync_runtime_s);
        add("package-energy (J)", row.package_energy_J);
        add("dram-energy (J)", row.dram_energy_J);
        add("power (W)", row.power_W());
        add("frequency (%)", row.frequency_percent());
        add("frequency (Hz)", row.frequency_Hz());
        for (std::size_t i = 0; i < region_hint_words.size(); i++)
            if (static_cast<RegionHint>(i) != RegionHint::spin || has_spin)
                add(format("time-hint-%s (s)", region_hint_words[i].data()).c_str(), row.hint_s[i]);
        add("gpu-energy (J)", row.gpu_energy_J);
        add("gpu-power (W)", row.gpu_power_W());
        add("gpu-frequency (Hz)", row.gpu_frequency_Hz);
        for (const auto& [name, value] : row.signals)
            add(yaml_text(name).c_str(), value);
    }

  private:
    OutputFile& out_;
    std::string indent_;
};

bool uses_spin(const RegionReportHost& host) {
    return host.application.hint_s[static_cast<std::size_t>(RegionHint::spin)] > 0;
}

void write_host(const RegionReportHost& host, OutputFile& out) {
    const bool has_spin = uses_spin(host);
    out.print("  %s:\n", yaml_text(host.name).c_str());
    out.print("    Regions:%s\n", host.regions.empty() ? " []" : "");
    for (const RegionReportRow& region : host.regions) {
        out.print("    - region: %s\n", yaml_text(region.name).c_str());
        out.print("      hash: 0x%08x\n", crc32(region.name));
        Fields(out, "      ").add_figures(region, has_spin);
    }
    Fields totals(out, "      ");
    out.write("    Unmarked Totals:\n");
    totals.add_figures(host.unmarked, has_spin);
    if (host.has_epochs) {
        out.write("    Epoch Totals:\n");
        totals.add_figures(host.epoch, has_spin);
    }
    out.write("    Application Totals:\n");
    totals.add_figures(host.application, has_spin);
    totals.add("vftrace overhead (s)", host.application.overhead_s);
    totals.add("process memory HWM (B)", host.application.peak_bytes);
}

}  // namespace

std::string yaml_text(std::string_view text) {
    if (is_plain(text))
        return std::string(text);
    std::string quoted = "\"";
    while (!text.empty()) {
        const CodePoint point = first_code_point(text);
        if (!point.valid)
            quoted += replacement_character;
        else if (point.value == '"' || point.value == '\\')
            quoted += '\\', quoted += static_cast<char>(point.value);
        else if (point.value == '\n')
            quoted += "\\n";
        else if (point.value == '\t')
            quoted += "\\t";
        else if (is_obeyed(point.value) || point.value == 0xfeff ||
                 (point.value & 0xfffe) == 0xfffe)
            append_format(quoted,
                          point.value > 0xffff ? "\\U%08x"
                          : point.value > 0xff ? "\\u%04x"
                                               : "\\x%02x",
                          static_cast<unsigned>(point.value));
        else
            quoted += text.substr(0, point.bytes);
        text.remove_prefix(point.bytes);
    }
    return quoted + '"';
}

std::string yaml_number(double value) {
    std::string number = format("%.10g", std::isfinite(value) ? value : 0.0);
    // Without a decimal point, this is text according to YAML 1.1.
    if (const std::size_t exponent = number.find('e');
        exponent != number.npos && number.find('.') == number.npos)
        number.insert(exponent, ".0");
    return number;
}

void write_region_yaml(const Profile& profile, const RegionReportHead& head, OutputFile& out) {
    out.print("GEOPM Version: %s\n", yaml_text(format("vftrace %s", version)).c_str());
    out.print("Start Time: %s\n", yaml_text(local_date(profile.run.start_unix_ns)).c_str());
    out.print("Profile: %s\n", yaml_text(head.profile).c_str());
    out.print("Agent: %s\nPolicy: %s\n\nHosts:\n", yaml_text(head.agent).c_str(),
              head.policy.empty() ? "{}" : yaml_text(head.policy).c_str());
    for (const RegionReportHost& host : region_report(profile))
        write_host(host, out);
}

}  // namespace vftrace
