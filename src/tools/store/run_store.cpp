#include "store/run_store.hpp"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "compare/function_sums.hpp"
#include "findings/findings.hpp"
#include "findings/resource_figures.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::int64_t application_id = 0x76667472;  // "vftr"

// One for each version of the tables: what leads to it from the one before.
constexpr const char* migrations[] = {
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, file TEXT NOT NULL,"
    "  application TEXT NOT NULL, host TEXT NOT NULL, commit_id TEXT NOT NULL,"
    "  branch TEXT NOT NULL, start_unix_ns INTEGER NOT NULL, ranks INTEGER NOT NULL,"
    "  threads INTEGER NOT NULL, seconds REAL NOT NULL, processor_seconds REAL,"
    "  waiting_share REAL, stolen_share REAL, quality INTEGER NOT NULL,"
    "  findings INTEGER NOT NULL);"
    "CREATE INDEX runs_by_start ON runs (application, branch, start_unix_ns);"
    "CREATE TABLE run_parameters (run INTEGER NOT NULL REFERENCES runs, name TEXT NOT NULL,"
    "  value REAL NOT NULL, PRIMARY KEY (run, name)) WITHOUT ROWID;"
    "CREATE TABLE run_findings (run INTEGER NOT NULL REFERENCES runs, rule TEXT NOT NULL,"
    "  sentence TEXT NOT NULL);"
    "CREATE TABLE functions (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE figures (function INTEGER NOT NULL REFERENCES functions,"
    "  run INTEGER NOT NULL REFERENCES runs, own_seconds REAL NOT NULL,"
    "  total_seconds REAL NOT NULL, calls INTEGER, PRIMARY KEY (function, run)) WITHOUT ROWID;"
    "CREATE INDEX figures_by_run ON figures (run);"};
constexpr auto newest_version = static_cast<std::int64_t>(std::size(migrations));

std::optional<std::int64_t> calls_of(const FunctionSum& sum) {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    if (!sum.exact_calls || sum.calls > most)
        return {};
    return static_cast<std::int64_t>(sum.calls);
}

// What no other run has.
std::string identity_of(const RunInfo& run) {
    return fmt::format("{} {} {} {} {}", run.application, run.host, run.pid, run.start_unix_ns,
                       run.end_unix_ns);
}

constexpr const char* columns_of_runs =
    "SELECT id, application, host, commit_id, branch, file, start_unix_ns, ranks, threads, "
    "seconds, processor_seconds, waiting_share, stolen_share, quality, findings FROM runs "
    "WHERE (?1 = '' OR application = ?1) AND (?2 = '' OR branch = ?2) AND (?3 = '' OR host = ?3) "
    "ORDER BY start_unix_ns, id";

