import { fieldsOf, sha256 } from '../../src/platform.ts'
import type { ScriptedAnswer, ScriptedRequest, ScriptedUsage } from '../../src/testing/scripted-provider-answer.ts'
import { answerBlocks, type PromptBlock, promptBlocks } from './simulated-prompt.ts'

/** How a simulated provider caches. */
export type SimulatedRule =
  /** Any beginning that was sent before, in whole steps. */
  | {
      readonly type: 'steps'
      readonly minimumTokens: number
      readonly step: number
      readonly lifetimeSeconds: number
    }
  /** The beginnings that end at marks, which are billed where they are written. */
  | {
      readonly type: 'marks'
      /** For each model where they differ. */
      readonly minimumTokens: number | ((model: string) => number)
      readonly lifetimeSeconds: number
      /** Marks of a request that are written; with more, the last ones, or an error if `refusesMore`. */
      readonly most: number
      readonly refusesMore?: true
      /** Blocks before a mark in which an earlier one is looked for. */
      readonly lookBack?: number
      /** A mark of its own behind the newest message of the user or result of a tool. */
      readonly implicit?: true
    }
  /** What each slot has evaluated last, its answer included. */
  | { readonly type: 'slots'; readonly slots: number; readonly lifetimeSeconds?: number }

/** The rules of providers, as of 2026-11. */
export const simulatedRules = {
  /** OpenAI before GPT-5.6. */
  openai: { type: 'steps', minimumTokens: 1024, step: 128, lifetimeSeconds: 300 },
  /** OpenAI from GPT-5.6 on: three marks of a request and its own. */
  openaiMarks: { type: 'marks', minimumTokens: 1024, lifetimeSeconds: 1800, most: 4, implicit: true },
  /** Anthropic. Its least sizes are those of models. */
  anthropic: (minimumTokens: number | ((model: string) => number)): SimulatedRule => ({
    type: 'marks',
    minimumTokens,
    lifetimeSeconds: 300,
    most: 4,
    refusesMore: true,
    lookBack: 20,
  }),
  /** llama.cpp, and Ollama while the model is loaded. */
  engine: (slots: number): SimulatedRule => ({ type: 'slots', slots }),
} as const

/** What a provider reports of a call. */
export interface SimulatedReport extends Required<Omit<ScriptedUsage, 'reasoningTokens'>> {
  /** Of the written tokens, those that were asked to be kept for longer. */
  readonly longWrittenTokens: number
}

/** A prompt cache of a provider. */
export interface SimulatedCache {
  /** Every call so far. */
  readonly reports: readonly SimulatedReport[]
  /** Reports a call, and keeps what it leaves in the cache. Throws where the provider would refuse its marks. */
  report(request: Pick<ScriptedRequest, 'body'>, answer: ScriptedAnswer): SimulatedReport
}

export interface SimulatedCacheOptions {
  readonly rule: SimulatedRule
  /** Milliseconds. */
  readonly now: () => number
  /** Tokens of a text. The default is one for four characters, and one for each of a script without spaces. */
  readonly tokens?: (text: string) => number
}

/** Simulates a provider's prompt cache. The same calls at the same times give the same reports. */
export function simulatedCache({ rule, now, tokens = quarter }: SimulatedCacheOptions): SimulatedCache {
  const reports: SimulatedReport[] = []
  const sizes = new Map<string, number>()
  const read = reader(rule)

  function size(text: string): number {
    const known = sizes.get(text) ?? tokens(text)
    sizes.set(text, known)
    return known
  }

  return {
    reports,
    report({ body }, answer) {
      const blocks = promptBlocks({ body })
      const replied = answerBlocks(answer)
      const sum = (part: readonly PromptBlock[]) => part.reduce((all, { text }) => all + size(text), 0)
      const call = { body, blocks, replied, now: now() / 1000, sum, tokens }
      const { cached, written = 0, long = 0 } = read(call)
      const report = {
        promptTokens: sum(blocks),
        cachedTokens: cached,
        cacheWrittenTokens: written,
        longWrittenTokens: long,
        outputTokens: sum(replied),
      }
      reports.push(report)
      return report
    },
  }
}

function quarter(text: string): number {
  const dense = text.match(DENSE)?.length ?? 0
  return Math.ceil((text.length - dense) / 4 + dense)
}

/** Chinese, Japanese and Korean. */
const DENSE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g

interface Call {
  readonly body: ScriptedRequest['body']
  readonly blocks: readonly PromptBlock[]
  readonly replied: readonly PromptBlock[]
  /** Seconds. */
  readonly now: number
  readonly sum: (blocks: readonly PromptBlock[]) => number
  readonly tokens: (text: string) => number
}

type Reader = (call: Call) => { readonly cached: number; readonly written?: number; readonly long?: number }

function reader(rule: SimulatedRule): Reader {
  if (rule.type === 'steps') return readSteps(rule)
  return rule.type === 'marks' ? readMarks(rule) : readSlots(rule)
}

/** Entries that are kept; the oldest leave first. */
const MOST_ENTRIES = 200

