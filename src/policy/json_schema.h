// The policy language as a JSON Schema, for editors.
#pragma once

#include <string>

namespace sbx {

/// Draft 2020-12, from the table of keys. Editors use it with a first line `#:schema ./sbx.schema.json`.
std::string json_schema();

}  // namespace sbx
