import type { GatewayConnection } from '../capability.ts'
import {
  assemble,
  divideExactly,
  type ManifestEntry,
  type Piece,
  type Scenario,
  scenarioInput,
  smallCounters,
  tokenx,
} from '../context.ts'
import { apiPath, requestJson } from './answer.ts'

/** What the turn of a call is made of: the message, each call and each result. Empty where the input of the call is not kept. */
export async function fetchTurnPieces(connection: GatewayConnection, call: string): Promise<readonly Piece[]> {
  try {
    const scenario = await requestJson<Scenario>(connection, apiPath('/api/calls/', call, '/scenario'))
    const isKnown = smallCounters.some(({ id }) => id === scenario.counter)
    const { manifest, pieces } = assemble(
      scenarioInput(isKnown ? scenario : { ...scenario, counter: tokenx.id }, smallCounters),
    )
    const turn = manifest.entries.findIndex(isRunningTurn)
    return pieces.filter(({ entry }) => entry === turn)
  } catch {
    return []
  }
}

export function isRunningTurn({ layer, slot }: ManifestEntry): boolean {
  return layer === 'turn' && slot === 'input'
}

/** A row for each piece of a turn. Their tokens add up to those of the turn. */
export function turnRows(
  turn: ManifestEntry,
  pieces: readonly Piece[],
): readonly { readonly name: string; readonly entry: ManifestEntry }[] {
  const tokens = divideExactly(
    turn.tokens,
    pieces.map((piece) => piece.tokens),
  )
  return pieces.map((piece, at) => ({
    name: pieceName(piece),
    entry: { ...turn, tokens: tokens[at]!, fullTokens: tokens[at]! },
  }))
}

function pieceName({ content }: Piece): string {
  if (typeof content === 'string' || !('role' in content)) return 'message'
  const parts = typeof content.content === 'string' ? [] : content.content
  const names = parts.flatMap((part) => ('toolName' in part ? [part.toolName] : [])).join(', ')
  if (names !== '') return content.role === 'tool' ? `result of ${names}` : `call of ${names}`
  return content.role === 'user' ? 'message' : 'words of the model'
}
