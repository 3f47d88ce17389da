import { type Finding, type Route, jsonAnswer, route, type StreamDefinition, type Runtime } from '../../capability.ts'
import { errorBody } from '../answer.ts'
import { toFailure } from '../failure.ts'
import { orAborted } from '../../platform.ts'
import { z } from 'zod'
import { lintHome } from '../../runtime.ts'

/** What `foreword doctor` finds, for those who are not at the terminal. */
export function doctorRoutes(
  examine: () => AsyncIterable<Finding>,
  examineSecurity?: () => AsyncIterable<Finding>,
): readonly Route[] {
  const findings = sharedRun(examine)
  return [
    ...(examineSecurity ? [securityRoute(sharedRun(examineSecurity))] : []),
    route('GET /api/doctor', {
      scope: 'admin',
      tag: 'system',
      summary: 'Checks the home as `foreword doctor` does: each finding as a server-sent event, when it is known',
      description:
        '`event: finding` has `{check, level, message, hint}`, where `level` is `ok`, `warning` or `problem`. `event: end` is the last. ' +
        'Those who ask while the checks run share them; when nobody waits any more, they end.',
      answers: { 200: { description: 'Findings', media: 'text/event-stream' } },
      handle: ({ stream }) => stream(findingEvents(findings)),
    }),
  ]
}

function securityRoute(findings: Findings): Route {
  return route('GET /api/doctor/security', {
    scope: 'admin',
    tag: 'system',
    summary: 'Checks for known holes as `foreword doctor --security` does: each finding as a server-sent event',
    description:
      'As `/api/doctor`; each finding has an `id`, too, that stays the same in later versions. Nothing is changed.',
    answers: { 200: { description: 'Findings', media: 'text/event-stream' } },
    handle: ({ stream }) => stream(findingEvents(findings)),
  })
}

type Findings = (signal: AbortSignal) => AsyncIterable<Finding>

function findingEvents(findings: Findings): StreamDefinition {
  return {
    async run(sink) {
      sink.begin()
      for await (const finding of findings(sink.signal)) {
        if (sink.signal.aborted) return
        await sink.write(`event: finding\ndata: ${JSON.stringify(finding)}\n\n`)
      }
      await sink.write('event: end\ndata: {}\n\n')
    },
    lastWords: (error) => `event: error\ndata: ${JSON.stringify(errorBody(toFailure(error)))}\n\n`,
    isAnswer: true,
  }
}

interface Run<Item> {
  /** The items so far: later callers get them, too. */
  readonly items: Item[]
  readers: number
  end?: 'over' | { readonly failed: unknown }
  /** Resolves at the next item, or at the end. */
  news: PromiseWithResolvers<void>
}

/** Shares one run of work among all who ask meanwhile: each gets every item. Ends at the next item once nobody waits. */
function sharedRun<Item>(work: () => AsyncIterable<Item>): (signal: AbortSignal) => AsyncGenerator<Item> {
  let current: Run<Item> | undefined
  let before: Promise<void> = Promise.resolve()

  async function go(run: Run<Item>): Promise<void> {
    const tell = (): void => {
      const { resolve } = run.news
      run.news = Promise.withResolvers()
      resolve()
    }
    const forget = (): void => {
      if (current === run) current = undefined
    }
    try {
      for await (const item of work()) {
        run.items.push(item)
        tell()
        if (run.readers > 0) continue
        // Before the work has ended: those who ask from now on wait for that, and begin another run.
        forget()
        return
      }
      run.end = 'over'
    } catch (error) {
      run.end = { failed: error }
    } finally {
      forget()
      tell()
    }
  }

  function begin(): Run<Item> {
    const run: Run<Item> = { items: [], readers: 0, news: Promise.withResolvers() }
    before = before.then(() => go(run))
    return run
  }

  return async function* read(signal) {
    const run = (current ??= begin())
    run.readers += 1
    try {
      for (let next = 0; ;) {
        while (next < run.items.length) yield run.items[next++]!
        if (run.end === 'over') return
        if (run.end) throw run.end.failed
        await orAborted(run.news.promise, signal).catch(() => undefined)
        if (signal.aborted) return
      }
    } finally {
      run.readers -= 1
    }
  }
}

const lintQuery = z.strictObject({
  tools: z
    .string()
    .max(1_000)
    .default('')
    .transform((text) => text.split(',').filter(Boolean))
    .describe('Names of tools, with commas between them, whose inputs the answer has.'),
})

const finding = z.looseObject({
  code: z.string(),
  severity: z.enum(['warning', 'note']),
  message: z.string(),
  hint: z.string(),
  cost: z
    .looseObject({
      kind: z
        .enum(['sent', 'again'])
        .describe('`sent`: could be left out. `again`: a cache cannot give it because of this.'),
      tokens: z.number().int().describe('Per hundred calls.'),
      money: z.number().optional().describe('US dollars per hundred calls, where the price of the model is known.'),
    })
    .optional(),
})

/** What breaks caches or wastes room in prompts. */
export function lintRoutes(runtime: Runtime): readonly Route[] {
  return [
    route('GET /api/lint', {
      scope: 'read',
      tag: 'calls',
      summary: 'Finds what breaks prompt caches or wastes room, each finding with its price per hundred calls',
      description:
        'Looks at what the next call of a new session would send, at the newest 500 calls, and at the tools of the last 30 ' +
        'days. Calls no model and changes nothing. `foreword check --lint` adds files and what capabilities find.',
      query: lintQuery,
      answers: () =>
        jsonAnswer(
          'The findings: warnings first, the dearest first',
          z.looseObject({ calls: z.number().int(), findings: z.array(finding) }),
        ),
      handle: ({ query }) => lintHome(runtime, { ...query, now: new Date(runtime.store.clock.now()) }),
    }),
  ]
}
