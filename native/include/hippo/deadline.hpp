// The end of a process in a while after it was told to stop, whatever its threads do meanwhile.
//
// Python handles a signal once the interpreter has a moment, which it has not as long as a call into
// C keeps its lock; a timer of Python's fires no sooner. The handlers here run at once. The first
// starts a timer of the kernel and hands the signal on to whoever handled it before, and the second
// writes some last words and ends the process, as a kill would. Both call only what POSIX allows in
// a handler, and setitimer, which is one system call.
//
// The watchdog of Python's faulthandler is of no use here: it would have to be armed by a handler of
// Python's, which is what does not run. Armed beforehand and put off again and again, it would end a
// server that nobody has told to stop, as after the machine was asleep.
//
// Ref: POSIX.1-2017, System Interfaces 2.4.3, for what may be called in a signal handler.
#pragma once

#if defined(__unix__) || defined(__APPLE__)
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
#define HIPPO_ENDS_IN_TIME 1
#else
#define HIPPO_ENDS_IN_TIME 0
#endif

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace hippo {

#if HIPPO_ENDS_IN_TIME

namespace deadline {

inline constexpr int most_signals = 64;
inline struct sigaction before[most_signals];  // who handled each signal; zeros: the default
inline itimerval after;
inline char last_words[256];
inline std::size_t last_size = 0;
inline volatile sig_atomic_t told = 0;

inline void end(int) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, last_words, last_size);
  ::_exit(1);
}

inline void begin(int number, siginfo_t* info, void* context) {
  const int error = errno;  // of whatever was interrupted
  if (!told) {  // a second signal puts nothing off
    told = 1;
    ::setitimer(ITIMER_REAL, &after, nullptr);
  }
  const struct sigaction& next = before[number];
  if ((next.sa_flags & SA_SIGINFO) != 0) {
    next.sa_sigaction(number, info, context);
  } else if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) {
    next.sa_handler(number);
  }
  errno = error;
}

}  // namespace deadline

// End the process so many seconds after a signal, with last words on stderr, unless it has ended.
// Whoever handled the signal before is told of it as before. Precondition: one thread calls this.
inline void end_in_time(int number, double after_s, std::string_view last_words) {
  namespace own = deadline;
  if (number <= 0 || number >= own::most_signals) throw std::invalid_argument("no such signal");
  if (!(after_s > 0 && after_s < 1e9)) throw std::invalid_argument("after_s must be above 0");
  double whole = 0;
  const double rest = std::modf(after_s, &whole);
  own::after.it_value.tv_sec = static_cast<decltype(own::after.it_value.tv_sec)>(whole);
  own::after.it_value.tv_usec = std::max<suseconds_t>(static_cast<suseconds_t>(rest * 1e6), 1);
  own::last_size = std::min(last_words.size(), sizeof own::last_words);
  std::memcpy(own::last_words, last_words.data(), own::last_size);

  struct sigaction ending {}, beginning {}, now {};
  ending.sa_handler = own::end;
  sigemptyset(&ending.sa_mask);
  beginning.sa_sigaction = own::begin;
  beginning.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&beginning.sa_mask);
  if (::sigaction(SIGALRM, &ending, nullptr) != 0 || ::sigaction(number, nullptr, &now) != 0)
    throw std::system_error(errno, std::generic_category(), "sigaction");
  const bool ours = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == own::begin;
  if (ours) return;
  own::before[number] = now;
  if (::sigaction(number, &beginning, nullptr) != 0)
    throw std::system_error(errno, std::generic_category(), "sigaction");
}

#else

inline void end_in_time(int, double, std::string_view) {}

#endif

}  // namespace hippo
