# interpreted.py in Ruby, with the same arguments, functions and FILE. Ruby tells how often a thread
# gave up its CPU by /proc only.
GAP_NS = 5000
PAUSES = 1 << 18
BETWEEN = 1000 # steps between two notes of their number

def a4(n)
  n + 1
end

def a3(n)
  a4(n) + 1
end

def a2(n)
  a3(n) + 1
end

def a1(n)
  a2(n) + 1
end

def b4(n)
  n - 1
end

def b3(n)
  b4(n) - 1
end

def b2(n)
  b3(n) - 1
end

def b1(n)
  b2(n) - 1
end

# Times that the thread gave up its CPU, and nanoseconds for which it was ready and waited.
def account(status, schedstat)
  [status.pread(4096, 0)[/^voluntary_ctxt_switches:\s*(\d+)/, 1].to_i,
   schedstat.pread(64, 0).split[1].to_i]
end

def watch(notes)
  status, schedstat = File.open("/proc/thread-self/status"), File.open("/proc/thread-self/schedstat")
  steps = pauses = 0
  switches, waited = account(status, schedstat)
  last = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
  while true
    a1(steps)
    b1(steps)
    steps += 1
    now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    if now - last > GAP_NS && pauses < PAUSES
      before = [switches, waited]
      switches, waited = account(status, schedstat)
      if switches > before[0]
        notes.pwrite([now - last, waited - before[1]].pack("QQ"), 16 * (1 + pauses))
        pauses += 1
        notes.pwrite([pauses].pack("Q"), 8)
      end
      now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    end
    if steps % BETWEEN == 0
      notes.pwrite([steps].pack("Q"), 0)
      now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    end
    last = now
  end
end

def down(frames, notes)
  frames > 0 ? down(frames - 1, notes) : watch(notes)
end

notes = File.open(ARGV[0], "w+b")
notes.truncate(16 * (1 + PAUSES))
ARGV[2].to_i.times { Thread.new { sleep } }
down(ARGV[1].to_i - 3, notes)
