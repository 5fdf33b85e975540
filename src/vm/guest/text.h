// A text in a fixed buffer: the guest's init has no C++ library.
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <string.h>

namespace sbx::guest {

/// Grows up to `Capacity` bytes. What does not fit is not added and makes full() true: whoever builds
/// something that must be complete checks it.
template <size_t Capacity>
class Text {
  public:
    void add(const char* bytes, size_t length) {
        if (length > Capacity - length_) {
            full_ = true;
            return;
        }
        memcpy(data_ + length_, bytes, length);
        length_ += length;
        data_[length_] = 0;
    }
    void add(const char* text) { add(text, strlen(text)); }
    void add_number(long number) {
        char digits[24];
        snprintf(digits, sizeof digits, "%ld", number);
        add(digits);
    }
    void clear() {
        length_ = 0;
        data_[0] = 0;
        full_ = false;
    }
    void cut(size_t length) {
        if (length < length_) {
            length_ = length;
            data_[length_] = 0;
        }
    }

    const char* data() const { return data_; }
    size_t length() const { return length_; }
    bool full() const { return full_; }

  private:
    char data_[Capacity + 1] = {};
    size_t length_ = 0;
    bool full_ = false;
};

/// One line for the terminal.
using Message = Text<512>;

}  // namespace sbx::guest
