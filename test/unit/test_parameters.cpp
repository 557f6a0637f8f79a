// Parameters of runs: the text that specifies them, their way into a profile, and their merging
// over ranks and runs.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.hpp"
#include "collation_job.hpp"
#include "compare/merge_profiles.hpp"
#include "config/parameter_list.hpp"
#include "json_errors.hpp"
#include "notice_texts.hpp"
#include "profile/run_parameters.hpp"
#include "recover/recovered_process.hpp"
#include "sample_profile.hpp"
#include "tree_file_builder.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

using Parameters = std::vector<RunParameter>;

// "n=1000 m=argv[2]", and the problems after it.
std::string understood(std::string_view text) {
    const CLocale decimal_points;
    const GivenParameters given = parse_parameter_list(text);
    std::string out;
    for (const GivenParameter& parameter : given.parameters)
        out += (out.empty() ? "" : " ") + parameter.name + "=" +
               (parameter.argument ? "argv[" + std::to_string(*parameter.argument) + "]"
                                   : number_text(parameter.value));
    for (const std::string& problem : given.problems)
        out += "; " + problem;
    return out;
}

Profile profile_with(Parameters parameters) {
    Profile profile = sample_profile();
    profile.run.parameters = std::move(parameters);
    return profile;
}

Profile job_of(const std::vector<Parameters>& by_rank) {
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < by_rank.size(); rank++) {
        RankProfile made(rank);
        made.profile.run.parameters = by_rank[rank];
        own.push_back(made.profile);
    }
    return collate(own).job;
}

}  // namespace

TEST_CASE("parameters as text") {
    CHECK(understood("") == "");
    CHECK(understood(" ") == "");
    CHECK(understood("n=1000,m=argv[2],tol=1e-6") == "n=1000 m=argv[2] tol=1e-06");
    CHECK(understood(" n = 1000 , Nx = -0.25 ") == "n=1000 Nx=-0.25");
    CHECK(understood("name=argv[0],n=0x10") == "name=argv[0] n=16");
    CHECK(understood("grid size=3") == "grid size=3");
    CHECK(understood("n=1,m=2,n=3") == "n=3 m=2");
    CHECK(understood("n=argv[4294967295]") == "n=argv[4294967295]");
}

TEST_CASE("parameters that are not understood do not affect the others") {
    const std::string value = " must have a number, or argv[NUMBER], as its value";
    for (const char* text :
         {"n=", "n=abc", "n=1k", "n=1 2", "n=nan", "n=inf", "n=1e999", "n=argv[", "n=argv[]",
          "n=argv[-1]", "n=argv[x]", "n=argv[1]0", "n=argv[4294967296]", "n=ARGV[1]", "n==1"}) {
        CAPTURE(text);
        const std::string item = text;
        CHECK(understood(item + ",m=2") == "m=2; \"" + item + "\"" + value);
    }
    CHECK(understood("n") == "; \"n\" must be of the form name=value");
    CHECK(understood("n=1,") == "n=1; \"\" must be of the form name=value");
    CHECK(understood("=1") == "; \"=1\" does not have a name");
    const std::string longest(127, 'x');
    CHECK(understood(longest + "=1") == longest + "=1");
    CHECK(understood("x" + longest + "=1") ==
          "; \"x" + longest + "=1\" has a name that is longer than 127 bytes");
    CHECK(understood("a\x1b[m=1").find("has a control character") != std::string::npos);
}

TEST_CASE("parameters are sorted by name, and their text has all digits that matter") {
    Parameters parameters;
    CHECK_FALSE(add_parameter(parameters, {"tol", 1e-6}));
    CHECK_FALSE(add_parameter(parameters, {"n", 1000}));
    CHECK_FALSE(add_parameter(parameters, {"third", 1.0 / 3}));
    const RunParameter* known = add_parameter(parameters, {"n", 5});
    REQUIRE(known);
    CHECK(known->value == 1000);
    CHECK(text_of(parameters) == "n = 1000, third = 0.3333333333333333, tol = 1e-06");
    CHECK(text_of({{"n", 9007199254740991.0}}) == "n = 9007199254740991");
    CHECK(text_of({}) == "");
    CHECK(find_parameter(parameters, "tol")->value == 1e-6);
    CHECK(find_parameter(parameters, "o") == nullptr);
    CHECK(different_parameters(parameters, parameters).empty());
    CHECK(different_parameters(parameters, {{"a", 1}, {"n", 1000}, {"tol", 2}}) ==
          std::vector<std::string>{"a", "third", "tol"});
}

