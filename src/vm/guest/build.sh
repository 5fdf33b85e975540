#!/bin/sh
# Builds the guest's init: static, without a C++ library, from this folder and what it shares with the
# host side. Used by CMake for the tests and by the Containerfile for the image, so both have one recipe.
#
# usage: build.sh SOURCE_ROOT OUTPUT
set -eu
root=$1
output=$2
exec "${MUSL_GCC:-musl-gcc}" -std=c++20 -Os -static -s -fno-exceptions -fno-rtti \
    -fno-asynchronous-unwind-tables -fno-threadsafe-statics -fstack-protector-strong -D_GNU_SOURCE \
    -ffunction-sections -fdata-sections -Wl,--gc-sections -Wl,--build-id=none \
    -Wall -Wextra -Wshadow -Werror -I "$root" \
    "$root"/vm/guest/*.cc "$root"/vm/render/address.cc -o "$output"
