// SPDX-License-Identifier: Apache-2.0
#include "db/compressed.h"

#include <fmt/core.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "db/error.h"

namespace culprit {
namespace {

constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";
constexpr std::string_view kGzipMagic = "\x1f\x8b\x08";
constexpr int kGzipWindow = 15 + 16;  // the largest, in zlib's way to ask for gzip
constexpr int kSmallest = 19;         // zstd's highest level without --ultra
constexpr int kFast = 1;              // exports become no smaller up to level 6
constexpr int kMostWindowLog = 27;    // 128 MB, the default limit of `zstd -d`

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

constexpr const char* kDoing = "decompress it";

[[noreturn]] void TooLarge(std::size_t most) { throw Error(fmt::format("it holds more than {} MB", most >> 20)); }

// zlib counts bytes with 32 bits.
uInt Part(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max() / 2));
}

Bytef* BytesOf(const char* text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text)); }

struct Inflation : z_stream {
  Inflation() : z_stream() {
    if (inflateInit2(this, kGzipWindow) != Z_OK) throw Error("cannot decompress it: there is no memory");
  }
  ~Inflation() { inflateEnd(this); }
  Inflation(const Inflation&) = delete;
};

std::string Gunzipped(std::string_view bytes, std::size_t most) {
  constexpr std::size_t kLeast = 64 << 10;
  Inflation stream;
  std::string text;
  std::size_t read = 0;
  int state = Z_OK;
  while (state != Z_STREAM_END || read < bytes.size()) {
    // What follows a member and is no member is padding, as of a tape.
    if (state == Z_STREAM_END && !bytes.substr(read).starts_with(kGzipMagic)) break;
    if (state == Z_STREAM_END) inflateReset(&stream);
    const std::size_t have = text.size();
    text.resize(std::min(most + 1, have + std::max(have, kLeast)));
    stream.next_in = BytesOf(bytes.data() + read);
    stream.avail_in = Part(bytes.size() - read);
    stream.next_out = BytesOf(text.data() + have);
    stream.avail_out = Part(text.size() - have);
    const uInt in = stream.avail_in, out = stream.avail_out;
    state = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    text.resize(have + (out - stream.avail_out));
    if (text.size() > most) TooLarge(most);
    if (state == Z_BUF_ERROR || (state == Z_OK && read == bytes.size() && stream.avail_out > 0))
      throw Error("cannot decompress it: its end is missing");
    if (state != Z_OK && state != Z_STREAM_END)
      throw Error(fmt::format("cannot {}: {}", kDoing, stream.msg != nullptr ? stream.msg : "it is damaged"));
  }
  return text;
}

}  // namespace

bool IsCompressed(std::string_view bytes) { return bytes.starts_with(kMagic) || bytes.starts_with(kGzipMagic); }

std::string Gzipped(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("cannot compress: there is no memory");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, deflateEnd);
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  stream.next_in = BytesOf(text.data());
  stream.avail_in = Part(text.size());
  stream.next_out = BytesOf(bytes.data());
  stream.avail_out = Part(bytes.size());
  if (stream.avail_in != text.size() || deflate(&stream, Z_FINISH) != Z_STREAM_END)
    throw Error("cannot compress: it is too large");
  bytes.resize(bytes.size() - stream.avail_out);
  return bytes;
}

std::string Compressed(std::string_view text, Effort effort) {
  const std::unique_ptr<ZSTD_CCtx, FreeCompression> context(ZSTD_createCCtx());
  Checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, effort == Effort::kFast ? kFast : kSmallest),
          "compress");
  Checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1), "compress");
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(
      Checked(ZSTD_compress2(context.get(), bytes.data(), bytes.size(), text.data(), text.size()), "compress"));
  return bytes;
}

std::string Decompressed(std::string_view bytes, std::size_t most) {
  if (bytes.starts_with(kGzipMagic)) return Gunzipped(bytes, most);
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
    if (text.size() > most) TooLarge(most);
  }
  if (wanted != 0) throw Error("cannot decompress it: its end is missing");
  return text;
}

}  // namespace culprit
