// SPDX-License-Identifier: Apache-2.0
// Counts the work of SQLite in a call. Tests of cost use it instead of seconds, because it is equal on every machine.
#pragma once
#include <map>
#include <string>

struct sqlite3;

namespace culprit::testing {

// Counts for all connections that are opened while it exists. Only one such object may exist at a time.
class CountedWork {
 public:
  CountedWork();
  ~CountedWork();
  CountedWork(const CountedWork&) = delete;
  CountedWork& operator=(const CountedWork&) = delete;

  // Instructions of SQLite's virtual machine, in statements that have ended.
  long long Steps() const { return steps_; }
  // How often statements with `part` in their text were begun.
  long long Begun(const std::string& part) const;

 private:
  friend int Watch(sqlite3*, const char**, const void*);
  static int OnEvent(unsigned event, void* self, void* statement, void*);

  long long steps_ = 0;
  std::map<std::string, long long> begun_;  // by text
};

}  // namespace culprit::testing
