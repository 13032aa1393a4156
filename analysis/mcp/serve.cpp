// SPDX-License-Identifier: Apache-2.0
#include "analysis/mcp/serve.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <deque>
#include <utility>

#include "db/open_file.h"

namespace culprit::mcp {
namespace {

volatile std::sig_atomic_t signalled = 0;
int wake = -1;  // readable after a signal

// While it lives, SIGTERM and SIGINT end Serve.
class Signals {
 public:
  Signals() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    signalled = 0;
    wake = wake_.get();
    struct sigaction action {};
    action.sa_handler = [](int) {
      const int before = errno;
      signalled = 1;
      const std::uint64_t one = 1;
      [[maybe_unused]] const ssize_t written = write(wake, &one, sizeof one);
      errno = before;
    };
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~Signals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    wake = -1;
  }
  Signals(const Signals&) = delete;

  // Waits for input, at most `wait_ms` (-1: as long as it takes). False if there is none, or after a signal.
  bool CanRead(int in, int wait_ms) const {
    std::array<pollfd, 2> watched{pollfd{in, POLLIN, 0}, pollfd{wake_.get(), POLLIN, 0}};
    return poll(watched.data(), watched.size(), wait_ms) > 0 && signalled == 0 && watched[0].revents != 0;
  }

 private:
  static constexpr std::array kSignals{SIGTERM, SIGINT};
  OpenFile wake_;
  std::array<struct sigaction, kSignals.size()> before_{};
};

// Complete lines of the input. Of a line that is too long it keeps no more than shows that.
class Inbox {
 public:
  explicit Inbox(int in) : in_(in) {}

  // One read, which waits if there is nothing to read.
  void Read() {
    std::array<char, 65'536> buffer;
    const ssize_t got = read(in_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
      is_at_end_ = true;
      if (!last_.empty()) EndLine();
      return;
    }
    std::string_view text(buffer.data(), static_cast<std::size_t>(got));
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      last_.append(text.substr(0, std::min(end, kMostBytesOfLine + 1 - std::min(last_.size(), kMostBytesOfLine + 1))));
      if (end < text.size()) EndLine();
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  bool IsAtEnd() const { return is_at_end_; }
  // A client that sends without reading waits in its pipe.
  bool IsFull() const { return bytes_ > kMostBytesWaiting; }
  bool IsEmpty() const { return lines_.empty(); }
  std::string Take() {
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    bytes_ -= line.size();
    return line;
  }
  // Takes out each line for which `may_leave` is true, of those from number `from` on.
  template <class MayLeave>
  void TakeOut(std::size_t from, MayLeave may_leave) {
    for (std::size_t i = from; i < lines_.size();) {
      if (!may_leave(lines_[i])) {
        ++i;
        continue;
      }
      bytes_ -= lines_[i].size();
      lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  std::size_t size() const { return lines_.size(); }

 private:
  static constexpr std::size_t kMostBytesWaiting = 8 * kMostBytesOfLine;

  void EndLine() {
    if (last_.ends_with('\r')) last_.pop_back();
    if (!last_.empty()) bytes_ += last_.size(), lines_.push_back(std::move(last_));
    last_.clear();
  }

  int in_;
  bool is_at_end_ = false;
  std::string last_;  // a line without its end
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
};

class Server {
 public:
  Server(Session& session, int in, int out) : session_(session), in_(in), out_(out), inbox_(in) {}

  void Run() {
    while (signalled == 0 && !is_out_closed_) {
      if (!inbox_.IsEmpty()) {
        AnswerNext();
      } else if (inbox_.IsAtEnd()) {
        return;
      } else if (signals_.CanRead(in_, -1)) {
        inbox_.Read();
      }
    }
  }

 private:
  static constexpr std::size_t kMostCancelled = 1000;

  void AnswerNext() {
    const std::string line = inbox_.Take();
    const Line read = ReadLine(line);
    const bool is_one = !read.is_batch && read.messages.front().id.has_value();
    current_ = is_one ? *read.messages.front().id : Json();
    is_cancelled_ = std::erase(cancelled_, current_) > 0;
    if (is_cancelled_) return;
    looked_through_ = false;
    const std::string answer = session_.Answer(line, [this] { return IsStopped(); });
    if (!is_cancelled_ && !answer.empty()) Send(answer);
  }

  // Asked while a tool runs.
  bool IsStopped() {
    // Lines may have come together with the request.
    if (!std::exchange(looked_through_, true))
      inbox_.TakeOut(0, [this](const std::string& waiting) { return TakesNoTurn(waiting); });
    while (!inbox_.IsAtEnd() && !inbox_.IsFull() && signals_.CanRead(in_, 0)) {
      const std::size_t known = inbox_.size();
      inbox_.Read();
      inbox_.TakeOut(known, [this](const std::string& line) { return TakesNoTurn(line); });
    }
    return is_cancelled_ || signalled != 0 || is_out_closed_;
  }

  bool TakesNoTurn(const std::string& line) {
    std::string answer;
    Json cancelled;
    if (!session_.AnswerAtOnce(line, answer, cancelled)) return false;
    if (!answer.empty()) Send(answer);
    if (!cancelled.is_null() && cancelled == current_)
      is_cancelled_ = true;
    else if (!cancelled.is_null() && cancelled_.size() < kMostCancelled)
      cancelled_.push_back(std::move(cancelled));
    return true;
  }

  void Send(const std::string& answer) { is_out_closed_ |= !WriteAll(out_, answer + '\n'); }

  Session& session_;
  int in_, out_;
  Inbox inbox_;
  Signals signals_;
  Json current_;                 // the id of the request that is being answered
  std::vector<Json> cancelled_;  // ids of requests that wait, and that the client no longer wants
  bool is_cancelled_ = false, is_out_closed_ = false;
  bool looked_through_ = false;  // the lines that waited when the request began
};

}  // namespace

void Serve(Session& session, int in, int out) { Server(session, in, out).Run(); }

}  // namespace culprit::mcp
