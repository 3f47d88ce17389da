import { watchPauses } from './pauses.ts'

/** Loaded into a process of the bench before its program: tells on demand how long its event loop stood still. */
const watch = watchPauses()

process.on('message', (order: 'reset' | 'longest') => {
  if (order === 'reset') watch.reset()
  process.send?.(watch.longest())
})
// The channel alone keeps no program from ending.
process.channel?.unref()
