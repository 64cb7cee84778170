#include "textflag.h"

// func dotRowsAVX2(query, rows *int8, out *int32, dims, count int)
// 32 values a step: both sides widened to 16 bits, multiplied and added in
// pairs (exact even for −128 · −128, whose pair sums to 32,768), added to two
// sums of eight; what is left of a row goes value by value.
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ query+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ out+16(FP), DX
	MOVQ dims+24(FP), CX
	MOVQ count+32(FP), BX

avx2_row:
	MOVQ  SI, R8
	MOVQ  CX, R9
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	SUBQ  $32, R9
	JLT   avx2_sum

avx2_step:
	VPMOVSXBW (R8), Y2
	VPMOVSXBW (DI), Y3
	VPMADDWD  Y2, Y3, Y2
	VPADDD    Y2, Y0, Y0
	VPMOVSXBW 16(R8), Y4
	VPMOVSXBW 16(DI), Y5
	VPMADDWD  Y4, Y5, Y4
	VPADDD    Y4, Y1, Y1
	ADDQ      $32, R8
	ADDQ      $32, DI
	SUBQ      $32, R9
	JGE       avx2_step

avx2_sum:
	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xEE, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x55, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, AX
	ADDQ         $32, R9
	JZ           avx2_store

avx2_rest:
	MOVBLSX (R8), R10
	MOVBLSX (DI), R11
	IMULL   R10, R11
	ADDL    R11, AX
	INCQ    R8
	INCQ    DI
	DECQ    R9
	JNZ     avx2_rest

avx2_store:
	MOVL AX, (DX)
	ADDQ $4, DX
	DECQ BX
	JNZ  avx2_row
	VZEROUPPER
	RET

// func dotRowsVNNI(query, rows *int8, out *int32, dims, count int, excess int32)
// 64 values a step; the last step of a row loads under a mask, and the
// query's zeros there cancel what the rows' side holds.
TEXT ·dotRowsVNNI(SB), NOSPLIT, $0-44
	MOVQ query+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ out+16(FP), DX
	MOVQ dims+24(FP), R12
	MOVQ count+32(FP), BX
	MOVL excess+40(FP), R13

	MOVL         $0x80808080, AX
	VPBROADCASTD AX, Z31

	MOVQ  R12, CX
	ANDQ  $63, CX        // values of the last, partial step
	MOVQ  $1, R11
	SHLQ  CX, R11
	DECQ  R11
	KMOVQ R11, K1
	SHRQ  $6, R12        // whole steps

vnni_row:
	MOVQ   SI, R8
	MOVQ   R12, R9
	VPXORD Z0, Z0, Z0
	TESTQ  R9, R9
	JZ     vnni_rest

vnni_step:
	VPXORD   (DI), Z31, Z1
	VPDPBUSD (R8), Z1, Z0
	ADDQ     $64, R8
	ADDQ     $64, DI
	DECQ     R9
	JNZ      vnni_step

vnni_rest:
	TESTQ       CX, CX
	JZ          vnni_sum
	VMOVDQU8.Z  (DI), K1, Z1
	VMOVDQU8.Z  (R8), K1, Z2
	VPXORD      Z1, Z31, Z1
	VPDPBUSD    Z2, Z1, Z0
	ADDQ        CX, DI

vnni_sum:
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD        Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VPSHUFD       $0xEE, X0, X1
	VPADDD        X1, X0, X0
	VPSHUFD       $0x55, X0, X1
	VPADDD        X1, X0, X0
	VMOVD         X0, AX
	SUBL          R13, AX
	MOVL          AX, (DX)
	ADDQ          $4, DX
	DECQ          BX
	JNZ           vnni_row
	VZEROUPPER
	RET
