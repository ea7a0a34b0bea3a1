; What is looked at and how, and what is left out (src/pass/access.h).
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@constant = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@variable = global [4 x i32] zeroinitializer
declare void @take(ptr)
declare void @take_nothing()
declare void @take_copy(ptr byval([3 x i64]))

; @sizes: read1 read2 read4 read8 read16 read_range(3) read_range(10) read_range(32)
define void @sizes(ptr %p) sanitize_thread {
  %a = load i8, ptr %p
  %p1 = getelementptr i8, ptr %p, i64 16
  %b = load i16, ptr %p1
  %p2 = getelementptr i8, ptr %p, i64 32
  %c = load i32, ptr %p2
  %p3 = getelementptr i8, ptr %p, i64 48
  %d = load double, ptr %p3
  %p4 = getelementptr i8, ptr %p, i64 64
  %e = load <4 x i32>, ptr %p4
  %p5 = getelementptr i8, ptr %p, i64 128
  %f = load i24, ptr %p5
  %p6 = getelementptr i8, ptr %p, i64 256
  %g = load x86_fp80, ptr %p6
  %p7 = getelementptr i8, ptr %p, i64 512
  %h = load <8 x float>, ptr %p7
  ret void
}
; @unaligned: unaligned_write4 unaligned_write8
define void @unaligned(ptr %p) sanitize_thread {
  store i32 1, ptr %p, align 1
  %q = getelementptr i8, ptr %p, i64 64
  store i64 1, ptr %q, align 4
  ret void
}
; @lanes: read_masked write_masked read_gathered write_gathered read_range write_range
define void @lanes(ptr %p, <4 x i1> %m, <4 x i32> %v, <4 x ptr> %a) sanitize_thread {
  %x = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> %m, <4 x i32> %v)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %x, ptr %p, i32 4, <4 x i1> %m)
  %y = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %a, i32 4, <4 x i1> %m, <4 x i32> %v)
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %y, <4 x ptr> %a, i32 4, <4 x i1> %m)
  %z = call <4 x i32> @llvm.masked.expandload.v4i32(ptr %p, <4 x i1> %m, <4 x i32> %v)
  call void @llvm.masked.compressstore.v4i32(<4 x i32> %z, ptr %p, <4 x i1> %m)
  ret void
}