TEST_CASE("parameters in the JSON of a profile") {
    CHECK(json_of(profile_with({})).find("\"parameters\"") == std::string::npos);
    const Parameters parameters = {{"", -0.0},
                                   {"Größe \"1\"", std::numeric_limits<double>::max()},
                                   {"denormal", std::numeric_limits<double>::denorm_min()},
                                   {"n", 1000},
                                   {"third", 1.0 / 3}};
    const std::string text = json_of(profile_with(parameters));
    CHECK(text.find("{\"name\": \"n\", \"value\": 1000}") != std::string::npos);
    CHECK(parse_profile_json(text).run.parameters == parameters);

    const std::string n = "{\"name\": \"n\", \"value\": 1000}";
    const auto error = [&](const std::string& by) { return error_of(replaced(text, n, by)); };
    CHECK(error("{\"name\": \"n\"}") == "run.parameters[3].value: is missing");
    CHECK(error("{\"value\": 1}") == "run.parameters[3].name: is missing");
    CHECK(error("{\"name\": \"n\", \"value\": null}") == "run.parameters[3].value: is missing");
    CHECK(error("{\"name\": \"n\", \"value\": \"1\"}") != "no error");
    CHECK(error("{\"name\": 1, \"value\": 1}") != "no error");
    CHECK(error("{\"name\": \"denormal\", \"value\": 1}") ==
          "run.parameters[3].name: is given twice");
    // In any order, and with members of a later version.
    CHECK(parse_profile_json(replaced(text, n, "{\"value\": 3, \"unit\": \"\", \"name\": \"A\"}"))
              .run.parameters[1] == RunParameter{"A", 3});
}

TEST_CASE("parameters of ranks: those of the lowest rank, with a notice about differences") {
    const Profile same = job_of({{{"n", 5}}, {{"n", 5}}, {{"n", 5}}});
    CHECK(same.run.parameters == Parameters{{"n", 5}});
    CHECK(same.run.notices.empty());

    const Profile job = job_of({{{"m", 1}, {"n", 5}},
                                {{"late", 7}, {"n", 5}},
                                {{"m", 1}, {"n", 6}},
                                {{"n", 7}},
                                {{"late", 8}, {"n", 5}},
                                {}});
    CHECK(job.run.parameters == Parameters{{"late", 7}, {"m", 1}, {"n", 5}});
    const std::string rest = ": the profile has that of the lowest rank.";
    std::vector<std::string> texts = texts_of(job.run.notices);
    std::sort(texts.begin(), texts.end());
    CHECK(texts ==
          std::vector<std::string>{"The ranks have different values of the parameter late" + rest,
                                   "The ranks have different values of the parameter n" + rest});
}

TEST_CASE("parameters of several runs: only those with equal values") {
    const auto merged = [](std::vector<Profile> runs) {
        return merge_runs(std::move(runs), std::vector<std::string>(9, "x"), RunReduction::sum);
    };
    const Profile a = profile_with({{"m", 1}, {"n", 5}}), b = profile_with({{"m", 1}, {"n", 6}}),
                  c = profile_with({{"m", 1}, {"n", 5}, {"t", 2}});
    CHECK(merged({a, a}).run.parameters == a.run.parameters);
    const std::string before = "The runs do not have the same value of the parameter ";
    const auto texts = [](const Profile& sum) {
        std::vector<std::string> all = texts_of(sum.run.notices);
        std::erase_if(all,
                      [](const std::string& text) { return text.starts_with("This profile"); });
        return all;
    };
    const Profile sum = merged({a, b, c});
    CHECK(sum.run.parameters == Parameters{{"m", 1}});
    const std::vector<std::string> both = {before + "n: it is left out.",
                                           before + "t: it is left out."};
    CHECK(texts(sum) == both);
    // A parameter that was once left out does not come back.
    CHECK(texts(merged({a, merged({b, a}), merged({c, a})})) == both);
    CHECK(texts(merged({a, a})).empty());
}

TEST_CASE("parameters of a dead process") {
    TreeFileBuilder builder;
    ParameterRecord records[5] = {};
    std::strcpy(records[0].name, "n");
    records[0].value = 1000;
    std::memset(records[1].name, 'x', sizeof records[1].name);
    std::strcpy(records[2].name, "not finite");
    records[2].value = std::nan("");
    records[4].name[0] = 'm';
    records[4].changed = ~std::uint64_t{0};
    const auto address = builder.allocate(sizeof records);
    std::memcpy(&builder.at<ParameterRecord>(address), records, sizeof records);
    builder.record().parameters = {reinterpret_cast<ParameterRecord*>(address), 5, 5};
    const RecoveredProcess process(FileImage(builder.contents(), "the file"));
    const auto found = items_of(process.record().parameters);
    REQUIRE(found.size() == 3);
    CHECK(found[0].name == std::string("n"));
    CHECK(found[0].value == 1000);
    CHECK(found[1].name == std::string(longest_parameter_name, 'x'));
    CHECK(found[2].name == std::string("m"));
    CHECK(process.left_out() == 2);

    builder.record().parameters.count = 0xffff'ffff;
    CHECK(RecoveredProcess(FileImage(builder.contents(), "the file")).left_out() > 0);
    builder.record().parameters.items = reinterpret_cast<ParameterRecord*>(0x1234);
    const RecoveredProcess lost(FileImage(builder.contents(), "the file"));
    CHECK(items_of(lost.record().parameters).empty());
    CHECK(lost.left_out() == 1);
}
