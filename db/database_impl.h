// SPDX-License-Identifier: Apache-2.0
// Private to db/.
#pragma once
#include <memory>

#include "db/connection.h"
#include "db/database.h"
#include "db/metric_ids.h"

namespace culprit {

struct Database::Impl {
  Impl(Connection c, bool is_recording) : connection(std::move(c)), recording(is_recording) {}
  ~Impl();

  Connection connection;
  bool recording;
  MetricIds metric_ids;
};

}  // namespace culprit
