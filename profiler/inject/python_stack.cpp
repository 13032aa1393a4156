// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/python_stack.h"

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "profiler/inject/python_layout.h"

namespace culprit {
namespace {

using Address = std::uint64_t;

// A model of a few hundred layers within layers is not as deep.
constexpr int kMostWalked = 256;
// Longer names of files and functions are none, and neither are offsets in objects and instructions of a function.
constexpr std::uint64_t kLongest = 4096, kFarthest = 4096, kMostInstructions = std::uint64_t{1} << 24;

// Files of Python and of its packages, and of code that PyTorch compiles from the user's.
constexpr std::array<std::string_view, 4> kInPackages = {"/site-packages/", "/dist-packages/", "/lib/python3",
                                                         "/torchinductor_"};
constexpr std::array<std::string_view, 2> kGenerated = {"<frozen ", "<eval_with_key>"};

// Reads memory of this process with the kernel's help, so that a wrong address is an error and no crash.
struct Field {
  Address at;
  void* into;
  std::size_t size;
};
bool Read(std::initializer_list<Field> fields) {
  constexpr std::size_t kMostFields = 4;
  std::array<iovec, kMostFields> here, there;
  std::size_t n = 0, size = 0;
  for (const Field& field : fields) {
    here.at(n) = {field.into, field.size};
    there.at(n++) = {reinterpret_cast<void*>(field.at), field.size};
    size += field.size;
  }
  return process_vm_readv(getpid(), here.data(), n, there.data(), n, 0) == static_cast<ssize_t>(size);
}
template <class Value>
Field Into(Address at, Value& value) {
  return {at, &value, sizeof value};
}

// What Python exports. Libraries that the program loaded for itself are not searched.
template <class Pointer>
Pointer Find(const char* name) {
  return reinterpret_cast<Pointer>(dlsym(RTLD_DEFAULT, name));
}

std::optional<int> MinorVersion() {
  constexpr std::string_view kMajor = "3.";
  const auto version = Find<const char* (*)()>("Py_GetVersion");
  if (version == nullptr) return std::nullopt;
  const std::string_view text = version();
  int minor = 0;
  if (!text.starts_with(kMajor) ||
      std::from_chars(text.data() + kMajor.size(), text.data() + text.size(), minor).ec != std::errc())
    return std::nullopt;
  return minor;
}

// None: Python publishes none of this version, or of a build whose objects look otherwise.
std::optional<PythonLayout> ReadPublished(const PublishedLayout& at) {
  const auto runtime = reinterpret_cast<Address>(Find<void*>("_PyRuntime"));
  std::array<char, sizeof kPublishedCookie - 1> cookie;
  std::uint64_t version = 0, without_lock = 1;
  if (runtime == 0 ||
      !Read({Into(runtime, cookie), Into(runtime + kPublishedVersion, version),
             Into(runtime + kPublishedWithoutLock, without_lock)}) ||
      std::string_view(cookie.data(), cookie.size()) != kPublishedCookie || without_lock != 0 ||
      static_cast<int>(version >> 16 & 0xff) != at.minor)
    return std::nullopt;
  PythonLayout layout{.minor = at.minor, .owner = 0, .ascii_header = kPublishedAsciiHeader};
  for (const auto& [where, into] : {std::pair(at.thread_frame, &layout.thread_frame),
                                    {at.previous, &layout.previous},
                                    {at.code, &layout.code},
                                    {at.instruction, &layout.instruction},
                                    {at.owner, &*layout.owner},
                                    {at.file, &layout.file},
                                    {at.name, &layout.name},
                                    {at.instructions, &layout.instructions}}) {
    std::uint64_t offset = 0;
    if (!Read({Into(runtime + where, offset)}) || offset > kFarthest) return std::nullopt;
    *into = offset;
  }
  return layout;
}

std::optional<PythonLayout> LayoutOf(int minor) {
  if (const auto known = std::ranges::find(kPythonLayouts, minor, &PythonLayout::minor); known != kPythonLayouts.end())
    return *known;
  const auto published = std::ranges::find(kPublishedLayouts, minor, &PublishedLayout::minor);
  return published == kPublishedLayouts.end() ? std::nullopt : ReadPublished(*published);
}

class Reader : public PythonStack {
 public:
  explicit Reader(const PythonLayout& layout) : layout_(layout) {}

  bool HasAll() const {
    return is_initialized_ != nullptr && thread_state_ != nullptr && line_of_ != nullptr && code_type_ != 0 &&
           text_type_ != 0;
  }

