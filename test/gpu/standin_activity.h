/* The part of the stand-in for CUPTI that makes records of work and delivers them. */
#pragma once

#include "cupti_records.h"
#include "standin_cupti.h"

enum generation standin_generation(void);
void activity_work(const struct work*);
void activity_devices(uint32_t number);
void activity_ended(void);

/* Writes the first bytes of a record, which are all the bytes of it in a generation. */
void fill_record(void* place, size_t bytes, enum record_kind, const struct work*);
void fill_device_record(void* place, size_t bytes, uint32_t device, const char* name);
