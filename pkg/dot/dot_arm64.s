#include "textflag.h"

// The assembler does not know SDOT Vd.4S, Vn.16B, Vm.16B, which is
// 0x4E809400 | m<<16 | n<<5 | d.
#define SDOT_V4_V2_V0 WORD $0x4E849440
#define SDOT_V5_V3_V1 WORD $0x4E859461

// func dotRowsSDOT(query, rows *int8, out *int32, dims, count int)
// 32 values a step into two sums of four; what is left of a row goes value by
// value.
TEXT ·dotRowsSDOT(SB), NOSPLIT, $0-40
	MOVD query+0(FP), R0
	MOVD rows+8(FP), R1
	MOVD out+16(FP), R2
	MOVD dims+24(FP), R3
	MOVD count+32(FP), R4

row:
	MOVD R0, R5
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	SUBS $32, R3, R6
	BLT  sum

step:
	VLD1.P 32(R5), [V2.B16, V3.B16]
	VLD1.P 32(R1), [V4.B16, V5.B16]
	SDOT_V4_V2_V0
	SDOT_V5_V3_V1
	SUBS   $32, R6, R6
	BGE    step

sum:
	VADD  V1.S4, V0.S4, V0.S4
	VADDV V0.S4, V0
	FMOVS F0, R7
	ADDS  $32, R6, R6
	BEQ   store

rest:
	MOVB.P 1(R5), R8
	MOVB.P 1(R1), R9
	MADDW  R9, R7, R8, R7
	SUBS   $1, R6, R6
	BNE    rest

store:
	MOVW.P R7, 4(R2)
	SUBS   $1, R4, R4
	BNE    row
	RET
