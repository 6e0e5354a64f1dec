// Ranks that MPI's mpirun started. Built once for each implementation of MPI that is found, as a library of its own
// (libweft_openmpi.so, libweft_mpich.so), because their types and calls differ; runtime/ranks.cpp loads the one that fits.
#pragma once

#include <weft/runtime/transport.h>

// Joins the ranks and returns a new transport; to be called once. When the process ends with exit code 0, it waits for the others.
extern "C" weft::runtime::Transport* weft_make_mpi_transport();
