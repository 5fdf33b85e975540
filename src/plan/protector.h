// Adds guards, pins and masks to a Plan whose grants are complete. Pure.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "host/facts.h"
#include "plan/plan.h"

namespace sbx {

class Protector {
  public:
    Protector(Plan& plan, const HostFacts& facts);

    /// The writable grant that decides over `path`; "" when the command cannot write there.
    std::string writable_root(const std::string& path) const;

    /// Makes `path` read-only, if it lies in something writable. A link is pinned as it is, and what it
    /// leads to is guarded, too (facts.paths must hold the link). Returns whether it was added.
    bool guard(const std::string& path, FileKind kind, const Origin& origin, const std::string& rule);

    /// A link that must stay as it is, while what it leads to may change.
    void pin_link(const std::string& path, const Origin& origin, const std::string& rule);

    /// Hides a path. In something writable it is pinned, too.
    void mask(const Mount& mask);

    /// A directory between a protected path and the writable root could be renamed away, protection and
    /// all, and another be put in its place. Bound onto itself it cannot: EBUSY.
    void pin_ancestors(const std::string& path, const Origin& origin, const std::string& rule);

  private:
    struct Layer {
        std::string path;
        bool writable = false;   ///< a directory of the host that the command may change
    };

    const Layer* layer_of(const std::string& path) const;
    Mount& add(Mount::Kind kind, Purpose purpose, const std::string& path, bool is_directory, const Origin& origin,
               const std::string& rule);

    Plan& plan_;
    const HostFacts& facts_;
    std::vector<Layer> layers_;
    std::unordered_set<std::string> guarded_;
    std::unordered_set<std::string> pinned_;
    std::unordered_set<std::string> masked_;
};

}  // namespace sbx
