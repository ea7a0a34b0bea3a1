// Plays a known order of events with real threads, so that what live detection says can be compared with the oracle.
#ifndef DEADHEAT_TEST_LIVE_ORACLE_PLAYER_H
#define DEADHEAT_TEST_LIVE_ORACLE_PLAYER_H

#include <stdint.h>

enum order { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };  // as Deadheat numbers them

void read_bytes(void* p, int size);
void write_bytes(void* p, int size);
void load(void* p, int size, enum order order);
void store(void* p, int size, enum order order);
void modify(void* p, int size, enum order order);
void fence(enum order order);

#endif
