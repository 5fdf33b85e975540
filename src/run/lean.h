// Gives memory back while this process only waits.
#pragma once

namespace sbx {

/// Drops the pages of this program's code and constants from memory that is accounted to this process.
/// They are read again from the page cache when they are needed. For processes that wait for long.
void drop_program_pages();

}  // namespace sbx
