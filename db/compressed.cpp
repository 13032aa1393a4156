// SPDX-License-Identifier: Apache-2.0
#include "db/compressed.h"

#include <fmt/core.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "db/error.h"

namespace culprit {
namespace {

constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";
constexpr int kLevel = 19;          // zstd's highest level without --ultra
constexpr int kMostWindowLog = 27;  // 128 MB, the default limit of `zstd -d`

struct FreeCompression {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeDecompression {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

std::size_t Checked(std::size_t result, const char* doing) {
  if (ZSTD_isError(result)) throw Error(fmt::format("cannot {}: {}", doing, ZSTD_getErrorName(result)));
  return result;
}

}  // namespace

bool IsCompressed(std::string_view bytes) { return bytes.starts_with(kMagic); }

std::string Compressed(std::string_view text) {
  const std::unique_ptr<ZSTD_CCtx, FreeCompression> context(ZSTD_createCCtx());
  Checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel), "compress");
  Checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1), "compress");
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(
      Checked(ZSTD_compress2(context.get(), bytes.data(), bytes.size(), text.data(), text.size()), "compress"));
  return bytes;
}

std::string Decompressed(std::string_view bytes, std::size_t most) {
  constexpr const char* kDoing = "decompress it";
  const std::unique_ptr<ZSTD_DCtx, FreeDecompression> context(ZSTD_createDCtx());
  Checked(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMostWindowLog), kDoing);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::string text;
  std::size_t wanted = 1;  // 0: a frame is complete
  for (bool full = false; in.pos < in.size || full;) {
    const std::size_t have = text.size();
    text.resize(std::min(most + 1, have + std::max(have, ZSTD_DStreamOutSize())));
    ZSTD_outBuffer out{text.data(), text.size(), have};
    wanted = Checked(ZSTD_decompressStream(context.get(), &out, &in), kDoing);
    full = out.pos == out.size;
    text.resize(out.pos);
    if (text.size() > most) throw Error(fmt::format("it holds more than {} MB", most >> 20));
  }
  if (wanted != 0) throw Error("cannot decompress it: its end is missing");
  return text;
}

}  // namespace culprit
