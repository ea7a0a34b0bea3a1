// Nodes of call paths that nothing names any more are collected, so that their number does not grow with the length of
// the run (stacks.h): sets of several locks, accesses under them, bytes with origins of their own.
//
// Named    by a cell, a summary or a record; by the set of locks that a thread holds or that an edge of the lock order
//          was made under. Whatever else has an id of such a node has it in hand: inside the run time, or with a race
//          found and not yet told (RaceFound).
// Twice    With all stripes held, what is not named is taken out of the index, so that nobody finds it any more, and
//          forgotten by caches. When every thread has been seen outside since, nobody has it in hand; if it is still
//          not named then, its id is free. Duplicates may come into being in between; they do no harm.
// Cost     A search of all memory that has a history, when there are twice as many nodes as the last one left.
//
// Limits   Threads that were made by clone without us cannot be looked at: with them, or where the system has no
//          membarrier, nothing is collected.
// Tested by test/programs/paths_collected*.c
#pragma once

namespace deadheat::live {

// The caller holds the lock of epoch ids, and no other; it has no such id in hand, but perhaps a RaceFound.
void collect_paths_if_crowded();

}  // namespace deadheat::live
