// SPDX-License-Identifier: GPL-2.0-only
// Nobody catches an exception here, so to throw one is to hand its text to the page, which ends
// the run: Debian's libc++ for WebAssembly cannot unwind.
#include <cstdlib>
#include <exception>

extern "C" {

[[clang::import_module("page"), clang::import_name("fail")]] [[noreturn]] void fail(
    const char* what);

void* __cxa_allocate_exception(std::size_t size) { return std::malloc(size); }
void __cxa_free_exception(void* thrown) { std::free(thrown); }

// What this project throws is of <stdexcept>, whose first base is std::exception.
[[noreturn]] void __cxa_throw(void* thrown, void*, void (*)(void*)) {
  fail(static_cast<std::exception*>(thrown)->what());
}
}
