#include "run/lean.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <cstdint>

namespace sbx {

void drop_program_pages() {
    constexpr uintptr_t kPage = 4096;
    uintptr_t address = getauxval(AT_PHDR);
    size_t count = getauxval(AT_PHNUM);
    if (address == 0) {
        return;
    }
    const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(address);
    uintptr_t base = 0;  // where a position-independent program was loaded
    for (size_t i = 0; i < count; ++i) {
        if (headers[i].p_type == PT_PHDR) {
            base = address - headers[i].p_vaddr;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        // Only what was never written: anything else would come back as the file has it.
        if (headers[i].p_type != PT_LOAD || (headers[i].p_flags & PF_W) != 0) {
            continue;
        }
        uintptr_t start = (base + headers[i].p_vaddr) & ~(kPage - 1);
        uintptr_t end = (base + headers[i].p_vaddr + headers[i].p_memsz) & ~(kPage - 1);
        madvise(reinterpret_cast<void*>(start), end - start, MADV_DONTNEED);
    }
}

}  // namespace sbx
