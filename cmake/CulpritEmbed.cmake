# culprit_embed_text(target Symbol file...): the files become part of the binary.
# Adds to `target` a generated source that defines  std::span<const culprit::EmbeddedText> culprit::Symbol()
# with one entry per file (name without folder and extension, text), in the order given here; files may be none. Declare it where it is used.
# The text is read when building, so editing a file rebuilds what holds it.
function(culprit_embed_text target symbol)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp)
  set(files "")
  foreach(file IN LISTS ARGN)
    get_filename_component(file ${file} ABSOLUTE)
    list(APPEND files ${file})
  endforeach()
  set(script ${PROJECT_SOURCE_DIR}/cmake/WriteEmbedded.cmake)
  string(REPLACE ";" "|" joined "${files}")  # a list does not survive the command line
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${symbol} "-DFILES=${joined}" -P ${script}
    DEPENDS ${files} ${script}
    COMMENT "Embedding ${symbol}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
