import { numberText } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { LearnedLimit, Clock } from '../../capability.ts'
import type { ValueStore } from '../../session.ts'

/** Limits of models that providers have shown. */
export interface LearnedLimits {
  of(model: string): LearnedLimit | undefined
  /** A provider refused a prompt as too large: learns the smaller window it named, else that a prompt of this size is too large. */
  refused(
    model: Known,
    refusal: { readonly limit: number | undefined; readonly used: number; readonly call?: string },
  ): void
  /** A provider reports that it read `read` tokens, by our counter, of a prompt of `used`. */
  readShort(model: Known, report: { readonly read: number; readonly used: number; readonly call?: string }): void
  /** A prompt was read whole: a smaller limit is disproved. */
  readWhole(model: Known, report: { readonly reported: number; readonly used: number }): void
  forget(): void
  /** For people: one sentence for each limit in force. */
  sentences(): readonly string[]
}

/** A model, and the window that it is known for: a limit that is no smaller teaches nothing. */
interface Known {
  readonly id: string
  readonly facts: { readonly window: number }
}

type NewLimit = Omit<LearnedLimit, 'since' | 'until'>

/** A server that was started with a larger window should not be kept small for longer than this. */
const HOLDS_MS = 60 * 60 * 1000

/** Figures below this are no window of anything: a misread sentence must not stop every session. Tokens. */
const LEAST = 256

/** Where limits are kept over the end of a process: by the id of their model. */
interface KeptLimits {
  readonly known: Readonly<Record<string, LearnedLimit>>
  keep(limits: Readonly<Record<string, LearnedLimit>>): void
}

const KEY = 'learned-limits'

/** Limits that are kept in the store: a single `foreword send` need not run into the same refusal as the one before it. */
export async function openLearnedLimits(
  store: ValueStore,
  clock: Pick<Clock, 'time'>,
  warn: (text: string) => void,
): Promise<LearnedLimits> {
  const known = (await store.value(KEY)) as KeptLimits['known'] | undefined
  return createLearnedLimits(clock, {
    known: known ?? {},
    keep(limits) {
      const write = store.putValue(KEY, limits)
      write.catch((error: unknown) => warn(`Could not save a limit that a provider has shown: ${String(error)}`))
    },
  })
}

/** Lifts every limit that is kept in a store on which no gateway runs. */
export async function forgetLearnedLimits(store: ValueStore): Promise<void> {
  if ((await store.value(KEY)) !== undefined) await store.putValue(KEY, {})
}

const FORGOTTEN_AT_THE_END: KeptLimits = { known: {}, keep: () => {} }

export function createLearnedLimits(
  clock: Pick<Clock, 'time'>,
  { known, keep }: KeptLimits = FORGOTTEN_AT_THE_END,
): LearnedLimits {
  const limits = new Map<string, LearnedLimit>(Object.entries(known))
  /** The largest prompt of each model that was read whole, by our counter. */
  const mostRead = new Map<string, number>()

  function of(model: string): LearnedLimit | undefined {
    const found = limits.get(model)
    if (!found || found.until > clock.time()) return found
    limits.delete(model)
    return undefined
  }

  function save(): void {
    keep(Object.fromEntries(limits))
  }

  function note({ id, facts }: Known, limit: NewLimit): void {
    const { window, prompt } = limit
    const size = Math.min(window ?? Infinity, prompt ?? Infinity)
    if (!(size >= LEAST && size < facts.window)) return
    const since = clock.time()
    const until = new Date(Date.parse(since) + HOLDS_MS).toISOString()
    limits.set(id, { ...limit, since, until })
    save()
  }

  return {
    of,
    refused(model, { limit, used, call }) {
      const by = call === undefined ? {} : { call }
      if (limit !== undefined && limit < model.facts.window)
        return note(model, { window: limit, from: 'named-limit', ...by })
      const { prompt = Infinity, window } = of(model.id) ?? {}
      const most = Math.min(prompt, used - 1)
      note(model, { prompt: most, from: 'refused-size', ...defined({ window }), ...by })
    },
    readShort(model, { read, used, call }) {
      const most = mostRead.get(model.id) ?? 0
      // What was read before and is not read now tells of a server that has changed since.
      if (most > used) mostRead.delete(model.id)
      const prompt = Math.max(read, mostRead.get(model.id) ?? 0)
      note(model, { prompt, from: 'short-report', ...defined({ call }) })
    },
    readWhole({ id }, { reported, used }) {
      mostRead.set(id, Math.max(used, mostRead.get(id) ?? 0))
      const { window, prompt } = of(id) ?? {}
      if (reported <= (window ?? Infinity) && used <= (prompt ?? Infinity)) return
      limits.delete(id)
      save()
    },
    forget() {
      limits.clear()
      save()
    },
    sentences: () =>
      [...limits.keys()].flatMap((id) => {
        const limit = of(id)
        return limit ? [limitSentence(id, limit)] : []
      }),
  }
}

/** A limit for people: which limit is in force, since when, because of which answer, until when, and what to do about it. */
export function limitSentence(model: string, { window, prompt, from, call, since, until }: LearnedLimit): string {
  const what = [
    ...(window === undefined ? [] : [`a window of ${numberText(window)} tokens`]),
    ...(prompt === undefined ? [] : [`prompts of up to ${numberText(prompt)} tokens`]),
  ].join(' and ')
  const why = {
    'named-limit': 'its provider named that limit when it refused a request',
    'refused-size': 'its provider refused a larger request',
    'short-report': 'its provider reported that it read no more of a larger request',
  }[from]
  return (
    `${model} is used with ${what} from ${since} to ${until}, because ${why}${call === undefined ? '' : ` (call ${call})`}. ` +
    `Lift this with \`foreword reload\`; models."${model}".window in config.json sets the window for good.`
  )
}
