// SPDX-License-Identifier: Apache-2.0
// How much a call asks of SQLite, which is the same on every machine: what a test of cost counts instead of seconds.
#pragma once
#include <map>
#include <string>

struct sqlite3;

namespace culprit::testing {

// Of all connections that are opened while it lives. One at a time.
class CountedWork {
 public:
  CountedWork();
  ~CountedWork();
  CountedWork(const CountedWork&) = delete;
  CountedWork& operator=(const CountedWork&) = delete;

  // Instructions of SQLite's virtual machine, in statements that have ended.
  long long Steps() const { return steps_; }
  // Statements whose text contains `part`, as often as they were begun.
  long long Begun(const std::string& part) const;

 private:
  friend int Watch(sqlite3*, const char**, const void*);
  static int OnEvent(unsigned event, void* self, void* statement, void*);

  long long steps_ = 0;
  std::map<std::string, long long> begun_;  // by text
};

}  // namespace culprit::testing
