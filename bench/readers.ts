/**
 * Measures what the sandbox adds to the reading of documents: the first file, for which a process has to start, and the next
 * ones in the same process.
 *
 *   npm run bench:readers [-- RUNS]
 */
import { createDocumentReader } from '../src/document.ts'
import type { DocumentReaderOptions } from '../src/document/document-reader.ts'
import { confineNode, findNodeSandbox } from '../src/tool.ts'
import { longPdf } from './stall/long-pdf.ts'
import { systemClock } from '../src/platform.ts'

const runs = Number(process.argv[2] ?? 15)
const text = Buffer.from('The keeper notes seven ships.\n')
const pdf = longPdf(100_000, 50_000, 20)

const started = performance.now()
const found = await findNodeSandbox()
const ways: Readonly<Record<string, DocumentReaderOptions['confine']>> = {
  "Node's permissions": undefined,
  ...(found.type === 'bubblewrap' && { 'in the sandbox': confineNode }),
}
if (found.type === 'none') console.log(`no sandbox on this machine: ${found.why}`)
else
  console.log(
    `the sandbox was found and tried in ${(performance.now() - started).toFixed(0)} ms, once for each gateway`,
  )

/** Milliseconds of each run, by way and file. The ways take turns, so that the same other work of the machine meets both. */
const times = new Map<string, number[]>()
for (let run = 0; run < runs; run += 1) {
  for (const [way, confine] of Object.entries(ways)) {
    const reader = createDocumentReader({ clock: systemClock, ...(confine && { confine }) })
    for (const [file, bytes] of [
      ['first text', text],
      ['next text', text],
      ['first PDF', pdf],
      ['next PDF', pdf],
    ] as const) {
      const began = performance.now()
      const { kind } = await reader.read({ bytes, name: 'a.txt' })
      if (kind !== 'text') throw new Error(`${file}: ${kind}`)
      const key = `${way.padEnd(20)}  ${file.padEnd(10)}`
      times.set(key, [...(times.get(key) ?? []), performance.now() - began])
    }
    await reader.close()
  }
}
console.log('way                   file        median ms  worst ms')
for (const [key, all] of times) {
  const sorted = all.toSorted((a, b) => a - b)
  const [median, worst] = [sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!]
  console.log(`${key}  ${median.toFixed(1).padStart(9)}  ${worst.toFixed(1).padStart(8)}`)
}
