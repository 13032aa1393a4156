# Installs the package into a folder of its own, and builds a copied project against it, as somebody elsewhere would.
# Needs nvcc and no GPU: nothing is launched.
#   BUILD          a finished build of culprit
#   PROJECT        a folder with a CMakeLists.txt that says find_package(culprit)
#   NVCC, HOST     the compilers that made BUILD
#   ARCHITECTURES  to build for
set(folder $ENV{TMPDIR})
if(NOT folder)
  set(folder /tmp)
endif()
string(RANDOM LENGTH 12 name)
set(folder ${folder}/culprit_package_${name})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    file(REMOVE_RECURSE ${folder})
    list(JOIN ARGV " " words)
    message(FATAL_ERROR "${words}\nends with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --component development --prefix ${folder}/installed)
file(COPY ${PROJECT}/ DESTINATION ${folder}/project)  # out of the tree: nothing beside it can be found by accident
run(${CMAKE_COMMAND} -S ${folder}/project -B ${folder}/build -DCMAKE_PREFIX_PATH=${folder}/installed
    -DCMAKE_CUDA_COMPILER=${NVCC} -DCMAKE_CXX_COMPILER=${HOST} -DCMAKE_CUDA_HOST_COMPILER=${HOST}
    -DCMAKE_CUDA_ARCHITECTURES=${ARCHITECTURES})
run(${CMAKE_COMMAND} --build ${folder}/build)
run(${folder}/build/row_sums --help)
if(NOT output MATCHES "--profile")
  message(SEND_ERROR "row_sums --help does not know --profile:\n${output}")
endif()
file(REMOVE_RECURSE ${folder})
