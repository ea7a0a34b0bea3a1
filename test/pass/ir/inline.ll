; Checks in line (src/pass/inline.h): what is left of calls are misses.
; PARTS inline,covered
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @other()
@counter = global i32 0

; A function without calls has no frame but where it misses.
; @alone: read4_leaf write8_leaf
define void @alone(ptr %p, ptr %q) sanitize_thread {
  %x = load i32, ptr %p, align 4
  store i64 1, ptr %q, align 8
  ret void
}

; With a call it has one, in line: only if there is no room the run time is asked.
; @caller: func_entry write4
define void @caller(ptr %p) sanitize_thread {
  store i32 1, ptr %p, align 4
  call void @other()
  ret void
}

; A local may be seen by others, who ask the shadow stack whose it is.
; @local: func_entry write8 write4
define void @local(ptr %p) sanitize_thread {
  %x = alloca i32, align 4
  store ptr %x, ptr %p, align 8
  store i32 1, ptr %x, align 4
  ret void
}

; Nothing is called and nothing can miss: no frame.
; @nothing:
define i32 @nothing(i32 %x) sanitize_thread {
  ret i32 %x
}

; Odd sizes and lanes are calls.
; @odd: func_entry write_range(10)
define void @odd(ptr %p) sanitize_thread {
  store i80 1, ptr %p, align 16
  ret void
}

; Not aligned, or not surely: the same entry sorts it out.
; @packed: read8_leaf
define i64 @packed(ptr %p) sanitize_thread {
  %x = load i64, ptr %p, align 1
  ret i64 %x
}

; The pointer to a virtual table: a report says so.
; @virtual: func_entry vptr_read
define void @virtual(ptr %p) sanitize_thread {
  %table = load ptr, ptr %p, align 8, !tbaa !0
  %f = load ptr, ptr %table, align 8
  call void %f(ptr %p)
  ret void
}

; Atomic operations stay calls.
; @atomic: func_entry write4 atomic32_store
define void @atomic(ptr %p) sanitize_thread {
  store i32 1, ptr @counter, align 4
  store atomic i32 1, ptr %p release, align 4
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"vtable pointer", !2}
!2 = !{!"Simple C++ TBAA"}
