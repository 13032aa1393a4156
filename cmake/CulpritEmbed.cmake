# culprit_embed_text(target Symbol file...): embeds files in the binary.
# Adds a generated source to `target` that defines  std::span<const culprit::EmbeddedText> culprit::Symbol()
# with one entry per file (name without folder and extension, text, its SHA-256), in the given order; there may be no file.
# Declare it where it is used.
# Files are read at build time, so editing one rebuilds the target.
function(culprit_embed_text target symbol)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp)
  set(files "")
  foreach(file IN LISTS ARGN)
    get_filename_component(file ${file} ABSOLUTE)
    list(APPEND files ${file})
  endforeach()
  set(script ${PROJECT_SOURCE_DIR}/cmake/WriteEmbedded.cmake)
  string(REPLACE ";" "|" joined "${files}")  # the command line would split a list
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${symbol} "-DFILES=${joined}" -P ${script}
    DEPENDS ${files} ${script}
    COMMENT "Embedding ${symbol}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
