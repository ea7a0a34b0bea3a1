; Loops that are checked by sweeps, and twins that must keep their single checks (src/pass/loops.h).
; A loop by sweeps has the sweep, and the single check for short ones; what is left in the loop itself follows.
; PASSES deadheat-loops,deadheat
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @unknown()

; @fill: sweep_write4 write4
define void @fill(ptr %p, i64 %n) sanitize_thread {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %start, label %end
start:
  br label %loop
loop:
  %i = phi i64 [0, %start], [%j, %loop]
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %q
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; Downwards, and by bytes.
; @downwards: sweep_read1 read1
define i8 @downwards(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [1000, %entry], [%j, %loop]
  %s = phi i8 [0, %entry], [%t, %loop]
  %q = getelementptr i8, ptr %p, i64 %i
  %v = load i8, ptr %q
  %t = add i8 %s, %v
  %j = add nsw i64 %i, -1
  %c = icmp ne i64 %j, 0
  br i1 %c, label %loop, label %end
end:
  ret i8 %t
}
; A read before a write of the same element is the write's.
; @increment: sweep_write4 write4
define void @increment(ptr %p, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %q = getelementptr i32, ptr %p, i64 %i
  %v = load i32, ptr %q
  %w = add i32 %v, 1
  store i32 %w, ptr %q
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; @copy: sweep_read4 sweep_write4 read4 write4
define void @copy(ptr %p, ptr %r, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %q = getelementptr i32, ptr %p, i64 %i
  %v = load i32, ptr %q
  %s = getelementptr i32, ptr %r, i64 %i
  store i32 %v, ptr %s
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; A place that does not move is a sweep of one element.
; @sum_into: sweep_read4 sweep_write4 read4 write4
define void @sum_into(ptr %p, ptr %to, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %q = getelementptr i32, ptr %p, i64 %i
  %v = load i32, ptr %q
  store i32 %v, ptr %to
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

; Bytes between the elements are not accessed.
; @with_gaps: sweep_write4 write4
define void @with_gaps(ptr %p, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %q = getelementptr i64, ptr %p, i64 %i
  store i32 1, ptr %q
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; Fields of structs, side by side.
; @fields: sweep_write4 sweep_read8 write4 read8
define void @fields(ptr %p, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %x = getelementptr { i32, i32, i64 }, ptr %p, i64 %i
  store i32 1, ptr %x
  %y = getelementptr { i32, i32, i64 }, ptr %p, i64 %i, i32 2
  %v = load i64, ptr %y
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; ---- not by sweeps
; It may end before all was accessed.
; @search: read4
define void @search(ptr %p, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %next]
  %q = getelementptr i32, ptr %p, i64 %i
  %v = load i32, ptr %q
  %found = icmp eq i32 %v, 7
  br i1 %found, label %end, label %next
next:
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; Not in every round.
; @sometimes: write4
define void @sometimes(ptr %p, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %next]
  %odd = trunc i64 %i to i1
  br i1 %odd, label %do, label %next
do:
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %q
  br label %next
next:
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; @calls: write4
define void @calls(ptr %p, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %q
  call void @unknown()
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; @releases: write4 atomic32_store
define void @releases(ptr %p, ptr %f, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %q
  store atomic i32 1, ptr %f release, align 4
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; @waits: write4 read4
define void @waits(ptr %p, ptr %f, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %q
  %v = load volatile i32, ptr %f
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; An element has bytes of the one before: which of them raced could not be said of a sweep.
; @windows: unaligned_read4
define void @windows(ptr %p, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %q = getelementptr i8, ptr %p, i64 %i
  %v = load i32, ptr %q, align 1
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; The address is not a sum.
; @indirect: read4 write4
define void @indirect(ptr %p, ptr %t, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %q = getelementptr i32, ptr %t, i64 %i
  %k = load i32, ptr %q
  %r = getelementptr i32, ptr %p, i32 %k
  store i32 1, ptr %r
  %j = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
; The number of rounds is known only when they are over.
; @until_zero: write4
define void @until_zero(ptr %p, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %x = phi i64 [%n, %entry], [%y, %loop]
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %q
  %j = add nuw nsw i64 %i, 1
  %y0 = mul i64 %x, %x
  %y = add i64 %y0, 3
  %c = icmp ne i64 %y, 0
  br i1 %c, label %loop, label %end
end:
  ret void
}
