; Superfluous checks: where each rule of src/pass/covered.h fires, and beside it a twin where it must not.
; "; @name: ..." says which calls of the run time a function has afterwards, in their order; frames are left out.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @unknown()
declare i32 @_setjmp(ptr) returns_twice
@jump = global [200 x i8] zeroinitializer

define internal void @quiet(ptr %q) noinline sanitize_thread {
  store i32 1, ptr %q
  ret void
}
define internal void @releases(ptr %q) noinline sanitize_thread {
  store atomic i32 1, ptr %q release, align 4
  ret void
}
define internal void @calls_releases(ptr %q) noinline sanitize_thread {
  call void @releases(ptr %q)
  ret void
}
define linkonce_odr void @may_be_another(ptr %q) noinline sanitize_thread {
  store i32 1, ptr %q
  ret void
}

; ---- rule 1: read before write
; @read_write: write4
define void @read_write(ptr %p) sanitize_thread {
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  ret void
}
; @read_write_smaller: read4 write2
define void @read_write_smaller(ptr %p) sanitize_thread {
  %v = load i32, ptr %p
  %w = trunc i32 %v to i16
  store i16 %w, ptr %p
  ret void
}
; @read_write_other_block: read4 write4
define void @read_write_other_block(ptr %p, i1 %c) sanitize_thread {
  %v = load i32, ptr %p
  br i1 %c, label %yes, label %no
yes:
  store i32 %v, ptr %p
  ret void
no:
  ret void
}
; @read_call_write: read4 write4
define void @read_call_write(ptr %p) sanitize_thread {
  %v = load i32, ptr %p
  call void @unknown()
  store i32 %v, ptr %p
  ret void
}
; A quiet call may not return.
; @read_quiet_call_write: read4 write4
define void @read_quiet_call_write(ptr %p, ptr %q) sanitize_thread {
  %v = load i32, ptr %p
  call void @quiet(ptr %q)
  store i32 %v, ptr %p
  ret void
}
; @read_release_write: read4 atomic32_store write4
define void @read_release_write(ptr %p, ptr %q) sanitize_thread {
  %v = load i32, ptr %p
  store atomic i32 1, ptr %q release, align 4
  store i32 %v, ptr %p
  ret void
}
; @read_vptr_write: vptr_read vptr_update
define void @read_vptr_write(ptr %p, ptr %t) sanitize_thread {
  %v = load ptr, ptr %p, !tbaa !0
  store ptr %t, ptr %p, !tbaa !0
  ret void
}

