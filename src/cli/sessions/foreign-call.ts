import { type CallPrice, exactMoneyText, type Io } from '../../capability.ts'
import { exactLine, type Manifest, type ManifestEntry } from '../../context.ts'
import type { CallRecord, Usage } from '../../session.ts'
import { applyStyle, lineLimit } from '../io.ts'
import { cutToCells, singleLine, table } from '../table.ts'
import { programText } from './session-table.ts'

/** The account of a call with what is known of it afterwards. */
export interface PricedManifest extends Manifest {
  readonly reported?: Usage
  readonly paid?: CallPrice
  readonly reuse?: { readonly tokens: number; readonly firstChange?: { readonly why?: string } }
}

/** `foreign`: of a call that could not be taken apart. */
const FORMATS: ReadonlySet<string> = new Set(['messages', 'responses', 'chat-completions', 'foreign'])

/** Whether an account is of a call that another program made. */
export function isForeignAccount({ layout }: Manifest): boolean {
  return FORMATS.has(layout)
}

/** A call of another program: what it was for, what it used and cost, what changed, and each part of it by layer. */
export function foreignCallText(call: CallRecord, manifest: PricedManifest, io: Io): string {
  const { client = 'unknown', version, kind } = call.foreign ?? {}
  const program = programText({ name: client, ...(version === undefined ? {} : { version }) })
  const title = applyStyle(io, 'bold', exactLine([program, kind, call.model].filter(Boolean).join(', ')))
  if (manifest.layout === 'foreign') return [title, unknownLine(call), ...endLines(call)].join('\n')
  return [
    title,
    ...usageLines(manifest),
    ...endLines(call),
    ...reuseLines(manifest),
    '',
    ...layerLines(manifest, io),
  ].join('\n')
}

/** A path of another kind, such as embeddings, or a body that is no JSON. */
function unknownLine({ input, foreign }: CallRecord): string {
  const { method = '', path = '' } = (
    input as { readonly foreign?: { readonly method: string; readonly path: string } }
  ).foreign ?? { method: '', path: '' }
  const status = foreign?.status === undefined ? '' : ` was answered ${foreign.status}. It`
  return exactLine(`${method} ${path}${status} has no parts: its path or its body has no format that Foreword knows.`)
}

function usageLines({ used, reported, paid }: PricedManifest): readonly string[] {
  const { promptTokens, cachedTokens, cacheWrittenTokens, outputTokens } = reported ?? {}
  if (promptTokens === undefined) return [`${number(used)} tokens counted; the provider reported none.`]
  const parts = [
    `${number(promptTokens)} tokens read`,
    ...(cachedTokens === undefined ? [] : [`${number(cachedTokens)} of them from the cache`]),
    ...(cacheWrittenTokens ? [`${number(cacheWrittenTokens)} written to it`] : []),
    ...(outputTokens === undefined ? [] : [`${number(outputTokens)} answered`]),
  ]
  const money = paid ? `: ${exactMoneyText(paid.money)}` : ''
  return [`${parts.join(', ')}${money}. Counted here: ${number(used)}.`]
}

function endLines({ foreign, outcome }: CallRecord): readonly string[] {
  return [
    ...(foreign?.retryOf === undefined ? [] : [`It repeats ${foreign.retryOf}.`]),
    ...(outcome?.error ? [exactLine(`${outcome.error.code}: ${outcome.error.message}`)] : []),
    ...(outcome?.usageEstimated ? ['The usage is an estimate: the answer broke off before it was reported.'] : []),
  ]
}

function reuseLines({ reuse }: PricedManifest): readonly string[] {
  if (!reuse) return ['It is the first of its kind in the session.']
  const why = reuse.firstChange?.why
  return [`${number(reuse.tokens)} tokens as in the call before.${why === undefined ? '' : ` ${exactLine(why)}`}`]
}

interface Priced {
  readonly entry: ManifestEntry
  readonly money: number | undefined
}

function layerLines({ entries, paid, reported }: PricedManifest, io: Io): readonly string[] {
  const priced = entries.map((entry, index): Priced => ({ entry, money: paid?.entries[index] }))
  const layers = [...Map.groupBy(priced, ({ entry }) => entry.layer)]
  const rows = layers.flatMap(([layer, own]) => {
    const [first] = own
    const isOne = own.length === 1 && first!.entry.id === layer
    return [
      { head: true, cells: [layerTitle(layer), ...sums(own)] },
      ...(isOne ? [] : own.map((each) => ({ head: false, cells: [`  ${entryTitle(each.entry)}`, ...sums([each])] }))),
    ]
  })
  const { outputTokens } = reported ?? {}
  const answer =
    outputTokens === undefined ? [] : [number(outputTokens), paid ? exactMoneyText(paid.parts.output) : '-']
  if (answer.length > 0) rows.push({ head: true, cells: ['the answer itself', ...answer] })
  const columns = lineLimit(io)
  const widest = Math.max(20, columns - 24)
  const lines = table(
    [['part', 'tokens', 'cost'], ...rows.map(({ cells: [name = '', ...rest] }) => [cutToCells(name, widest), ...rest])],
    [1, 2],
  ).split('\n')
  return lines.map((line, index) => (index === 0 || rows[index - 1]!.head ? applyStyle(io, 'bold', line) : line))
}

function sums(all: readonly Priced[]): readonly string[] {
  const tokens = all.reduce((sum, { entry }) => sum + entry.tokens, 0)
  const isPriced = all.every(({ money }) => money !== undefined)
  return [
    number(tokens),
    isPriced ? exactMoneyText(Number(all.reduce((sum, { money = 0 }) => sum + money, 0).toFixed(9))) : '-',
  ]
}

function layerTitle(layer: string): string {
  return exactLine(layer === 'turn' ? 'words of the conversation' : layer.replaceAll('-', ' '))
}

/** `turn 3: Read src/parser.ts`: what people call it. */
function entryTitle({ id, layer, name, origin, tokens, fullTokens }: ManifestEntry): string {
  const [, turn] = /^turn-(\d+)/.exec(id) ?? []
  const isTool = layer === 'tool-call' || layer === 'tool-result'
  const what = isTool ? [origin.ref, name].filter(Boolean).join(' ') : (name ?? (turn === undefined ? id : ''))
  const said = [turn === undefined ? '' : `turn ${turn}`, what].filter((word) => word !== '').join(': ')
  const later = tokens === 0 && fullTokens > 0 ? ` (loaded later: ${number(fullTokens)})` : ''
  return singleLine(exactLine(`${said || id}${later}`), 200)
}

function number(value: number): string {
  return value.toLocaleString('en')
}
