// Collection of the nodes of call paths (stacks.h) that nothing names any more, so that their number does not grow with
// the length of the run: sets of several locks, accesses under them, bytes with origins of their own.
//
// Named    A cell, a summary or a record may name such a node; so may the set of locks that a thread holds or that an
//          edge of the lock order was made under. Besides, a thread may have its id in hand: inside the run time, or in
//          a race that was found and is not yet reported (RaceFound).
// Steps    1  With all stripes held, nodes that are not named leave the index and the caches: no thread finds them any
//             more. A path that is needed again gets a second node; duplicates do no harm.
//          2  When every thread has been outside the run time since then, none has such an id in hand. The ids that are
//             still not named are free.
// Cost     A search of all memory that has a history. It runs when there are twice as many nodes as the last one left.
//
// Limits   Threads that were made by clone without us cannot be looked at: with them, or where the system has no
//          membarrier, nothing is collected.
// Tested by test/programs/paths_collected*.c
#pragma once

#include <cstddef>

namespace deadheat::live {

// The caller holds the lock of epoch ids, and no other; it has no such id in hand, but perhaps a RaceFound.
void collect_paths_if_crowded();

// ---- what names paths; each is defined in the room that has it, or in a test ----
// Whether every thread has been seen with nothing in hand since the last collection (live/order).
bool threads_left_since_collection();
// Mark what they name (stack_mark), with all locks above held: threads the sets of locks that they hold, edges of the
// lock order the sets that they were made under (live/order), words of memory their origins (live/shadow; how many
// parts of memory it searched).
void threads_mark_paths();
void lock_order_mark_paths();
size_t shadow_mark_paths();

}  // namespace deadheat::live
