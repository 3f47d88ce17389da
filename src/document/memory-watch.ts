import process from 'node:process'
import { workerData } from 'node:worker_threads'

/**
 * A thread beside the one that reads, which may be busy for long. Ends the whole process when that has taken too much memory
 * (the limits of a heap or a thread count no buffers, and reaching some of them is a crash), or when nobody is left to read for.
 */
const { memoryBytes, parent } = workerData as { readonly memoryBytes: number; readonly parent: number }

setInterval(() => {
  if (process.memoryUsage.rss() > memoryBytes || process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, 50)
