// Profiles and other files and messages in text.
#include "readers.hpp"

#include "base/output_file.hpp"
#include "commands/commands.hpp"
#include "commands/job_hosts.hpp"
#include "compare/old_log_reader.hpp"
#include "config/config.hpp"
#include "dependences/analysis_reader.hpp"
#include "dependences/merge_analyses.hpp"
#include "page/page_models.hpp"
#include "page/page_profile.hpp"
#include "page/report_page.hpp"
#include "profile/profile_json.hpp"
#include "readers/extrap_reader.hpp"
#include "readers/json_object.hpp"
#include "readers/profile_json_reader.hpp"
#include "report/text_log.hpp"
#include "report/text_table.hpp"
#include "report/views.hpp"
#include "rollcall/roll_call.hpp"

using namespace vftrace;

void fuzz::read_profile(std::string_view input) {
    try {
        const Profile profile = parse_profile_json(input);
        write_profile_json(profile, "/dev/null");
        page_profile(profile, "label", "", {});
        OutputFile nowhere("/dev/null");
        TextTables tables(nowhere);
        const PathText text(profile, 60);
        for (const View& view : views())
            if (view.exists(profile))
                view.write(profile, text, {}, LogScope::summary, tables);
        write_text_log(profile, {}, LogScope::summary, nowhere);
    } catch (const ProfileFormatError&) {
    }
}

void fuzz::read_parameters(std::string_view input) {
    try {
        merge_analyses({parse_parameter_analysis(input)});
    } catch (const ProfileFormatError&) {
    }
}

void fuzz::read_models(std::string_view input) {
    if (!is_models(input))
        return;
    for (const bool anonymous : {false, true})
        try {
            page_models({"file", "label", std::string(input)}, anonymous);
        } catch (const PageError&) {
        }
}

void fuzz::read_extrap(std::string_view input) {
    if (!is_extrap(input))
        return;
    try {
        parse_extrap(input);
    } catch (const ProfileFormatError&) {
    }
}

void fuzz::read_hosts(std::string_view input) {
    try {
        tools::hosts_in("@" + file_with(input));
    } catch (const tools::CommandError&) {
    }
    try {
        tools::hosts_in(std::string(input));
    } catch (const tools::CommandError&) {
    }
}

void fuzz::read_roll_call(std::string_view input) {
    RollCall call, sum;
    if (!RollCall::decode(input, call))
        return;
    sum.merge(call);
    sum.merge(call);
    sum.missing();
    sum.words(10);
    sum.encode(4096);
}

void fuzz::read_log(std::string_view input) {
    try {
        parse_text_log(input, "input");
    } catch (const ComparisonError&) {
    }
}

void fuzz::read_configuration(std::string_view input) {
    check_configuration_file(file_with(input));
}
