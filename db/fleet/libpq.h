// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's client library. It is opened at run time, when a command first asks a server. So a bundle does not pack
// libpq, nor its libraries for encryption and authentication. Private to db/fleet/.
#pragma once
#include <libpq-fe.h>

namespace culprit {

// The functions that we call. Each member has the name and type of libpq's function.
struct Libpq {
#define CULPRIT_LIBPQ(function)                                                                                   \
  function(PQconninfoParse) function(PQconninfoFree) function(PQfreemem) function(PQconnectdbParams)              \
      function(PQfinish) function(PQstatus) function(PQerrorMessage) function(PQparameterStatus) function(PQexec) \
          function(PQexecParams) function(PQresultStatus) function(PQresultErrorField) function(PQclear)          \
              function(PQntuples) function(PQgetvalue) function(PQgetisnull) function(PQgetlength)                \
                  function(PQputCopyData) function(PQputCopyEnd) function(PQgetCopyData) function(PQgetResult)    \
                      function(PQsetNoticeProcessor)
#define CULPRIT_MEMBER(name) decltype(&::name) name;
  CULPRIT_LIBPQ(CULPRIT_MEMBER)
#undef CULPRIT_MEMBER
};

// Throws culprit::Error that says what to install if this machine has no libpq.
const Libpq& Postgres();

}  // namespace culprit
