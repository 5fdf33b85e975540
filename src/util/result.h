// A value or the reason why there is none. Leaves return it; only src/cli prints it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace sbx {

/// Why something could not be done.
///
/// `message` names the thing and the rule; `hint` (may be empty) is what to do next. `code` is the
/// stable, machine-readable name that `--json` prints ("invalid_path", "backend_unavailable", ...).
/// Neither text ever holds a secret's value or a file's contents.
struct Error {
    std::string code;
    std::string message;
    std::string hint;
};

template <typename T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}       // NOLINT(*-explicit-*)
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(*-explicit-*)

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() { return std::get<0>(state_); }
    const T& value() const { return std::get<0>(state_); }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    Error& error() { return std::get<1>(state_); }
    const Error& error() const { return std::get<1>(state_); }

  private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}  // NOLINT(*-explicit-*)

    bool ok() const { return !error_.has_value(); }
    explicit operator bool() const { return ok(); }
    Error& error() { return *error_; }
    const Error& error() const { return *error_; }

  private:
    std::optional<Error> error_;
};

}  // namespace sbx

/// Returns the error of a failed `expression` from the enclosing function.
#define SBX_CHECK(expression)                                                \
    do {                                                                     \
        if (auto sbx_result_ = (expression); !sbx_result_.ok()) {            \
            return std::move(sbx_result_.error());                           \
        }                                                                    \
    } while (false)

#define SBX_CONCAT_(a, b) a##b
#define SBX_CONCAT(a, b) SBX_CONCAT_(a, b)

/// `SBX_ASSIGN(auto x, f());` binds the value of `f()`, or returns its error.
#define SBX_ASSIGN(declaration, expression)                                  \
    auto SBX_CONCAT(sbx_assign_, __LINE__) = (expression);                   \
    if (!SBX_CONCAT(sbx_assign_, __LINE__).ok()) {                           \
        return std::move(SBX_CONCAT(sbx_assign_, __LINE__).error());         \
    }                                                                        \
    declaration = std::move(SBX_CONCAT(sbx_assign_, __LINE__).value())
