import { type CostSums, exactMoneyText, type Io, type SessionProgram } from '../../capability.ts'
import { countedText, exactLine } from '../../context.ts'
import type { SessionRow } from '../../session.ts'
import { lineLimit, safeForTerminal } from '../io.ts'
import { cutToCells, singleLine, table } from '../table.ts'
import { timeText } from '../time-text.ts'

/** On fewer columns, a session has two lines, because its title has no room beside the rest. */
const NARROW = 80

/** A session, and what its calls cost; absent where that could not be asked for. */
export interface ListedSession extends SessionRow {
  readonly cost?: CostSums | undefined
  /** The program that it belongs to, where that is another one. */
  readonly program?: SessionProgram | undefined
}

/** One session per line, or two on a narrow terminal, without turns and model. `current` is marked. A pipe gets every character. */
export function sessionTable(sessions: readonly ListedSession[], io: Io, current?: string): string {
  const columns = lineLimit(io)
  const now = new Date()
  const shown = sessions.map((row) => ({ ...row, ...(row.title && { title: safeForTerminal(row.title, io.stdout) }) }))
  const text = columns < NARROW ? narrow(shown, now, current) : wide(shown, now, current)
  return text
    .split('\n')
    .map((line) => cutToCells(line, columns))
    .join('\n')
}

function narrow(sessions: readonly ListedSession[], now: Date, current: string | undefined): string {
  const withCost = sessions.some(hasMoney)
  return sessions
    .map(({ id, updated, title = '', cost, program }) => {
      const mark = id === current ? '* ' : ''
      const money = withCost ? sessionCostText(cost) : ''
      const name = program ? `${programText(program)}: ` : ''
      return `${`${mark}${id}  ${timeText(updated, now)}  ${money}`.trimEnd()}\n  ${name}${title}`
    })
    .join('\n')
}

function wide(sessions: readonly ListedSession[], now: Date, current: string | undefined): string {
  const withCost = sessions.some(hasMoney)
  const cells = ({ id, updated, turns, model = '', title = '', cost, program }: ListedSession): readonly string[] => [
    `${id === current ? '* ' : ''}${id}`,
    timeText(updated, now),
    program ? '' : String(turns),
    ...(withCost ? [sessionCostText(cost)] : []),
    program ? programText(program) : model,
    title,
  ]
  const by = sessions.some(({ program }) => program) ? 'model or program' : 'model'
  const head = ['session', 'last activity', 'turns', ...(withCost ? ['cost'] : []), by, 'title']
  return table([head, ...sessions.map(cells)], withCost ? [2, 3] : [2])
}

/** `claude-code 2.1.330`. */
export function programText({ name, version }: Omit<SessionProgram, 'calls'>): string {
  return exactLine(version === undefined ? name : `${name} ${version}`)
}

/** Where no listed session has a price, as with local models, the list says nothing of money. */
function hasMoney({ cost }: ListedSession): boolean {
  return cost?.money !== undefined && (cost.money > 0 || cost.unpriced > 0)
}

/** `-` where no price is known, `+` where some calls are not in it: what is not known is never $0. */
function sessionCostText(cost: CostSums | undefined): string {
  if (cost === undefined || cost.calls === 0) return ''
  const { money, unpriced } = cost
  return money === undefined ? '-' : `${exactMoneyText(money)}${unpriced > 0 ? '+' : ''}`
}

/** Why costs have a `-` or a `+`; empty where all are whole. */
export function missingCosts(sessions: readonly ListedSession[]): string {
  if (!sessions.some(hasMoney)) return ''
  const calls = sessions.reduce((sum, { cost }) => sum + (cost?.unpriced ?? 0), 0)
  if (calls === 0) return ''
  const count = countedText(calls, 'call')
  return `${count} without a known price or a complete report: not in the costs (\`-\`, \`+\`).`
}

/** A session without a title gets the beginning of its first message as one. */
export function withTitle<Row extends SessionRow>(row: Row): Row {
  return row.title || row.opening === undefined ? row : { ...row, title: singleLine(row.opening, 60) }
}
