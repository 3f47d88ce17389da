/**
 * Measures the quality and the speed of search in the history: facts that a rule plants in long conversations of three
 * languages, compared with plain FTS5 in the same run, and an index of up to 1,000,000 messages.
 *
 *   npm run bench:recall [-- --quality] [--messages N,N,…] [--record]
 *
 * If FOREWORD_LOCOMO names a file of the public LoCoMo set (`locomo10.json`), its questions are measured too.
 */
import { parseArgs } from 'node:util'
import { plantedLanguages } from '../test/recall/planted-facts.ts'
import { locomoQuality } from './recall/locomo.ts'
import { keepFigures } from './history.ts'
import { plantedHits, wordings } from './recall/planted.ts'
import { ways } from './recall/searchable.ts'
import { recallSpeeds } from './recall/speed.ts'
import { quantile } from './measures.ts'

const { values } = parseArgs({
  options: {
    /** Skip the speed. */
    quality: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    messages: { type: 'string', default: '1000,10000,100000,1000000' },
  },
})

/** The number of messages besides the facts. */
const PLANTED_AMONG = 4_000

const column = (text: string) => text.padStart(12)
console.log(`found facts of 40, in ${PLANTED_AMONG} messages`.padEnd(48) + wordings.map(column).join(''))
const inAnotherForm = new Map<string, number>()
for (const language of plantedLanguages) {
  for (const way of ways) {
    const hits = await plantedHits(way, language, PLANTED_AMONG)
    if (language === 'german') inAnotherForm.set(way.name, hits[wordings.indexOf('other form')]!)
    console.log(`${language.padEnd(12)}${way.name}`.padEnd(48) + hits.map((hit) => column(String(hit))).join(''))
  }
}
const value = inAnotherForm.get('foreword')!
keepFigures('bench:recall', {
  'facts of 40, German, another form': { value, beside: inAnotherForm.get('FTS5')! },
  'the same with stems': { value, beside: inAnotherForm.get('FTS5, Porter stems')! },
})

const locomo = process.env['FOREWORD_LOCOMO']
if (locomo) {
  const headings = ['turns@10', 'any', 'every', 'sessions@5', 'any', 'every']
  console.log(`\n${'LoCoMo, % of evidence found'.padEnd(48)}${headings.map(column).join('')}`)
  for (const unanswerable of [false, true]) {
    for (const way of ways) {
      const { questions, turns, sessions } = await locomoQuality(locomo, way, unanswerable)
      const shares = [turns, sessions].flatMap(({ part, any, every }) => [part, any, every])
      const name = `${way.name}, ${questions} questions`
      console.log(name.padEnd(48) + shares.map((share) => column((100 * share).toFixed(1))).join(''))
    }
  }
}

if (!values.quality) {
  const headings = ['messages', 'indexed/s', 'longest ms', 'MB', 'session p50', 'p99 ms', 'all p50', 'p99 ms']
  console.log(`\n${headings.map(column).join('')}`)
  for await (const speed of recallSpeeds(values.messages.split(',').map(Number))) {
    const { messages, indexedPerSecond, longestWait, megabytes, oneSession, allSessions } = speed
    const times = [oneSession, allSessions].flatMap((all) => [quantile(all, 0.5), quantile(all, 0.99)])
    const cells = [
      messages.toLocaleString('en'),
      indexedPerSecond.toFixed(0),
      longestWait.toFixed(0),
      megabytes.toFixed(0),
    ]
    console.log([...cells, ...times.map((time) => time.toFixed(1))].map(column).join(''))
  }
}
