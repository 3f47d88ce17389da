import process from 'node:process'
import { workerData } from 'node:worker_threads'
import { overtimeSignal, processorMs } from './reading-task.ts'

/**
 * A thread beside the one that reads, which may be busy for long. Ends the whole process when that has taken too much memory
 * (the limits of a heap or a thread count no buffers, and reaching some of them is a crash) or too much time of the processor,
 * or when nobody is left to read for.
 */
const { memoryBytes, parent, deadline } = workerData as {
  readonly memoryBytes: number
  readonly parent: number
  /** Of the file that is being read, ms of `processorMs`; infinite between two files. */
  readonly deadline: Float64Array
}

/** Nobody wakes it: it waits in its own thread. */
const sleeper = new Int32Array(new SharedArrayBuffer(4))

for (;;) {
  if (processorMs() > deadline[0]!) process.kill(process.pid, overtimeSignal)
  if (process.memoryUsage.rss() > memoryBytes || process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
  Atomics.wait(sleeper, 0, 0, 50)
}
