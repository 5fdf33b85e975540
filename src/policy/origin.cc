#include "policy/origin.h"

namespace sbx {

std::string Origin::text() const {
    std::string place;
    if (line > 0) {
        place = ":" + std::to_string(line);
        if (column > 0) {
            place += ":" + std::to_string(column);
        }
    }
    switch (kind) {
        case Kind::BuiltIn: return "built-in";
        case Kind::Profile: return "profile " + name + place;
        case Kind::File: return name + place;
        case Kind::Flag:
        case Kind::Environment: return name;
    }
    return "built-in";
}

}  // namespace sbx
