#include "linux/render/seccomp.h"

#include "embedded/seccomp_nested.h"
#include "embedded/seccomp_strict.h"

namespace sbx {

std::string_view render_seccomp(Nested nested) {
    return nested == Nested::Off ? embedded::seccomp_strict() : embedded::seccomp_nested();
}

}  // namespace sbx
