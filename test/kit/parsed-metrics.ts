import assert from 'node:assert/strict'

/** A metric as a strict reader of the format finds it. Samples are by their labels, in the order of their names. */
export interface ParsedMetric {
  readonly type: string
  readonly help: string
  readonly samples: ReadonlyMap<string, number>
}

/** Reads the text format 0.0.4 of Prometheus. Throws for whatever a scraper could misunderstand. */
export function parseMetrics(text: string): ReadonlyMap<string, ParsedMetric> {
  assert.ok(text.endsWith('\n'), 'the last line ends')
  const metrics = new Map<string, { type: string; help: string; samples: Map<string, number> }>()
  let current: string | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line)
    if (help) {
      const [, name, words] = help
      assert.ok(!metrics.has(name!), `${name} is described once`)
      assert.match(words!, /^(?:[^\\]|\\\\|\\n)*$/, `the help of ${name} is escaped`)
      metrics.set(name!, { type: '', help: words!, samples: new Map() })
      current = name
      continue
    }
    const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line)
    if (type) {
      const [, name, kind] = type
      assert.equal(name, current, 'TYPE follows its HELP')
      const metric = metrics.get(name!)!
      assert.ok(metric.type === '' && metric.samples.size === 0, `${name} has one type, in front of its samples`)
      metric.type = kind!
      continue
    }
    const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line)
    assert.ok(sample, `a line of the format: ${line}`)
    const [, name, labels = '', value] = sample
    const metric = metrics.get(current!)!
    assert.notEqual(metric.type, '')
    const part = name!.slice(current!.length)
    assert.ok(
      name!.startsWith(current!) && (metric.type === 'histogram' ? /^_(bucket|sum|count)$/ : /^$/).test(part),
      line,
    )
    const pairs = parseLabels(labels)
    const key = [
      part,
      ...Object.entries(pairs)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([label, content]) => `${label}=${content}`),
    ]
      .filter(Boolean)
      .join(' ')
    assert.ok(!metric.samples.has(key), `one sample of ${name} ${key}`)
    const number = numberOf(value!)
    if (metric.type === 'counter') assert.ok(name!.endsWith('_total') && number >= 0, `${line} is a counter`)
    metric.samples.set(key, number)
  }
  for (const [name, { type, samples }] of metrics) {
    assert.ok(type !== '' && samples.size > 0, `${name} has samples`)
    if (type === 'histogram') checkHistogram(name, samples)
  }
  return metrics
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {}
  let rest = text
  while (rest !== '') {
    const pair = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,(?=.)|$)/.exec(rest)
    assert.ok(pair, `labels of the format: ${rest}`)
    const [whole, name = '', value = ''] = pair
    assert.ok(!(name in labels) && !name.startsWith('__'), `a label ${name}`)
    labels[name] = value.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))
    rest = rest.slice(whole.length)
  }
  return labels
}

function numberOf(text: string): number {
  if (text === '+Inf') return Infinity
  if (text === '-Inf') return -Infinity
  if (text === 'NaN') return Number.NaN
  assert.match(text, /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/)
  return Number(text)
}

function checkHistogram(name: string, samples: ReadonlyMap<string, number>): void {
  const buckets = [...samples].flatMap(([key, count]) => {
    const bound = /^_bucket le=(.*)$/.exec(key)?.[1]
    return bound === undefined ? [] : [{ bound: numberOf(bound), count }]
  })
  assert.equal(buckets.at(-1)?.bound, Infinity, `${name} has all in its last bucket`)
  assert.equal(buckets.at(-1)?.count, samples.get('_count'))
  assert.ok(samples.has('_sum'))
  for (const [index, { bound, count }] of buckets.entries()) {
    const before = buckets[index - 1]
    if (before) assert.ok(before.bound < bound && before.count <= count, `the buckets of ${name} add up`)
  }
}
