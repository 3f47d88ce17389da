import { exactMoneyText, type Io } from '../../capability.ts'
import { exactLine } from '../../context.ts'
import type { CallLine } from '../find-session.ts'
import { applyStyle, lineLimit } from '../io.ts'
import { cutToCells, fittedTable } from '../table.ts'
import { timeText } from '../time-text.ts'

/** Calls of another program, one a line: turn, kind, tokens, cost and end; below it what changed, unless the conversation went on. */
export function foreignCallsText(calls: readonly CallLine[], session: string, io: Io): string {
  const columns = lineLimit(io)
  const now = new Date()
  const turns = turnNumbers(calls)
  const head = ['call', 'time', 'turn', 'kind', 'model', 'tokens', 'cached', 'as before', 'output', 'cost', 'end']
  const rows = calls.map((call, index) => sessionCallRow(call, turns[index]!, now))
  const lines = fittedTable([head, ...rows], { right: [2, 5, 6, 7, 8, 9], columns, spare: [4, 1, 8, 6, 7, 2] }).split(
    '\n',
  )
  const shown = lines.flatMap((line, index) => {
    const why = index === 0 ? undefined : changeText(calls[index - 1]!)
    return why === undefined ? [line] : [line, applyStyle(io, 'dim', cutToCells(`  ${why}`, columns))]
  })
  return [
    ...shown,
    '',
    `One call by layer: foreword calls ${session} CALL. What was paid without need: foreword explain ${session}.`,
  ].join('\n')
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
  const { id, time, foreign, model, reuse, outcome, cost } = call
  const { usage, usageEstimated } = outcome ?? {}
  return [
    id,
    timeText(time, now),
    turn,
    exactLine(foreign?.kind ?? ''),
    model,
    promptText(call),
    tokensText(usage?.cachedTokens),
    tokensText(reuse?.tokens),
    tokensText(usage?.outputTokens),
    cost === undefined ? '-' : `${exactMoneyText(cost)}${usageEstimated ? ' about' : ''}`,
    endText(call),
  ]
}

/** As the provider reported it, else as it was counted here; `-` where nothing could be. */
function promptText({ used, outcome }: CallLine): string {
  const { usage, usageEstimated } = outcome ?? {}
  if (usage?.promptTokens === undefined) return used === 0 ? '-' : `${tokensText(used)} counted`
  return `${tokensText(usage.promptTokens)}${usageEstimated ? ' about' : ''}`
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

function tokensText(tokens: number | undefined): string {
  return tokens === undefined ? '-' : tokens.toLocaleString('en')
}
