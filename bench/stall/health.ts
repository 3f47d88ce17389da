import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pause } from './pauses.ts'

/** Asks a gateway whether it is well, again and again: `health.ts URL`. It reports on demand how long the slowest answer took. */
const url = `${process.argv[2]}/health`
const agent = new Agent({ keepAlive: true })
let longest = 0
let asked: number | undefined

process.on('message', (order: 'reset' | 'longest') => {
  if (order === 'reset') longest = 0
  const pause: Pause = { ms: Math.max(longest, asked === undefined ? 0 : performance.now() - asked), workedMs: 0 }
  process.send?.(pause)
})
process.on('SIGTERM', () => {
  agent.destroy()
  process.exit()
})
process.stdout.write('asking\n')
for (;;) {
  asked = performance.now()
  await new Promise<void>((resolve) => {
    const request = get(url, { agent }, (answer) => answer.resume().once('close', resolve))
    request.once('error', () => resolve())
  })
  longest = Math.max(longest, performance.now() - asked)
  asked = undefined
  await sleep(5)
}
