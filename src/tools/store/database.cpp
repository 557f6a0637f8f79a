#include "store/database.hpp"

#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/core.h>
#include <sqlite3.h>

namespace vftrace {

Database::Database(const std::string& file, Access access) : file_(file) {
    namespace fs = std::filesystem;
    constexpr int most_wait_ms = 30'000;
    // Links in the path are the user's own way to the folder; the file itself must not be one.
    std::error_code error;
    const fs::path folder = fs::canonical(fs::absolute(file).parent_path(), error);
    if (error)
        throw StoreError(fmt::format("{}: {}", file, error.message()));
    const int flags = SQLITE_OPEN_NOFOLLOW |
                      (access == Access::read ? SQLITE_OPEN_READONLY
                                              : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    const int result =
        sqlite3_open_v2((folder / fs::path(file).filename()).c_str(), &handle_, flags, nullptr);
    if (result != SQLITE_OK) {
        const std::string problem = access == Access::read && !fs::exists(file, error)
                                        ? "there is no such store"
                                        : sqlite3_errstr(result);
        sqlite3_close(handle_);
        throw StoreError(fmt::format("{}: {}", file, problem));
    }
    sqlite3_busy_timeout(handle_, most_wait_ms);
    if (access == Access::read)  // without copying its pages
        sqlite3_exec(handle_, "PRAGMA mmap_size=1073741824", nullptr, nullptr, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail(int result) const {
    const int code = result & 0xff;
    throw StoreError(
        fmt::format("{}: {}", file_,
                    code == SQLITE_NOTADB    ? "is not a store of vftrace"
                    : code == SQLITE_CORRUPT ? "is damaged"
                    : code == SQLITE_BUSY || code == SQLITE_LOCKED
                        ? "another program is writing to it, and did not finish in 30 s"
                    : code == SQLITE_FULL     ? "there is no space left"
                    : code == SQLITE_READONLY ? "must not be written to"
                                              : sqlite3_errmsg(handle_)));
}

void Database::run(const char* sql) {
    if (const int result = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
        result != SQLITE_OK)
        fail(result);
}

std::int64_t Database::integer(const char* sql) {
    Statement statement(*this, sql);
    return statement.next() ? statement.integer(0) : 0;
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }

Statement::Statement(Database& database, const char* sql) : database_(database) {
    check(sqlite3_prepare_v2(database.handle(), sql, -1, &statement_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::check(int result) const {
    if (result != SQLITE_OK)
        database_.fail(result);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
    check(sqlite3_bind_int64(statement_, parameter, value));
    return *this;
}

Statement& Statement::bind(int parameter, double value) {
    check(std::isnan(value) ? sqlite3_bind_null(statement_, parameter)
                            : sqlite3_bind_double(statement_, parameter, value));
    return *this;
}

Statement& Statement::bind(int parameter, std::string_view value) {
    check(sqlite3_bind_text64(statement_, parameter, value.data(), value.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
    return *this;
}

Statement& Statement::bind(int parameter, const std::optional<std::int64_t>& value) {
    check(value ? sqlite3_bind_int64(statement_, parameter, *value)
                : sqlite3_bind_null(statement_, parameter));
    return *this;
}

bool Statement::next() {
    const int result = sqlite3_step(statement_);
    if (result == SQLITE_ROW)
        return true;
    sqlite3_reset(statement_);
    if (result != SQLITE_DONE)
        database_.fail(result);
    return false;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_, column);
}

double Statement::number(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL
               ? std::numeric_limits<double>::quiet_NaN()
               : sqlite3_column_double(statement_, column);
}

std::string Statement::text(int column) const {
    const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    const int bytes = sqlite3_column_bytes(statement_, column);
    return text ? std::string(text, static_cast<std::size_t>(bytes)) : std::string();
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL)
        return {};
    return integer(column);
}

Transaction::~Transaction() {
    if (!committed_)
        sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace vftrace
