/** How long a process kept everybody else waiting at most, ms. */
export interface Pause {
  /** By the clock: with the disk, and with what other programs on this machine took meanwhile. */
  readonly ms: number
  /** What its thread worked without a pause. */
  readonly workedMs: number
}

/** Watches the event loop of this thread: a heartbeat that comes late was kept waiting. */
export interface PauseWatch {
  /** Forgets what was seen. */
  reset(): void
  longest(): Pause
  stop(): void
}

const BEAT_MS = 2

export function watchPauses(): PauseWatch {
  let longest: Pause = { ms: 0, workedMs: 0 }
  let last = performance.now()
  let worked = workedMs()
  const timer = setInterval(beat, BEAT_MS)
  timer.unref()

  function beat(): void {
    const now = performance.now()
    const nowWorked = workedMs()
    const ms = now - last - BEAT_MS
    longest = { ms: Math.max(longest.ms, ms), workedMs: Math.max(longest.workedMs, nowWorked - worked) }
    last = now
    worked = nowWorked
  }

  return {
    reset() {
      longest = { ms: 0, workedMs: 0 }
      last = performance.now()
      worked = workedMs()
    },
    longest() {
      beat()
      return longest
    },
    stop: () => clearInterval(timer),
  }
}

function workedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