function readSteps(rule: Extract<SimulatedRule, { type: 'steps' }>): Reader {
  let kept: { readonly owner: string; readonly blocks: readonly PromptBlock[]; at: number }[] = []
  return (call) => {
    const owner = ownerOf(call)
    const seconds = call.body['prompt_cache_retention'] === '24h' ? 86_400 : rule.lifetimeSeconds
    kept = kept.filter(({ at }) => call.now - at <= seconds).slice(-MOST_ENTRIES)
    let most = 0
    for (const entry of kept) {
      if (entry.owner !== owner) continue
      const same = sameTokens(entry.blocks, call)
      if (same >= rule.minimumTokens) entry.at = call.now
      most = Math.max(most, same)
    }
    kept.push({ owner, blocks: call.blocks, at: call.now })
    return { cached: most < rule.minimumTokens ? 0 : Math.floor(most / rule.step) * rule.step }
  }
}

/** The share of a prompt that a slot has to have, so that it is not given to the one that was idle longest. */
const LEAST_ALIKE = 0.1

function readSlots({ slots, lifetimeSeconds = Infinity }: Extract<SimulatedRule, { type: 'slots' }>): Reader {
  const empty = { owner: '', blocks: [] as readonly PromptBlock[], at: -Infinity }
  const kept = Array.from({ length: slots }, () => empty)
  return (call) => {
    const { id_slot: wanted } = call.body
    const owner = ownerOf(call)
    const alike = kept.map((slot) =>
      slot.owner === owner && call.now - slot.at <= lifetimeSeconds ? sameTokens(slot.blocks, call) : 0,
    )
    const oldest = kept.indexOf(kept.toSorted((a, b) => a.at - b.at)[0]!)
    const most = Math.max(...alike)
    const isNear = most > call.sum(call.blocks) * LEAST_ALIKE
    const chosen = typeof wanted === 'number' ? wanted : isNear ? alike.indexOf(most) : oldest
    kept[chosen] = { owner, blocks: [...call.blocks, ...call.replied], at: call.now }
    // An engine evaluates at least one token, to go on from it.
    return { cached: Math.max(0, Math.min(alike[chosen] ?? 0, call.sum(call.blocks) - 1)) }
  }
}

function readMarks(rule: Extract<SimulatedRule, { type: 'marks' }>): Reader {
  const { minimumTokens, lookBack = Infinity } = rule
  const least = (model: unknown) => (typeof minimumTokens === 'number' ? minimumTokens : minimumTokens(String(model)))
  const kept = new Map<string, number>()
  return (call) => {
    const { blocks, now, sum } = call
    const prefixes = [sha256(ownerOf(call))]
    for (const { text } of blocks) prefixes.push(sha256(`${prefixes.at(-1)} ${text}`))
    const marks = marksOf(call, rule).filter(({ end }) => sum(blocks.slice(0, end)) >= least(call.body['model']))
    const isKept = (end: number) => (kept.get(prefixes[end]!) ?? -Infinity) >= now
    const found = marks.flatMap(({ end }) => {
      for (let at = end; at > 0 && end - at < lookBack; at -= 1) if (isKept(at)) return [at]
      return []
    })
    const from = Math.max(0, ...found)
    for (const { end, seconds } of marks) kept.set(prefixes[end]!, now + seconds)
    const last = marks.at(-1)?.end ?? 0
    const long = Math.max(0, ...marks.filter(({ seconds }) => seconds > rule.lifetimeSeconds).map(({ end }) => end))
    return {
      cached: sum(blocks.slice(0, from)),
      written: sum(blocks.slice(from, last)),
      long: sum(blocks.slice(from, long)),
    }
  }
}

function marksOf({ blocks, body }: Call, rule: Extract<SimulatedRule, { type: 'marks' }>) {
  const given = blocks.flatMap(({ mark }, index) =>
    mark ? [{ end: index + 1, seconds: mark.seconds ?? rule.lifetimeSeconds }] : [],
  )
  if (given.length > rule.most && rule.refusesMore) {
    throw new RangeError(`A maximum of ${rule.most} blocks with cache_control may be provided. Found ${given.length}.`)
  }
  const isExplicit = fieldsOf(body['prompt_cache_options'])['mode'] === 'explicit'
  if (!rule.implicit || isExplicit) return given.slice(-rule.most)
  const newest = blocks.findLastIndex(({ asks }) => asks) + 1
  const explicit = given.filter(({ end }) => end !== newest).slice(1 - rule.most)
  return [...explicit, { end: newest, seconds: rule.lifetimeSeconds }].toSorted((a, b) => a.end - b.end)
}

/** Caches are of one model, and of one key where requests carry one. */
function ownerOf({ body }: Call): string {
  return JSON.stringify([body['model'], body['prompt_cache_key'] ?? null])
}

/** Tokens at the beginning that are the same, up to the first character that is not. */
function sameTokens(before: readonly PromptBlock[], { blocks, sum, tokens }: Call): number {
  let same = 0
  while (same < blocks.length && before[same]?.text === blocks[same]!.text) same += 1
  const [known, text] = [before[same]?.text, blocks[same]?.text]
  if (known === undefined || text === undefined) return sum(blocks.slice(0, same))
  let characters = 0
  while (characters < text.length && text[characters] === known[characters]) characters += 1
  return sum(blocks.slice(0, same)) + Math.max(0, tokens(text.slice(0, characters)) - 1)
}
