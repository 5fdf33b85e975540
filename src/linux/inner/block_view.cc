#include "linux/inner/block_view.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace sbx::inner {
namespace {

/// Anonymous memory for `count` pointers: the block can be megabytes, a stack array cannot.
char** pointer_array(size_t count) {
    void* memory = mmap(nullptr, count * sizeof(char*), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<char**>(memory);
}

class Cursor {
  public:
    Cursor(char* at, char* end) : at_(at), end_(end) {}

    template <typename T>
    const T* array(size_t count) {
        const T* start = reinterpret_cast<const T*>(at_);
        if (count > static_cast<size_t>(end_ - at_) / sizeof(T)) {
            failed_ = true;
            return nullptr;
        }
        at_ += count * sizeof(T);
        return start;
    }

    char* string() {
        char* start = at_;
        void* terminator = memchr(at_, 0, static_cast<size_t>(end_ - at_));
        if (terminator == nullptr) {
            failed_ = true;
            return nullptr;
        }
        at_ = static_cast<char*>(terminator) + 1;
        return start;
    }

    bool failed() const { return failed_; }

  private:
    char* at_;
    char* end_;
    bool failed_ = false;
};

}  // namespace

bool map_block(int fd, BlockView& view) {
    struct stat status;
    if (fstat(fd, &status) != 0 || static_cast<size_t>(status.st_size) < sizeof(wire::BlockHeader)) {
        return false;
    }
    size_t size = static_cast<size_t>(status.st_size);
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    char* start = static_cast<char*>(memory);
    Cursor cursor(start, start + size);
    view.header = cursor.array<wire::BlockHeader>(1);
    const wire::BlockHeader& header = *view.header;
    if (header.magic != wire::kBlockMagic) {
        return false;
    }
    view.limits = cursor.array<wire::BlockLimit>(header.limit_count);
    view.rules = cursor.array<wire::BlockRule>(header.rule_count);
    view.filters[0] = cursor.array<wire::BlockFilter>(header.filter_counts[0]);
    view.filters[1] = cursor.array<wire::BlockFilter>(header.filter_counts[1]);
    view.keep = cursor.array<int32_t>(header.keep_count);
    view.cwd = cursor.string();
    for (uint32_t i = 0; i < header.rule_count && !cursor.failed(); ++i) {
        const char* path = cursor.string();
        if (i == 0) {
            view.rule_paths = path;
        }
    }
    size_t count = size_t{header.argument_count} + header.environment_count + 2;
    char** pointers = pointer_array(count);
    if (pointers == nullptr || cursor.failed()) {
        return false;
    }
    view.argv = pointers;
    for (uint32_t i = 0; i < header.argument_count && !cursor.failed(); ++i) {
        *pointers++ = cursor.string();
    }
    *pointers++ = nullptr;
    view.environment = pointers;
    for (uint32_t i = 0; i < header.environment_count && !cursor.failed(); ++i) {
        *pointers++ = cursor.string();
    }
    *pointers = nullptr;
    return !cursor.failed() && header.argument_count > 0;
}

}  // namespace sbx::inner
