import type { Figure, Run } from '../../bench/history.ts'

/** A row of README's table of proof. Its cells come from the newest figures of these names; `beside` says what theirs are. */
interface ProofRow {
  readonly what: string
  readonly bench: string
  /** Words of the command after `npm run bench:…`. */
  readonly words?: string
  readonly figures: readonly string[]
  readonly own: (...values: readonly string[]) => string
  readonly beside: (...values: readonly string[]) => string
}

const rows: readonly ProofRow[] = [
  {
    what: 'Added to the first token of a turn, every turn on disk (median)',
    bench: 'bench:turn',
    figures: ['added to the first token, 1 at once, ms'],
    own: (added) => `${added} ms`,
    beside: (added) => `proxy with two commits: ${added} ms`,
  },
  {
    what: 'Processor time of a turn, 32 callers at once',
    bench: 'bench:turn',
    figures: ['processor time of a turn, 32 at once, ms'],
    own: (time) => `${time} ms`,
    beside: (time) => `proxy with two commits: ${time} ms`,
  },
  {
    what: "Added to the first byte of another agent's call, 50 kB and 1 MB",
    bench: 'bench:through',
    figures: ['added to the first byte, 50 kB, ms', 'added to the first byte, 1 MB, ms'],
    own: (small, large) => `${small} ms, ${large} ms`,
    beside: (small, large) => `bare proxy: ${small} ms, ${large} ms`,
  },
  {
    what: 'Facts found among 4,000 messages, asked in another form (German)',
    bench: 'bench:recall',
    words: '--quality',
    figures: ['facts of 40, German, another form', 'the same with stems'],
    own: (found) => `${found} of 40`,
    beside: (plain, stems) => `FTS5: ${plain}, with stems: ${stems}`,
  },
  {
    what: 'Search, nDCG@10 of the English collection',
    bench: 'bench:search',
    words: '--quality',
    figures: ['English, nDCG@10'],
    own: (gain) => gain,
    beside: (gain) => `plain FTS5: ${gain}`,
  },
  {
    what: '`foreword mcp` answers `initialize`',
    bench: 'bench:mcp',
    figures: ['initialize, ms'],
    own: (time) => `${time} ms`,
    beside: (time) => `a server of ten lines: ${time} ms`,
  },
  {
    what: 'A talk of 60 turns with tools in 32k: tokens at full price',
    bench: 'bench:cost',
    figures: ['talk with tools, 32k: full price over what is new'],
    own: (share) => `${share} × what is new`,
    beside: (share) => `drop the oldest: ${share} ×`,
  },
  {
    what: 'Page: scripts of the first screen',
    bench: 'bench:web',
    figures: ['scripts of the first screen, kB'],
    own: (size) => `${size} kB (Brotli)`,
    beside: (size) => `budget: ${size} kB`,
  },
  {
    what: 'Page: first screen, a conversation of 5,000 messages',
    bench: 'bench:web',
    figures: ['first screen, ms', 'conversation of 5,000 messages, ms'],
    own: (first, conversation) => `${first} ms, ${conversation} ms`,
    beside: (empty) => `an empty document: ${empty} ms`,
  },
]

const begin = '<!-- figures of bench/history.jsonl, written by `npm run docs` -->'
const end = '<!-- end of the figures -->'

/** README with its table of proof written again. A row without a recorded figure is left out. */
export function withProof(readme: string, runs: readonly Run[]): string {
  const [start, stop] = [readme.indexOf(begin), readme.indexOf(end)]
  if (start === -1 || stop === -1) throw new Error(`README has no place for the figures: ${begin} … ${end}`)
  const newest = newestFigures(runs)
  const cells = rows.flatMap(({ what, bench, words, figures, own, beside }) => {
    const found = figures.map((name) => newest.get(`${bench} ${name}`))
    if (found.some((figure) => figure === undefined)) return []
    const values = (key: keyof Figure) => found.map((figure) => String(figure![key]))
    const command = ['npm run', bench, ...(words === undefined ? [] : ['--', words])].join(' ')
    return [[what, own(...values('value')), beside(...values('beside')), `\`${command}\``]]
  })
  const text = table(['what', 'Foreword', 'beside it', 'command'], cells)
  return `${readme.slice(0, start)}${begin}\n\n${text}\n\n${readme.slice(stop)}`
}

