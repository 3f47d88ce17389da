import type { Kept } from '../../runtime.ts'

/** What the commands on agents and on projects differ in. */
export interface RecordKind {
  readonly name: 'agent' | 'project'
  /** Its long field: what it says to the model. */
  readonly text: 'prompt' | 'instructions'
  /** Fields that the list shows. */
  readonly columns: readonly string[]
}

/** One of them, as the gateway answers it. */
export type KeptRecord = Kept<RecordFields>

/** One that is not removed. */
export type LiveRecord = KeptRecord & { readonly value: RecordFields }

export interface RecordFields {
  readonly name: string
  readonly [field: string]: unknown
}

export const agentKind: RecordKind = { name: 'agent', text: 'prompt', columns: ['mode', 'model'] }
export const projectKind: RecordKind = { name: 'project', text: 'instructions', columns: [] }
