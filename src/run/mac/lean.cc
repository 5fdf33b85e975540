#include "run/lean.h"

namespace sbx {

// Pages of a program are shared and not accounted to the process here.
void drop_program_pages() {}

}  // namespace sbx
