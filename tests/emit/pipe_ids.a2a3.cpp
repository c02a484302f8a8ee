error[PTO-E0901]: `pto.aic_initialize_pipe` has no C++ for a2a3: a pipe without slots in global memory, which this target needs
error[PTO-E0901]: `pto.aic_initialize_pipe` has no C++ for a2a3: a pipe without slots in global memory, which this target needs
error[PTO-E0901]: `pto.tpush_to_aiv` has no C++ for a2a3: a pipe that is opened in another function
error[PTO-E0901]: `pto.tpush_to_aiv` has no C++ for a2a3: a pipe that is opened in another function
error[PTO-E0901]: `pto.aiv_initialize_pipe` has no C++ for a2a3: a pipe without slots in global memory, which this target needs
error[PTO-E0901]: `pto.aiv_initialize_pipe` has no C++ for a2a3: a pipe without slots in global memory, which this target needs
error[PTO-E0901]: `pto.tpop_from_aic` has no C++ for a2a3: a pipe that is opened in another function
error[PTO-E0901]: `pto.tfree_from_aic` has no C++ for a2a3: a pipe that is opened in another function
error[PTO-E0901]: `pto.tpop_from_aic` has no C++ for a2a3: a pipe that is opened in another function
error[PTO-E0901]: `pto.tfree_from_aic` has no C++ for a2a3: a pipe that is opened in another function
