// A part of a file mapped into memory, with room behind it to grow into.
//
// What is written there stays in memory (MAP_PRIVATE): the file is never changed through it. Who
// cuts the file short, or pulls the disk out, makes the system raise SIGBUS at the next look at a
// page that is gone. That would end the process, so a handler puts a page of zeros in its place and
// notes that the part is damaged; whoever asked looks at that note afterwards. Only addresses of
// our own maps are answered so, everything else goes to the handler that was there before.
//
// Ref: SIGBUS on mapped files as Wayland's compositors meet it (wl_shm, libwayland), where clients
//      may cut a shared file short at any time.
#pragma once

#if defined(__unix__) || defined(__APPLE__)
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#define HIPPO_MAPS 1
#else
#define HIPPO_MAPS 0
#endif

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <system_error>

namespace hippo {

#if HIPPO_MAPS

namespace guard {

// A map's addresses, read by a signal handler: plain atomics, found by trying all. No lock is taken,
// for it might be held by another thread when the process is forked.
struct Range {
  std::atomic<std::uintptr_t> begin{0}, end{0};  // free where the end is 0, being taken where it is 1
  std::atomic<bool> damaged{false};
};

inline constexpr std::size_t most = 1024;
inline Range ranges[most];
inline std::atomic<std::size_t> used{0};  // none is in use from there on
inline struct sigaction before;
inline std::uintptr_t page_size = 4096;

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free, "a signal handler reads them");

inline void pass_on(int number, siginfo_t* info, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(number, info, context);
  if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
    sigaction(number, &before, nullptr);  // and the same access raises it again
    return;
  }
  before.sa_handler(number);
}

inline void answer(int number, siginfo_t* info, void* context) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (std::size_t i = 0, n = used.load(); i < n; ++i) {
    Range& range = ranges[i];
    if (at < range.begin.load() || at >= range.end.load()) continue;
    const int error = errno;
    void* const page = reinterpret_cast<void*>(at & ~(page_size - 1));
    const int flags = MAP_PRIVATE | MAP_ANON | MAP_FIXED;
    const bool mended = mmap(page, page_size, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED;
    errno = error;
    if (!mended) break;
    range.damaged.store(true);
    return;
  }
  pass_on(number, info, context);
}

// Guard a map; nullptr if there are too many.
inline Range* add(void* first, std::size_t bytes) {
  static const bool installed = [] {
    page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction own {};
    own.sa_sigaction = &answer;
    own.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&own.sa_mask);
    return sigaction(SIGBUS, &own, &before) == 0;
  }();
  for (std::size_t i = 0; installed && i < most; ++i) {
    Range& range = ranges[i];
    std::uintptr_t end = 0;
    if (!range.end.compare_exchange_strong(end, 1)) continue;
    range.damaged.store(false);
    range.begin.store(reinterpret_cast<std::uintptr_t>(first));
    range.end.store(reinterpret_cast<std::uintptr_t>(first) + bytes);
    for (std::size_t n = used.load(); n <= i && !used.compare_exchange_weak(n, i + 1);) {
    }
    return &range;
  }
  return nullptr;
}

inline void drop(Range* range) {
  range->begin.store(~std::uintptr_t{0});
  range->end.store(0);
}

}  // namespace guard

class MappedRoom {
 public:
  // Map `bytes` of a file from `offset`, a multiple of the size of a page, and `room` in all. Only
  // addresses are taken for what lies behind: memory comes with the first write.
  MappedRoom(int descriptor, std::uint64_t offset, std::size_t bytes, std::size_t room)
      : size_{bytes > room ? bytes : room} {
    if (size_ == 0) throw std::invalid_argument("bytes=0: there is nothing to map");
    const int flags = MAP_PRIVATE | MAP_ANON
#ifdef MAP_NORESERVE
                      | MAP_NORESERVE
#endif
        ;
    void* const all = mmap(nullptr, size_, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (all == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    first_ = static_cast<std::byte*>(all);
    if (bytes > 0 && mmap(all, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, descriptor,
                          static_cast<off_t>(offset)) == MAP_FAILED) {
      const int error = errno;
      munmap(all, size_);
      throw std::system_error(error, std::generic_category(), "mmap");
    }
    range_ = guard::add(all, size_);
    if (range_ == nullptr) {
      munmap(all, size_);
      throw std::runtime_error("more maps than are guarded at once");
    }
  }
  MappedRoom(const MappedRoom&) = delete;
  MappedRoom& operator=(const MappedRoom&) = delete;
  ~MappedRoom() {
    guard::drop(range_);
    munmap(first_, size_);
  }

  std::byte* data() const noexcept { return first_; }
  std::size_t size() const noexcept { return size_; }
  // Whether something of the file was gone when it was looked at, and read as zeros.
  bool damaged() const noexcept { return range_->damaged.load(); }

 private:
  std::byte* first_;
  std::size_t size_;
  guard::Range* range_;
};

#else

class MappedRoom {
 public:
  MappedRoom(int, std::uint64_t, std::size_t, std::size_t) {
    throw std::runtime_error("files are not mapped on this system");
  }
  std::byte* data() const noexcept { return nullptr; }
  std::size_t size() const noexcept { return 0; }
  bool damaged() const noexcept { return false; }
};

#endif

}  // namespace hippo