  std::vector<PythonFrame> Frames() const override {
    // While Python ends, it frees the states of threads that still run.
    if (is_initialized_() == 0) return {};
    const auto thread = reinterpret_cast<Address>(thread_state_());
    Address frame = 0;
    if (thread == 0 || !Read({Into(thread + layout_.thread_frame, frame)})) return {};
    if (layout_.holder_frame && (frame == 0 || !Read({Into(frame + *layout_.holder_frame, frame)}))) return {};
    std::vector<PythonFrame> frames;
    std::optional<PythonFrame> innermost;
    for (int walked = 0; frame != 0 && walked < kMostWalked && frames.size() < kMost; ++walked) {
      const std::optional<Executed> executed = ExecutedBy(frame);
      if (!executed) return {};
      if (executed->code != 0) {
        std::string file;
        const Code code = CodeAt(executed->code);
        if (!code.is_known || !ReadText(code.file, file)) return {};
        if (const bool is_of_package = IsOfPackage(file); !is_of_package || !innermost) {
          std::optional<PythonFrame> read = FrameOf(*executed, code, std::move(file));
          if (!read) return {};
          const bool has_line = read->line > 0;
          if (has_line && !innermost) innermost = *read;
          if (has_line && !is_of_package) frames.push_back(*std::move(read));
        }
      }
      frame = executed->previous;
    }
    if (frames.empty() && innermost) frames.push_back(*std::move(innermost));
    return frames;
  }

 private:
  struct Executed {
    Address previous;  // frame; 0: none
    Address code;      // 0: the frame is of no Python code
    Address instruction;
  };
  std::optional<Executed> ExecutedBy(Address frame) const {
    Executed of{};
    std::uint8_t owner = 0;
    const std::size_t size = layout_.executing == Executing::kPointer ? sizeof of.instruction : sizeof(std::int32_t);
    if (!Read({Into(frame + layout_.previous, of.previous),
               Into(frame + layout_.code, of.code),
               {frame + layout_.instruction, &of.instruction, size},
               Into(frame + layout_.owner.value_or(layout_.code), owner)}))
      return std::nullopt;
    constexpr Address kTag = 3;  // of references, from 3.14 on
    of.code &= ~kTag;
    if (layout_.owner && owner >= kNotOfPython)
      of.code = 0;
    else if (of.code == 0)
      return std::nullopt;
    return of;
  }

  struct Code {
    bool is_known;
    Address file, name;
    std::uint64_t units;
  };
  Code CodeAt(Address at) const {
    Code code{};
    Address type = 0;
    code.is_known = Read({Into(at + kTypeOfObject, type), Into(at + layout_.file, code.file),
                          Into(at + layout_.name, code.name), Into(at + kUnitsOfCode, code.units)}) &&
                    type == code_type_;
    return code;
  }

  // None: it executes nothing of this code.
  std::optional<PythonFrame> FrameOf(const Executed& of, const Code& code, std::string file) const {
    constexpr std::uint64_t kUnit = 2;  // bytes
    std::uint64_t offset = of.instruction;
    if (layout_.executing == Executing::kUnit) offset *= kUnit;
    if (layout_.executing == Executing::kPointer) {
      offset -= of.code + layout_.instructions;
      if (offset >= kUnit * code.units) return std::nullopt;
    }
    PythonFrame frame;
    frame.file = std::move(file);
    if (offset >= kMostInstructions || !ReadText(code.name, frame.function)) return std::nullopt;
    // Reads a table that the code has had since it was made, or that of a debugger, which another thread may be making
    // just then. Not positive: the instruction is of no line.
    frame.line = line_of_(reinterpret_cast<void*>(of.code), static_cast<int>(offset));
    return frame;
  }

  bool ReadText(Address at, std::string& text) const {
    Address type = 0;
    std::uint64_t length = 0;
    std::uint32_t state = 0;
    if (!Read({Into(at + kTypeOfObject, type), Into(at + kLengthOfText, length), Into(at + kStateOfText, state)}) ||
        type != text_type_ || (state & kCompactAscii) != kCompactAscii || length == 0 || length > kLongest)
      return false;
    text.resize(length);
    const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
    return Read({{at + layout_.ascii_header, text.data(), length}}) && std::ranges::all_of(text, is_printable);
  }

  const PythonLayout layout_;
  int (*const is_initialized_)() = Find<int (*)()>("Py_IsInitialized");
  void* (*const thread_state_)() = Find<void* (*)()>("PyGILState_GetThisThreadState");
  int (*const line_of_)(void*, int) = Find<int (*)(void*, int)>("PyCode_Addr2Line");
  const Address code_type_ = reinterpret_cast<Address>(Find<void*>("PyCode_Type"));
  const Address text_type_ = reinterpret_cast<Address>(Find<void*>("PyUnicode_Type"));
};

}  // namespace

bool IsOfPackage(std::string_view file) {
  return std::ranges::any_of(kInPackages, [&](std::string_view part) { return file.find(part) != file.npos; }) ||
         std::ranges::any_of(kGenerated, [&](std::string_view begin) { return file.starts_with(begin); });
}

std::unique_ptr<PythonStack> PythonStack::OfThisProcess() {
  const std::optional<int> minor = MinorVersion();
  if (!minor) return nullptr;
  const std::optional<PythonLayout> layout = LayoutOf(*minor);
  if (!layout) return nullptr;
  auto reader = std::make_unique<Reader>(*layout);
  return reader->HasAll() ? std::move(reader) : nullptr;
}

}  // namespace culprit
