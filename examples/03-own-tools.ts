/**
 * Two tools of your own. `tide` only looks something up, so it has `execute`. `moor` changes something, so it has `plan`:
 * what it would do is shown first, and what a person approves is what runs.
 */
import { systemClock } from 'foreword/runtime'
import { createToolbox, tool } from 'foreword/tool'
import { appendFile, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

export const tide = tool({
  name: 'tide',
  description: 'The height of the tide at Brest, in metres.',
  schema: z.object({ hour: z.number().min(0).max(24).describe('Hour of the day.') }),
  idempotent: true,
  execute: ({ hour }) => (4 + 3 * Math.cos((hour / 12.4) * 2 * Math.PI)).toFixed(2),
})

export function moor(logbook: string) {
  return tool({
    name: 'moor',
    description: 'Books a berth for tonight.',
    schema: z.object({ berth: z.int().min(1), name: z.string().default('Marigold') }),
    approval: 'ask',
    async plan({ berth, name }) {
      if (berth > 9) return { ok: false, error: 'There are nine berths.' }
      const line = `${name} in berth ${berth}\n`
      return {
        facts: { logbook, line },
        async run() {
          await appendFile(logbook, line)
          return `Booked: ${line.trim()}.`
        },
      }
    },
  })
}

// A toolbox does what the gateway does with a call: it checks the input, asks the policy, and runs the tool.
const logbook = join(await mkdtemp(join(tmpdir(), 'harbour-')), 'logbook.txt')
const { run } = createToolbox([tide, moor(logbook)])
const context = { clock: systemClock, session: 's1', turn: 't1', signal: new AbortController().signal }

for (const [toolName, input] of [
  ['tide', { hour: 0 }],
  ['tide', { hour: 'noon' }],
  ['moor', { berth: 12 }],
  ['moor', { berth: 3 }],
] as const) {
  const result = await run({ toolCallId: 'c1', toolName, input }, context)
  console.log(result.ok ? result.output : `failed: ${result.error}`)
}
console.log(await readFile(logbook, 'utf8'))
