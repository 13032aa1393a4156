# Makes a .deb of the programs that only read recordings. It uses the system's libraries. For GPU machines, see
# script/bundle.
#   cmake --preset cpu -B build/deb -DBUILD_TESTING=OFF && cmake --build build/deb
#   (cd build/deb && cpack) && sudo apt-get install ./build/deb/culprit_*.deb
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME culprit)
# The maintainer is the person who builds the package, as in Debian's own tools. If not known, an address below .invalid
# (RFC 2606).
set(_name nobody)
set(_address nobody@culprit.invalid)
if(NOT "$ENV{DEBFULLNAME}" STREQUAL "" AND NOT "$ENV{DEBEMAIL}" STREQUAL "")
  set(_name "$ENV{DEBFULLNAME}")
  set(_address "$ENV{DEBEMAIL}")
endif()
set(CPACK_PACKAGE_CONTACT "${_name} <${_address}>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Finds the metric that made a CUDA kernel slower: the half that reads measurements")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL reading)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_READING_PACKAGE_NAME culprit)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # asks dpkg-shlibdeps for the packages of the libraries
include(CPack)