/** The page `measured.md`: every figure that was ever kept, with its course. */
export function measuredPage(runs: readonly Run[]): string {
  const benches = Map.groupBy(runs, ({ bench }) => bench)
  const sections = [...benches].map(([bench, all]) => {
    const names = [...new Set(all.flatMap(({ figures }) => Object.keys(figures)))]
    const cells = names.map((name) => {
      const course = all.flatMap(({ figures: { [name]: figure }, commit, date }) =>
        figure === undefined ? [] : [{ ...figure, commit, date }],
      )
      const { value, beside, commit, date } = course.at(-1)!
      const ratio = (figure: Figure) => (figure.beside ? (figure.value / figure.beside).toPrecision(2) : '')
      return [name, `${value}`, `${beside ?? ''}`, course.map(ratio).join(' → '), `${date}, ${commit}`]
    })
    return `## ${bench}\n\n${table(['figure', 'Foreword', 'beside it', 'ratio, oldest first', 'measured'], cells)}`
  })
  return [
    '# What was measured',
    'Each figure comes from the command of its heading with `--record`, which keeps it in `bench/history.jsonl`: also where it became worse. [Benches](../bench/README.md) says what stands beside it. The course of the ratio to that is the one to read, since it depends least on the machine.',
    '![The ratio of each figure to what stands beside it, by run](measured.svg)',
    ...sections,
  ]
    .join('\n\n')
    .concat('\n')
}

const WIDTH = 220
const HEIGHT = 90
const COLUMNS = 3

/** A small drawing for each figure with two runs or more: its ratio to what stands beside it, by run, from zero upwards. */
export function measuredPicture(runs: readonly Run[]): string {
  const courses = [...Map.groupBy(runs.flatMap(ratiosOf), ({ name }) => name)].filter(([, course]) => course.length > 1)
  const drawings = courses.map(([name, course], at) => {
    const most = Math.max(...course.map(({ ratio }) => ratio)) || 1
    const points = course.map(({ ratio }, run) => {
      const x = 10 + ((WIDTH - 30) * run) / (course.length - 1)
      return [x, HEIGHT - 20 - ((HEIGHT - 50) * ratio) / most].map((number) => number.toFixed(1)).join(',')
    })
    const [x, y] = [(at % COLUMNS) * WIDTH, Math.floor(at / COLUMNS) * HEIGHT]
    const last = course.at(-1)!.ratio.toPrecision(2)
    return [
      `<g transform="translate(${x} ${y})">`,
      `<text x="10" y="14">${name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`,
      `<polyline points="${points.join(' ')}" fill="none" stroke="#3b6fd4" stroke-width="1.5"/>`,
      `<text x="${WIDTH - 12}" y="${HEIGHT - 6}" text-anchor="end">${last} ×</text>`,
      '</g>',
    ].join('')
  })
  const height = Math.max(1, Math.ceil(courses.length / COLUMNS)) * HEIGHT
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH * COLUMNS} ${height}" font-family="sans-serif" font-size="8" fill="#777">`,
    ...drawings,
    '</svg>\n',
  ].join('\n')
}

function ratiosOf({ bench, figures }: Run): readonly { readonly name: string; readonly ratio: number }[] {
  return Object.entries(figures).flatMap(([name, { value, beside }]) =>
    beside ? [{ name: `${bench.replace('bench:', '')}: ${name}`, ratio: value / beside }] : [],
  )
}

function newestFigures(runs: readonly Run[]): ReadonlyMap<string, Figure> {
  return new Map(
    runs.flatMap(({ bench, figures }) =>
      Object.entries(figures).map(([name, figure]) => [`${bench} ${name}`, figure] as const),
    ),
  )
}

/** As the formatter writes it. */
function table(head: readonly string[], cells: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) => Math.max(3, cell.length, ...cells.map((row) => row[column]!.length)))
  const line = (row: readonly string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')
}
