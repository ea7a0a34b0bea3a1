// However long a report is, its text and its line in the record are whole, and so are those of the next one.
// EXPECT race
// LEVELS 0
// OPTIONS record_path=@TMP@/record
// COMMAND rm -f record; @PROGRAM@; s=$?; grep '"type":"race"' record | awk '!/^{"tool".*}}$/ { b = 1 } END { exit b || NR != 2 }' && exit $s
// HAS ^    #240 a_function_with_a_long_name
#include "order.h"
#define LONG \
  a_function_with_a_long_name_and_100_and_101_and_102_and_103_and_104_and_105_and_106_and_107_and_108_and_109_and_110_and_111_and_112_and_113_and_114_and_115_and_116_and_117_and_118_and_119_and_120_and_121_and_122_and_123_and_124_and_125_and_126_and_127_and_128_and_129_and_130_and_131_and_132_and_133_and_134_and_135_and_136_and_137_and_138_and_139_and_140_and_141_and_142_and_143_and_144_and_145_and_146_and_147_and_148_and_149_and_150_and_151_and_152_and_153_and_154_and_155_and_156_and_157_and_158_and_159_and_160_and_161_and_162_and_163_and_164_and_165_and_166_and_167_and_168_and_169_and_170_and_171_and_172_and_173_and_174_and_175_and_176_and_177_and_178_and_179_and_180_and_181_and_182_and_183_and_184_and_185_and_186_and_187_and_188_and_189_and_190_and_191_and_192_and_193_and_194_and_195_and_196_and_197_and_198_and_199_and_200_and_201_and_202_and_203_and_204_and_205_and_206_and_207_and_208_and_209_and_210_and_211_and_212_and_213_and_214_and_215_and_216_and_217_and_218_and_219_and_220_and_221_and_222_and_223_and_224_and_225_and_226_and_227_and_228_and_229_and_230_and_231_and_232_and_233_and_234_and_235_and_236_and_237_and_238_and_239_and_240_and_241_and_242_and_243_and_244_and_245_and_246_and_247_and_248_and_249
int x, y;
static void touch(int turn) {
  if (turn == 1) {
    x = 1;  // race a
    y = 1;  // race b
  } else {
    x = 2;  // race a
  }
}
void LONG(int depth, int turn) {
  if (depth == 0)
    touch(turn);
  else
    LONG(depth - 1, turn);
  USE(depth);
}
static void first(void) {
  LONG(245, 1);
  reach(1);
}
static void second(void) {
  await(1);
  LONG(245, 2);
  y = 2;  // race b
}
int main(void) { RUN(first, second); }
