import { watchPauses } from './pauses.ts'

/** Loaded into a process of the benchmark before its program. It reports on demand how long its event loop was blocked. */
const watch = watchPauses()

process.on('message', (order: 'reset' | 'longest') => {
  if (order === 'reset') watch.reset()
  process.send?.(watch.longest())
})
// The channel alone does not keep a program running.
process.channel?.unref()
