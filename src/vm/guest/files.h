// Reading small files whole.
#pragma once

#include "vm/guest/text.h"

namespace sbx::guest {

/// Room for a firewall file with its exceptions, and for any file that init reads.
using FileText = Text<65536>;

/// Replaces `text` by the content of `path`. False, errno set, when it cannot be read or is larger.
bool read_file(const char* path, FileText& text);

}  // namespace sbx::guest
