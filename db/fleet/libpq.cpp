// SPDX-License-Identifier: Apache-2.0
#include "db/fleet/libpq.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include "db/error.h"

namespace culprit {
namespace {

template <class Function>
void Find(void* library, const char* name, Function& into) {
  into = reinterpret_cast<Function>(dlsym(library, name));
  if (into == nullptr) throw Error(fmt::format("libpq.so.5 lacks {}; install a newer one (Debian: libpq5).", name));
}

Libpq Open() {
  void* const library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw Error("cannot open libpq.so.5, PostgreSQL's client library; install it (Debian and Ubuntu: libpq5).");
  Libpq libpq{};
#define CULPRIT_FIND(name) Find(library, #name, libpq.name);
  CULPRIT_LIBPQ(CULPRIT_FIND)
#undef CULPRIT_FIND
  return libpq;
}

}  // namespace

const Libpq& Postgres() {
  static const Libpq libpq = Open();
  return libpq;
}

}  // namespace culprit
