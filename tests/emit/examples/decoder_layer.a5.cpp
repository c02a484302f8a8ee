error[PTO-E0203]: `aic_initialize_pipe` takes no attribute `local_slot_num` on a5
error[PTO-E0203]: `aic_initialize_pipe` takes no attribute `local_slot_num` on a5
error[PTO-E0203]: `aic_initialize_pipe` takes no attribute `local_slot_num` on a5
error[PTO-E0203]: `aiv_initialize_pipe` takes no attribute `local_slot_num` on a5
error[PTO-E0203]: `aiv_initialize_pipe` takes no attribute `local_slot_num` on a5
error[PTO-E0203]: `aiv_initialize_pipe` takes no attribute `local_slot_num` on a5
