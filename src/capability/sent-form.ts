import type { CallOutcome, CallRecord } from '../session.ts'

/** What was sent otherwise than the log and the settings have it, in sentences. */
export function sentDifferently({ wire }: Pick<CallOutcome, 'wire'>): readonly string[] {
  const changes = Object.entries(wire?.changes ?? {}).map(([field, change]) => {
    if (change === null) return `Left out, since the server refuses it: ${field}.`
    const form = typeof change === 'number' ? `at most ${change}` : `as ${change}`
    return `Sent ${form}, since the server refuses it otherwise: ${field}.`
  })
  const corrections = Object.entries(wire?.corrections ?? {}).map(
    ([kind, count]) => `${CORRECTIONS[kind] ?? kind}: ${count}. The log has what the model said.`,
  )
  return [...changes, ...corrections]
}

const CORRECTIONS: Readonly<Record<string, string>> = {
  'call-id': 'Ids of calls in a form that every server accepts',
  'tool-name': 'Names of calls in a form that every server accepts',
  arguments: 'Arguments of calls that are no object, sent under `input`',
  'item-id': 'Ids of items left out that no server has made, or that came twice',
  'blank-text': 'Blank texts left out',
  character: 'Texts with half a character, sent without it',
  reasoning: 'Reasoning left out that no server takes back: in a text, or with nothing behind it',
  seal: 'Signatures and encrypted reasoning of another server or model left out',
}

/** Whether a prompt was fitted into a budget. What another program sends is as large as it is, unless its conversation was cut. */
export function hasOwnRoom({ kind, manifest: { budget, used } }: CallRecord): boolean {
  return kind !== 'foreign' || budget.available > used
}
