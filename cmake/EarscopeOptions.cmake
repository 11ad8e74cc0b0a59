# What every target of ours is compiled with; linked PRIVATE by each of them.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    # ccache can only reuse objects built with a precompiled header under these allowances.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
    add_compile_options(-fpch-preprocess)
endif()

add_library(earscope_options INTERFACE)
target_include_directories(earscope_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(earscope_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<$<BOOL:${EARSCOPE_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees overlapping or endless copies in any optimised std::string concatenation (GCC bugs
    # 105651, 105329), and uninitialized values in its own headers when it optimises little.
    target_compile_options(earscope_options INTERFACE
        $<$<CONFIG:Release>:-Wno-restrict> $<$<CONFIG:Release>:-Wno-stringop-overflow>
        $<$<CONFIG:Release>:-Wno-array-bounds>
        $<$<CONFIG:Debug>:-Wno-maybe-uninitialized>)
endif()
target_compile_definitions(earscope_options INTERFACE QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII
    QT_NO_CAST_TO_ASCII QT_NO_NARROWING_CONVERSIONS_IN_CONNECT
    EARSCOPE_VERSION="${PROJECT_VERSION}")

if(EARSCOPE_SANITIZE)
    add_compile_options(-fsanitize=${EARSCOPE_SANITIZE} -fno-omit-frame-pointer -g1)
    add_link_options(-fsanitize=${EARSCOPE_SANITIZE})
    if(EARSCOPE_SANITIZE MATCHES undefined)
        add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=vptr)
    endif()
endif()