; ---- rule 2: covered
; @write_twice: write4
define void @write_twice(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  store i32 2, ptr %p
  ret void
}
; @write_read: write4
define i32 @write_read(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  %v = load i32, ptr %p
  ret i32 %v
}
; @read_then_write_below: read4 write4
define void @read_then_write_below(ptr %p, i1 %c) sanitize_thread {
  %v = load i32, ptr %p
  br label %below
below:
  store i32 %v, ptr %p
  ret void
}
; @part_of_it: write8
define i32 @part_of_it(ptr %p) sanitize_thread {
  store i64 1, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %v = load i32, ptr %q
  ret i32 %v
}
; @more_than_it: write4 read8
define i64 @more_than_it(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  %v = load i64, ptr %p
  ret i64 %v
}
; @beside_it: write4 read4
define i32 @beside_it(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %v = load i32, ptr %q
  ret i32 %v
}
; @two_cover_one: write4 write4
define i64 @two_cover_one(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q
  %v = load i64, ptr %p
  ret i64 %v
}
; @two_with_a_gap: write4 write2 read8
define i64 @two_with_a_gap(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  store i16 1, ptr %q
  %v = load i64, ptr %p
  ret i64 %v
}
; @another_pointer: write4 write4
define void @another_pointer(ptr %p, ptr %q) sanitize_thread {
  store i32 1, ptr %p
  store i32 1, ptr %q
  ret void
}
; @both_branches: write4 write4
define void @both_branches(ptr %p, i1 %c) sanitize_thread {
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr %p
  br label %end
no:
  store i32 2, ptr %p
  br label %end
end:
  store i32 3, ptr %p
  ret void
}
; @one_branch: write4 write4
define void @one_branch(ptr %p, i1 %c) sanitize_thread {
  br i1 %c, label %yes, label %end
yes:
  store i32 1, ptr %p
  br label %end
end:
  store i32 3, ptr %p
  ret void
}
; @reads_in_one_branch: write4 read4 write4
define void @reads_in_one_branch(ptr %p, i1 %c) sanitize_thread {
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr %p
  br label %end
no:
  %v = load i32, ptr %p
  br label %end
end:
  store i32 3, ptr %p
  ret void
}
; @release_in_one_branch: write4 atomic32_store write4
define void @release_in_one_branch(ptr %p, ptr %q, i1 %c) sanitize_thread {
  store i32 1, ptr %p
  br i1 %c, label %yes, label %end
yes:
  store atomic i32 1, ptr %q release, align 4
  br label %end
end:
  store i32 3, ptr %p
  ret void
}
; @in_a_loop: write4
define void @in_a_loop(ptr %p, i32 %n) sanitize_thread {
  store i32 1, ptr %p
  br label %loop
loop:
  %i = phi i32 [0, %0], [%j, %loop]
  store i32 %i, ptr %p
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; @loop_releases: write4 write4 atomic32_store
define void @loop_releases(ptr %p, ptr %q, i32 %n) sanitize_thread {
  store i32 1, ptr %p
  br label %loop
loop:
  %i = phi i32 [0, %0], [%j, %loop]
  store i32 %i, ptr %p
  store atomic i32 1, ptr %q release, align 4
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; The pointer of the second round is another one.
; @pointer_moves: write4 write4
define void @pointer_moves(ptr %p, i32 %n) sanitize_thread {
  store i32 1, ptr %p
  br label %loop
loop:
  %i = phi i32 [0, %0], [%j, %loop]
  %q = phi ptr [%p, %0], [%r, %loop]
  store i32 %i, ptr %q
  %r = getelementptr i8, ptr %q, i64 8
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; The pointer is loaded in each round: what was known of it in the last one says nothing.
; @pointer_is_loaded: read8 write4
define void @pointer_is_loaded(ptr %p, i32 %n) sanitize_thread {
  br label %loop
loop:
  %i = phi i32 [0, %0], [%j, %end_of_round]
  %q = load ptr, ptr %p
  br label %end_of_round
end_of_round:
  store i32 %i, ptr %q
  %v = load i32, ptr %q
  %j = add i32 %i, %v
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

; ---- what ends a quiet stretch
; @over_quiet_call: write4
define void @over_quiet_call(ptr %p, ptr %q) sanitize_thread {
  store i32 1, ptr %p
  call void @quiet(ptr %q)
  store i32 2, ptr %p
  ret void
}
; @over_release_call: write4 write4
define void @over_release_call(ptr %p, ptr %q) sanitize_thread {
  store i32 1, ptr %p
  call void @calls_releases(ptr %q)
  store i32 2, ptr %p
  ret void
}
; @over_unknown_call: write4 write4
define void @over_unknown_call(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  call void @unknown()
  store i32 2, ptr %p
  ret void
}
; @over_pointer_call: write4 write4
define void @over_pointer_call(ptr %p, ptr %f) sanitize_thread {
  store i32 1, ptr %p
  call void %f()
  store i32 2, ptr %p
  ret void
}
; @over_replaceable_call: write4 write4
define void @over_replaceable_call(ptr %p, ptr %q) sanitize_thread {
  store i32 1, ptr %p
  call void @may_be_another(ptr %q)
  store i32 2, ptr %p
  ret void
}
; @over_relaxed_load: write4 atomic32_load write4
define void @over_relaxed_load(ptr %p, ptr %q) sanitize_thread {
  store i32 1, ptr %p
  %v = load atomic i32, ptr %q monotonic, align 4
  store i32 2, ptr %p
  ret void
}
; @over_modify: write4 atomic32_fetch_add write4
define void @over_modify(ptr %p, ptr %q) sanitize_thread {
  store i32 1, ptr %p
  %v = atomicrmw add ptr %q, i32 1 monotonic
  store i32 2, ptr %p
  ret void
}
; @over_fence: write4 atomic_thread_fence write4
define void @over_fence(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  fence release
  store i32 2, ptr %p
  ret void
}
; @over_signal_fence: write4 atomic_signal_fence write4
define void @over_signal_fence(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  fence syncscope("singlethread") seq_cst
  store i32 2, ptr %p
  ret void
}
; @over_volatile: write4 read4 write4
define void @over_volatile(ptr %p, ptr %q) sanitize_thread {
  store i32 1, ptr %p
  %v = load volatile i32, ptr %q
  store i32 2, ptr %p
  ret void
}
; @over_assembly: write4 write4
define void @over_assembly(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  call void asm sideeffect "", "~{memory}"()
  store i32 2, ptr %p
  ret void
}
; @over_copy: write4 memcpy
define void @over_copy(ptr %p, ptr %q, ptr %r) sanitize_thread {
  store i32 1, ptr %p
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %r, i64 100, i1 false)
  store i32 2, ptr %p
  ret void
}
; @with_setjmp: write4 write4
define void @with_setjmp(ptr %p) sanitize_thread {
  %again = call i32 @_setjmp(ptr @jump) returns_twice
  store i32 1, ptr %p
  store i32 2, ptr %p
  ret void
}
; A volatile access is always looked at.
; @volatile_twice: write4 write4
define void @volatile_twice(ptr %p) sanitize_thread {
  store volatile i32 1, ptr %p
  store volatile i32 2, ptr %p
  ret void
}
; A virtual table that is stored again may not have been recorded.
; @vptr_then_write: vptr_update write8
define void @vptr_then_write(ptr %p, ptr %t) sanitize_thread {
  store ptr %t, ptr %p, !tbaa !0
  store ptr %t, ptr %p
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"vtable pointer", !2, i64 0}
!2 = !{!"root"}
