/** The longest time for which a process blocked other work, in ms. */
export interface Pause {
  /** Wall-clock time, which includes the disk and other programs on the machine. */
  readonly ms: number
  /** CPU time of its thread without a pause. */
  readonly workedMs: number
}

/** Watches the event loop of this thread with a heartbeat. A late heartbeat was blocked. */
export interface PauseWatch {
  /** Resets the measurement. */
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
