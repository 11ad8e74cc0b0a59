# Imported target `libtorch` for the PyPI wheel. The wheel's own CMake config asks for a CUDA toolkit even where only
# its CPU part is used, so the few libraries are named here.
if(NOT EXISTS "${EARSCOPE_LIBTORCH}/torch/lib/libtorch_cpu.so")
    message(FATAL_ERROR "libtorch was not found in ${EARSCOPE_LIBTORCH}. Run packaging/run.sh --build-only, which "
        "installs it there, or set EARSCOPE_LIBTORCH to a folder that holds the torch wheel's 'torch' folder.")
endif()
set(_torch "${EARSCOPE_LIBTORCH}/torch")

add_library(libtorch INTERFACE)
target_include_directories(libtorch SYSTEM INTERFACE "${_torch}/include"
    "${_torch}/include/torch/csrc/api/include")
target_link_libraries(libtorch INTERFACE "${_torch}/lib/libtorch_cpu.so" "${_torch}/lib/libc10.so")
if(EXISTS "${_torch}/lib/libtorch_cuda.so" AND EXISTS "${EARSCOPE_LIBTORCH}/nvidia/cu13/lib/libcublas.so.13")
    # Only the full set of NVIDIA packages can load the CUDA part. --no-as-needed: it registers kernels, nothing
    # calls into it by symbol.
    target_link_libraries(libtorch INTERFACE -Wl,--no-as-needed "${_torch}/lib/libtorch_cuda.so"
        "${_torch}/lib/libc10_cuda.so" -Wl,--as-needed)
    target_compile_definitions(libtorch INTERFACE EARSCOPE_CUDA=1)
endif()
# packaging/setup.sh writes the stamp; another set of libraries (CPU, CUDA) needs another look here.
if(EXISTS "${EARSCOPE_LIBTORCH}/earscope-stamp")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${EARSCOPE_LIBTORCH}/earscope-stamp")
endif()
# DT_RPATH instead of DT_RUNPATH is inherited by the libraries of the wheel, which look for each other.
# The set-up installs every NVIDIA library below nvidia/*/lib.
file(GLOB _nvidia_libs LIST_DIRECTORIES true "${EARSCOPE_LIBTORCH}/nvidia/*/lib")
target_link_options(libtorch INTERFACE -Wl,--disable-new-dtags)
foreach(_folder IN LISTS _nvidia_libs ITEMS "${_torch}/lib")
    target_link_options(libtorch INTERFACE "-Wl,-rpath,${_folder}" "-Wl,-rpath-link,${_folder}")
endforeach()