; The processor's own, with as many lanes as have both an index and a mask.
; @gathers: read_gathered read_gathered read_gathered write_gathered
define void @gathers(ptr %p, <8 x i32> %i, <4 x i64> %l, <4 x i32> %f, <8 x i32> %m, <4 x float> %v, <2 x double> %d, <8 x i1> %b) sanitize_thread {
  %x = call <8 x i32> @llvm.x86.avx2.gather.d.d.256(<8 x i32> zeroinitializer, ptr %p, <8 x i32> %i, <8 x i32> %m, i8 4)
  %y = call <4 x float> @llvm.x86.avx2.gather.q.ps.256(<4 x float> %v, ptr %p, <4 x i64> %l, <4 x float> %v, i8 4)
  %z = call <2 x double> @llvm.x86.avx2.gather.d.pd(<2 x double> %d, ptr %p, <4 x i32> %f, <2 x double> %d, i8 8)
  call void @llvm.x86.avx512.mask.scattersiv8.si(ptr %p, <8 x i1> %b, <8 x i32> %i, <8 x i32> %x, i32 4)
  ret void
}
declare <8 x i32> @llvm.x86.avx2.gather.d.d.256(<8 x i32>, ptr, <8 x i32>, <8 x i32>, i8)
declare <4 x float> @llvm.x86.avx2.gather.q.ps.256(<4 x float>, ptr, <4 x i64>, <4 x float>, i8)
declare <2 x double> @llvm.x86.avx2.gather.d.pd(<2 x double>, ptr, <4 x i32>, <2 x double>, i8)
declare void @llvm.x86.avx512.mask.scattersiv8.si(ptr, <8 x i1>, <8 x i32>, <8 x i32>, i32)
; @copies: memcpy memmove memset
define void @copies(ptr %p, ptr %q) sanitize_thread {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 100, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 100, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 100, i1 false)
  ret void
}
; @by_value: read_range(24)
define void @by_value(ptr %p) sanitize_thread {
  call void @take_copy(ptr byval([3 x i64]) %p)
  ret void
}
; @own_copy:
define i64 @own_copy(ptr byval([3 x i64]) %p) sanitize_thread {
  %v = load i64, ptr %p
  ret i64 %v
}
; @own_copy_escapes: read8
define i64 @own_copy_escapes(ptr byval([3 x i64]) %p) sanitize_thread {
  call void @take(ptr %p)
  %v = load i64, ptr %p
  ret i64 %v
}
; @arguments: write_range(24) read_range(24) write_range(24)
define void @arguments(ptr %l, ptr %m, ...) sanitize_thread {
  call void @llvm.va_start(ptr %l)
  call void @llvm.va_copy(ptr %m, ptr %l)
  ret void
}
; @local:
define i32 @local() sanitize_thread {
  %l = alloca [4 x i32]
  store i32 1, ptr %l
  %v = load i32, ptr %l
  ret i32 %v
}
; An element of an array whose beginning escapes is shared.
; @local_escapes: write4
define void @local_escapes() sanitize_thread {
  %l = alloca [4 x i32]
  call void @take(ptr %l)
  %e = getelementptr [4 x i32], ptr %l, i64 0, i64 2
  store i32 1, ptr %e
  ret void
}
; @local_by_choice: write4
define void @local_by_choice(i1 %c) sanitize_thread {
  %l = alloca [4 x i32]
  call void @take(ptr %l)
  %e = getelementptr [4 x i32], ptr %l, i64 0, i64 2
  %f = getelementptr [4 x i32], ptr %l, i64 0, i64 3
  %w = select i1 %c, ptr %e, ptr %f
  store i32 1, ptr %w
  ret void
}
; Before it escapes, too: a relaxed store may publish it, and that orders nothing.
; @local_will_escape: write4
define void @local_will_escape() sanitize_thread {
  %l = alloca [4 x i32]
  %e = getelementptr [4 x i32], ptr %l, i64 0, i64 2
  store i32 1, ptr %e
  call void @take(ptr %l)
  ret void
}
; @globals: read4
define i32 @globals(i64 %i) sanitize_thread {
  %p = getelementptr [4 x i32], ptr @constant, i64 0, i64 %i
  %a = load i32, ptr %p
  %q = getelementptr [4 x i32], ptr @variable, i64 0, i64 %i
  %b = load i32, ptr %q
  %c = add i32 %a, %b
  ret i32 %c
}
; @virtual_call: vptr_read
define ptr @virtual_call(ptr %p) sanitize_thread {
  %t = load ptr, ptr %p, !tbaa !0
  %s = getelementptr ptr, ptr %t, i64 2
  %f = load ptr, ptr %s
  ret ptr %f
}
; @virtual_tables: vptr_update vptr_update
define void @virtual_tables(ptr %p, <2 x ptr> %t) sanitize_thread {
  store <2 x ptr> %t, ptr %p, !tbaa !0
  ret void
}
; @atomics: atomic8_load atomic16_store atomic32_fetch_add atomic64_exchange atomic64_compare_exchange_val atomic128_load atomic32_compare_exchange_val atomic64_compare_exchange_val atomic_thread_fence
define void @atomics(ptr %p) sanitize_thread {
  %a = load atomic i8, ptr %p acquire, align 1
  store atomic i16 1, ptr %p release, align 2
  %b = atomicrmw add ptr %p, i32 1 seq_cst
  %c = atomicrmw xchg ptr %p, ptr null seq_cst
  %d = cmpxchg ptr %p, i64 1, i64 2 acq_rel monotonic
  %e = load atomic i128, ptr %p monotonic, align 16
  %f = atomicrmw umax ptr %p, i32 7 monotonic
  %g = atomicrmw fadd ptr %p, double 1.0 monotonic
  fence seq_cst
  ret void
}
; Not to be watched: its atomic operations order threads all the same.
; @not_watched: atomic32_load
define i32 @not_watched(ptr %p) {
  store i32 1, ptr %p
  %v = load atomic i32, ptr %p acquire, align 4
  ret i32 %v
}
; @not_at_all:
define i32 @not_at_all(ptr %p) sanitize_thread disable_sanitizer_instrumentation {
  store i32 1, ptr %p
  %v = load atomic i32, ptr %p acquire, align 4
  ret i32 %v
}
; The dynamic linker calls it before it can call us.
; @chooses:
define ptr @chooses() sanitize_thread {
  %v = load i32, ptr @variable
  store i32 1, ptr @variable
  ret ptr @not_at_all
}
@chosen = ifunc i32 (ptr), ptr @chooses
; @other_tools: write4
define void @other_tools(ptr %p) sanitize_thread {
  store i32 1, ptr %p, !nosanitize !3
  %q = getelementptr i8, ptr %p, i64 8
  store i32 1, ptr %q
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"vtable pointer", !2, i64 0}
!2 = !{!"root"}
!3 = !{}
