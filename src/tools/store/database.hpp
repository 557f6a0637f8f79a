// A thin layer over SQLite: errors are exceptions, and statements end with their scope.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace vftrace {

// One line that begins with the name of the file.
class StoreError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class Database;

// A statement with parameters ?1, ?2, ... Numbers of columns begin with 0.
class Statement {
  public:
    Statement(Database& database, const char* sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& bind(int parameter, std::int64_t value);
    Statement& bind(int parameter, double value);  // NaN: NULL
    Statement& bind(int parameter, std::string_view value);
    Statement& bind(int parameter, const std::optional<std::int64_t>& value);  // nothing: NULL
    // Goes to the next row. Returns false if there is none; then the statement can be used again.
    bool next();
    // Carries out a statement without rows.
    void run() {
        while (next()) {
        }
    }

    std::int64_t integer(int column) const;
    double number(int column) const;  // NaN if it is NULL
    std::string text(int column) const;
    std::optional<std::int64_t> optional_integer(int column) const;

  private:
    void check(int result) const;

    Database& database_;
    sqlite3_stmt* statement_ = nullptr;
};

class Database {
  public:
    enum class Access : std::uint8_t { read, write };
    // Access::write creates the file if there is none. Throws StoreError.
    Database(const std::string& file, Access access);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    void run(const char* sql);
    std::int64_t integer(const char* sql);
    std::int64_t last_row() const;
    [[noreturn]] void fail(int result) const;
    sqlite3* handle() const { return handle_; }

  private:
    std::string file_;
    sqlite3* handle_ = nullptr;
};

// All or nothing: what was written since the beginning is dropped unless it is committed. What is
// read is of one moment.
class Transaction {
  public:
    Transaction(Database& database, Database::Access access) : database_(database) {
        database_.run(access == Database::Access::write ? "BEGIN IMMEDIATE" : "BEGIN");
    }
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit() {
        database_.run("COMMIT");
        committed_ = true;
    }

  private:
    Database& database_;
    bool committed_ = false;
};

}  // namespace vftrace
