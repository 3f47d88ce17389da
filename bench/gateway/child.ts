import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A process of the benchmark, and the first line that it printed. */
export interface Child {
  readonly process: ChildProcess
  readonly line: string
  /** From the start of the process to its first line, ms. */
  readonly startMs: number
  /** Resident memory now, MB. */
  resident(): number
  /** The most resident memory since the last call, MB. */
  peak(): number
  /** Processor time so far, ms, of all its threads. */
  processorTime(): Promise<number>
  stop(): Promise<void>
}

/** Loaded before the program of a child, so that it tells its processor time. */
export const tellsProcessorTime = ['--import', join(import.meta.dirname, 'processor-time.mjs')]

const running = new Set<ChildProcess>()

/** The benchmark ends its child processes, however it ends itself. */
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1))
}
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export function startChild(args: readonly string[], environment: Record<string, string> = {}): Promise<Child> {
  const began = performance.now()
  const child = spawn(process.execPath, [...tellsProcessorTime, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...environment },
  })
  running.add(child)
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  child.on('exit', () => running.delete(child))
  return new Promise((resolve, reject) => {
    let text = ''
    child.on('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${text}`)))
    child.stdout!.on('data', (data: Buffer) => {
      text += data.toString()
      const end = text.indexOf('\n')
      if (end === -1) return
      resolve({
        process: child,
        line: text.slice(0, end),
        startMs: performance.now() - began,
        resident: () => memoryOf(child.pid!, 'VmRSS'),
        peak() {
          const most = memoryOf(child.pid!, 'VmHWM')
          // Begins the next measurement, where the system can.
          if (most > 0) writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
          return most
        },
        processorTime: () =>
          new Promise((resolveTime) => {
            child.once('message', (milliseconds) => resolveTime(Number(milliseconds)))
            child.send('processor time')
          }),
        async stop() {
          child.kill('SIGTERM')
          await ended
        },
      })
    })
  })
}

/** As the kernel reports it, MB, or 0. */
function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
