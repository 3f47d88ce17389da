import { exactMoneyText, type Io } from '../../capability.ts'
import { countedText, exactLine, numberText } from '../../context.ts'
import { type CallLine, isUnpaid } from '../find-session.ts'
import { applyStyle, lineLimit } from '../io.ts'
import { cutToCells, fittedTable } from '../table.ts'
import { timeText } from '../time-text.ts'

/**
 * Calls of another program, one a line: turn, kind, tokens, cost and end; below it what changed, unless the conversation went on.
 * Counts of tokens and refusals, which cost nothing, have one line together.
 */
export function foreignCallsText(calls: readonly CallLine[], session: string, io: Io): string {
  const columns = lineLimit(io)
  const now = new Date()
  const turns = turnNumbers(calls)
  const isFolded = calls.every(isUnpaid) ? () => false : isUnpaid
  const shown = calls.map((call, index) => ({ call, turn: turns[index]! })).filter(({ call }) => !isFolded(call))
  const head = ['call', 'time', 'turn', 'kind', 'model', 'tokens', 'cached', 'as before', 'output', 'cost', 'end']
  const rows = shown.map(({ call, turn }) => sessionCallRow(call, turn, now))
  const [title, ...lines] = fittedTable([head, ...rows], {
    right: [2, 5, 6, 7, 8, 9],
    columns,
    spare: [4, 1, 8, 6, 7, 2],
  }).split('\n')
  const text = new Map(shown.map(({ call }, index) => [call, lines[index]!]))
  const dim = (words: string) => applyStyle(io, 'dim', cutToCells(`  ${words}`, columns))
  const printed = calls.flatMap((call, index) => {
    if (isFolded(call)) return index > 0 && isFolded(calls[index - 1]!) ? [] : [dim(unpaidText(calls, index))]
    const why = changeText(call)
    return [text.get(call)!, ...(why === undefined ? [] : [dim(why)])]
  })
  return [
    title!,
    ...printed,
    '',
    `One call by layer: foreword calls ${session} CALL. What was paid without need: foreword calls explain ${session}.`,
  ].join('\n')
}

/** Counts and refusals from this call on, up to the next call that was answered. */
function unpaidText(calls: readonly CallLine[], first: number): string {
  const end = calls.findIndex((call, index) => index > first && !isUnpaid(call))
  const all = calls.slice(first, end < 0 ? calls.length : end)
  const counts = all.filter(({ foreign }) => foreign?.kind === 'count').length
  const refusals = all.length - counts
  const parts = [
    ...(counts === 0 ? [] : [countedText(counts, 'count of tokens', 'counts of tokens')]),
    ...(refusals === 0 ? [] : [countedText(refusals, 'refused call')]),
  ]
  return exactLine(
    `${parts.join(' and ')}, ${all.length === 1 ? '' : 'the last '}${all.at(-1)!.id}: ${endText(all.at(-1)!)}`,
  )
}

/** Turns are counted as they come: their own ids are long. Sub-agents and titles belong to the turn that they came in. */
function turnNumbers(calls: readonly CallLine[]): readonly string[] {
  const numbers = new Map<string, number>()
  let newest = 0
  return calls.map(({ turn, foreign }) => {
    if (turn === undefined || foreign?.kind !== 'turn') return newest === 0 ? '' : String(newest)
    newest = numbers.get(turn) ?? numbers.size + 1
    numbers.set(turn, newest)
    return String(newest)
  })
}

function sessionCallRow(call: CallLine, turn: string, now: Date): readonly string[] {
  const { id, time, foreign, model, figures, outcome, cost } = call
  const { usage, usageEstimated } = outcome ?? {}
  return [
    id,
    timeText(time, now),
    turn,
    exactLine(foreign?.kind ?? ''),
    model,
    promptText(call),
    reportedTokens(figures.basis === 'reported' ? figures.cached : undefined),
    reportedTokens(figures.same),
    reportedTokens(usage?.outputTokens),
    cost === undefined ? '-' : `${exactMoneyText(cost)}${usageEstimated ? ' about' : ''}`,
    endText(call),
  ]
}

/** As the provider reported it, else as it is expected; `-` where nothing could be counted. */
function promptText({ figures: { basis, total }, outcome }: CallLine): string {
  if (total === 0) return '-'
  return `${reportedTokens(total)}${basis !== 'reported' || outcome?.usageEstimated ? ' about' : ''}`
}

/** How it ended: its failure, or its status and why the model stopped. */
function endText(call: CallLine): string {
  const { foreign, outcome, cutRecord } = call
  const { retryOf } = foreign ?? {}
  const status = outcome?.foreign?.status
  const how = [
    ...(retryOf === undefined ? [] : ['retry']),
    ...(cutRecord === undefined ? [] : [`cut ${cutRecord.turns}`]),
    ...assembledWords(foreign),
    ...(status === undefined || status < 400 ? [] : [String(status)]),
    outcome?.error?.code ?? outcome?.finish,
  ]
  return exactLine(how.filter(Boolean).join(', ') || (status === undefined ? '-' : String(status)))
}

/** What became of a program's wish that its conversation be cut, where that is no usual cut. */
function assembledWords(foreign: CallLine['foreign']): readonly string[] {
  const { state, forgotten } = foreign?.assembled ?? {}
  const isUsual = state === undefined || state === 'fits' || state === 'cut'
  return [...(forgotten ? ['earlier cuts forgotten'] : []), ...(isUsual ? [] : [`not cut: ${state}`])]
}

/** Why a call begins otherwise than the one before; `undefined` where it only goes on. */
function changeText({ reuse }: CallLine): string | undefined {
  const { cause, why } = reuse?.firstChange ?? {}
  return cause === undefined || cause === 'grew' ? undefined : exactLine(why ?? cause)
}

/** `-` where the provider did not report a number. */
export function reportedTokens(tokens: number | undefined): string {
  return tokens === undefined ? '-' : numberText(tokens)
}