std::uint32_t small_number(std::int64_t value) {
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(value, 0, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

RunStore::RunStore(const std::string& file, Database::Access access) : database_(file, access) {
    // Write-ahead logs need shared memory, which network file systems do not have.
    if (access == Database::Access::write)
        database_.run("PRAGMA journal_mode=DELETE");
    Transaction transaction(database_, access);  // another writer may be creating it
    const std::int64_t id = database_.integer("PRAGMA application_id");
    const std::int64_t version = database_.integer("PRAGMA user_version");
    const bool is_new =
        id == 0 && version == 0 && database_.integer("SELECT count(*) FROM sqlite_master") == 0;
    if (!is_new && id != application_id)
        throw StoreError(file + ": is not a store of vftrace");
    if (version > newest_version)
        throw StoreError(fmt::format("{}: is from a newer version of vftrace (tables {}, known are "
                                     "those up to {})",
                                     file, version, newest_version));
    if (version == newest_version)
        return;
    if (access == Database::Access::read)
        throw StoreError(file + ": is empty, or from an older version: vftrace store add brings it "
                                "up to date");
    for (std::int64_t at = version; at < newest_version; at++)
        database_.run(migrations[at]);
    database_.run(fmt::format("PRAGMA user_version={};PRAGMA application_id={}", newest_version,
                              application_id)
                      .c_str());
    transaction.commit();
}

std::int64_t RunStore::number_of_function(const std::string& name) {
    const auto [entry, is_new] = known_functions_.try_emplace(name, 0);
    if (!is_new)
        return entry->second;
    Statement known(database_, "SELECT id FROM functions WHERE name = ?1");
    if (known.bind(1, std::string_view(name)).next())
        return entry->second = known.integer(0);
    Statement(database_, "INSERT INTO functions (name) VALUES (?1)")
        .bind(1, std::string_view(name))
        .run();
    return entry->second = database_.last_row();
}

bool RunStore::add_run(const Profile& profile, const std::string& file, const RunLabels& labels) {
    const RunInfo& info = profile.run;
    const ResourceFigures resources(profile);
    Grade grade = Grade::good;
    for (const QualityFigure& figure : quality(profile))
        grade = std::max(grade, figure.grade);
    std::vector<RunFinding> findings = find_all(profile);
    std::erase_if(findings, [](const RunFinding& finding) { return finding.is_remark(); });

    Statement known(database_, "SELECT 1 FROM runs WHERE identity = ?1");
    if (known.bind(1, std::string_view(identity_of(info))).next())
        return false;
    Statement(database_,
              "INSERT INTO runs (identity, file, application, host, commit_id, branch, "
              "start_unix_ns, ranks, threads, seconds, processor_seconds, waiting_share, "
              "stolen_share, quality, findings) "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)")
        .bind(1, std::string_view(identity_of(info)))
        .bind(2, std::string_view(file))
        .bind(3, std::string_view(info.application))
        .bind(4, std::string_view(labels.host.empty() ? info.host : labels.host))
        .bind(5, std::string_view(labels.commit))
        .bind(6, std::string_view(labels.branch))
        .bind(7, info.start_unix_ns)
        .bind(8, std::int64_t{info.ranks})
        .bind(9, std::int64_t{info.threads})
        .bind(10, std::max(0.0, seconds(profile.application_ns())))
        .bind(11, resources.processor_s())
        .bind(12, resources.waiting_share())
        .bind(13, resources.stolen_share())
        .bind(14, std::int64_t{static_cast<int>(grade)})
        .bind(15, static_cast<std::int64_t>(findings.size()))
        .run();
    const std::int64_t run = database_.last_row();

    std::vector<RunParameter> parameters = info.parameters;
    for (const RunParameter& parameter : labels.parameters)
        add_parameter(parameters, parameter);
    Statement add_value(database_, "INSERT INTO run_parameters VALUES (?1, ?2, ?3)");
    for (const RunParameter& parameter : parameters)
        add_value.bind(1, run)
            .bind(2, std::string_view(parameter.name))
            .bind(3, parameter.value)
            .run();
    Statement add_finding(database_, "INSERT INTO run_findings VALUES (?1, ?2, ?3)");
    for (const RunFinding& finding : findings)
        add_finding.bind(1, run)
            .bind(2, finding.rule)
            .bind(3, std::string_view(finding.sentence))
            .run();
    Statement add_figures(database_, "INSERT INTO figures VALUES (?1, ?2, ?3, ?4, ?5)");
    for (const auto& [name, sum] : function_sums(profile))
        add_figures.bind(1, number_of_function(name))
            .bind(2, run)
            .bind(3, sum.own_seconds)
            .bind(4, sum.total_seconds)
            .bind(5, calls_of(sum))
            .run();
    return true;
}

std::vector<StoredRun> RunStore::runs(const RunFilter& filter) {
    std::vector<StoredRun> runs;
    Statement rows(database_, columns_of_runs);
    rows.bind(1, std::string_view(filter.application))
        .bind(2, std::string_view(filter.branch))
        .bind(3, std::string_view(filter.host));
    while (rows.next()) {
        StoredRun run;
        run.id = rows.integer(0);
        run.application = rows.text(1);
        run.host = rows.text(2);
        run.commit = rows.text(3);
        run.branch = rows.text(4);
        run.file = rows.text(5);
        run.start_unix_ns = rows.integer(6);
        run.ranks = small_number(rows.integer(7));
        run.threads = small_number(rows.integer(8));
        run.seconds = rows.number(9);
        run.processor_seconds = rows.number(10);
        run.waiting_share = rows.number(11);
        run.stolen_share = rows.number(12);
        run.quality = std::min(small_number(rows.integer(13)), std::uint32_t{2});
        run.findings = small_number(rows.integer(14));
        runs.push_back(std::move(run));
    }
    return runs;
}

static std::vector<std::string> texts_of(Statement& rows) {
    std::vector<std::string> texts;
    while (rows.next())
        texts.push_back(rows.text(0));
    return texts;
}

std::vector<std::string> RunStore::applications() {
    Statement rows(database_, "SELECT application FROM runs GROUP BY application "
                              "ORDER BY count(*) DESC, application");
    return texts_of(rows);
}

std::vector<std::string> RunStore::functions_named(const std::string& name) {
    Statement exact(database_, "SELECT name FROM functions WHERE name = ?1");
    std::vector<std::string> names = texts_of(exact.bind(1, std::string_view(name)));
    if (!names.empty())
        return names;
    Statement part(database_, "SELECT name FROM functions WHERE instr(name, ?1) > 0 ORDER BY name");
    return texts_of(part.bind(1, std::string_view(name)));
}

std::vector<StoredFigures> RunStore::figures_of(const std::string& function) {
    std::vector<StoredFigures> figures;
    Statement rows(database_, "SELECT run, own_seconds, total_seconds, calls FROM figures "
                              "WHERE function = (SELECT id FROM functions WHERE name = ?1) "
                              "ORDER BY run");
    rows.bind(1, std::string_view(function));
    while (rows.next()) {
        StoredFigures row{rows.integer(0), rows.number(1), rows.number(2), {}};
        if (const std::optional<std::int64_t> calls = rows.optional_integer(3);
            calls && *calls >= 0)
            row.calls = static_cast<std::uint64_t>(*calls);
        figures.push_back(row);
    }
    return figures;
}

bool RunStore::leaves_out_runs(const RunFilter& filter) {
    Statement rows(database_, "SELECT 1 FROM runs WHERE NOT ((?1 = '' OR application = ?1) AND "
                              "(?2 = '' OR branch = ?2) AND (?3 = '' OR host = ?3)) LIMIT 1");
    return rows.bind(1, std::string_view(filter.application))
        .bind(2, std::string_view(filter.branch))
        .bind(3, std::string_view(filter.host))
        .next();
}

std::vector<std::string> RunStore::functions_with_other_calls(const RunFilter& filter) {
    // A quick query for the usual case, a store of one program.
    if (!leaves_out_runs(filter)) {
        Statement all(database_, "SELECT name FROM functions WHERE id IN (SELECT function FROM "
                                 "figures GROUP BY function HAVING min(calls) <> max(calls)) "
                                 "ORDER BY name");
        return texts_of(all);
    }
    Statement rows(database_,
                   "SELECT name FROM functions WHERE id IN (SELECT function FROM figures WHERE "
                   "run IN (SELECT id FROM runs WHERE (?1 = '' OR application = ?1) AND "
                   "(?2 = '' OR branch = ?2) AND (?3 = '' OR host = ?3)) "
                   "GROUP BY function HAVING min(calls) <> max(calls)) ORDER BY name");
    rows.bind(1, std::string_view(filter.application))
        .bind(2, std::string_view(filter.branch))
        .bind(3, std::string_view(filter.host));
    return texts_of(rows);
}

std::vector<std::string> RunStore::large_functions(std::int64_t run, std::int64_t other_run,
                                                   double least_share) {
    Statement rows(database_, "WITH sums AS (SELECT run, sum(own_seconds) AS whole FROM figures "
                              "WHERE run IN (?1, ?2) GROUP BY run) "
                              "SELECT name FROM figures JOIN sums USING (run) JOIN functions "
                              "ON functions.id = figures.function "
                              "WHERE own_seconds >= ?3 * whole GROUP BY name ORDER BY name");
    return texts_of(rows.bind(1, run).bind(2, other_run).bind(3, least_share));
}

}  // namespace vftrace
