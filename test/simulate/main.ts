// Lives stories of a gateway, each from one seed, and checks the laws after each.
//
//   npm run simulate                        a hundred seeds, another hundred each day
//   npm run simulate -- --seed 123          one seed; --trace shows what happened
//   npm run simulate -- --seeds 1000        so many, from --from on
//   npm run simulate -- --golden            writes the digests of the golden stories again
//   --calm                                  one person, no crash, no fault of the disk: the form of the golden stories
//   --figures                               one person and all kinds of models: are all figures the same on every surface?
//   --json                                  a line of JSON for each seed, and one for all of them
import { parseArgs } from 'node:util'
import { liveFigures } from './figures.ts'
import { goldenSeeds, writeGolden } from './golden.ts'
import { type Ending, liveStory } from './story.ts'

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000) * 100) },
    trace: { type: 'boolean', default: false },
    calm: { type: 'boolean', default: false },
    figures: { type: 'boolean', default: false },
    golden: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const { calm, figures, json } = options
const first = wholeNumber(options.seed ?? options.from)
const count = options.seed === undefined ? wholeNumber(options.seeds) : 1

/** Aborted with Ctrl-C: the story that is being lived is the last. */
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

if (options.golden) {
  await writeGolden()
  print(`The digests of ${goldenSeeds.length} stories are written.`)
} else {
  process.exitCode = (await lived()) > 0 ? 1 : 0
}

/** Returns how many stories broke a law. */
async function lived(): Promise<number> {
  const sums = { seeds: 0, broken: 0, turns: 0, calls: 0, crashes: 0, events: 0 }
  for (let seed = first; seed < first + count && !stop.signal.aborted; seed += 1) {
    const ending = await (figures ? liveFigures(seed) : liveStory(seed, { calm }))
    const { counts, broken } = ending
    sums.seeds += 1
    sums.broken += broken.length > 0 ? 1 : 0
    for (const name of ['turns', 'calls', 'crashes', 'events'] as const) sums[name] += counts[name]
    show(seed, ending, sums.seeds)
  }
  const cpuSeconds = Math.round(process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6)
  if (json) print(JSON.stringify({ type: 'summary', ...sums, cpuSeconds }))
  else {
    const what = `${sums.seeds} seeds: ${sums.turns} messages, ${sums.calls} calls, ${sums.crashes} crashes, ${sums.events} events`
    print(`${what}; ${sums.broken} broke a law. ${cpuSeconds} s of processor time.`)
  }
  return sums.broken
}

function show(seed: number, { digest, broken, trace, counts }: Ending, done: number): void {
  if (json)
    return print(JSON.stringify({ type: 'story', seed, digest, broken, ...counts, ...(options.trace && { trace }) }))
  if (options.trace) for (const line of trace) print(line)
  if (broken.length > 0) print([`Seed ${seed} breaks ${broken.length} laws:`, ...broken, again(seed)].join('\n'))
  else if (count === 1) print(`Seed ${seed} keeps all laws. Digest ${digest}`)
  else if (done % 100 === 0) print(`${done} of ${count} seeds`)
}

function again(seed: number): string {
  return `Again: npm run simulate -- --seed ${seed}${calm ? ' --calm' : ''}${figures ? ' --figures' : ''} --trace`
}

function wholeNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  process.stderr.write(`${text} is not a whole number.\n`)
  process.exit(2)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
