# Writes OUTPUT, which defines the variables of bench/build_info.h. Runs at each build, but writes OUTPUT only if it
# changes.
find_package(Git QUIET)
set(sha "")
set(dirty false)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} rev-parse HEAD OUTPUT_VARIABLE sha OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(sha "")
  else()
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(dirty true)
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "bench/build_info.h"
namespace culprit {
const char* const kGitSha = "@sha@";
const bool kGitDirty = @dirty@;
}  // namespace culprit
]] @ONLY)
