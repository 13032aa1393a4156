// SPDX-License-Identifier: Apache-2.0
#include "tests/support/counted_work.h"

#include <sqlite3.h>

namespace culprit::testing {
namespace {

CountedWork* counting = nullptr;

}  // namespace

// Called by SQLite for each connection that is opened.
int Watch(sqlite3* connection, const char**, const void*) {
  return sqlite3_trace_v2(connection, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE, CountedWork::OnEvent, nullptr);
}

CountedWork::CountedWork() {
  counting = this;
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(Watch));
}

CountedWork::~CountedWork() {
  sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(Watch));
  counting = nullptr;
}

int CountedWork::OnEvent(unsigned event, void*, void* statement, void*) {
  if (counting == nullptr) return 0;
  auto* of = static_cast<sqlite3_stmt*>(statement);
  if (event == SQLITE_TRACE_STMT) ++counting->begun_[sqlite3_sql(of)];
  if (event == SQLITE_TRACE_PROFILE) counting->steps_ += sqlite3_stmt_status(of, SQLITE_STMTSTATUS_VM_STEP, 1);
  return 0;
}

long long CountedWork::Begun(const std::string& part) const {
  long long sum = 0;
  for (const auto& [text, count] : begun_)
    if (text.find(part) != text.npos) sum += count;
  return sum;
}

}  // namespace culprit::testing
