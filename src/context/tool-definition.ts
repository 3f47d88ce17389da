import type { NeutralizedSigns } from './neutral-text.ts'

/** A tool as it is described to the model. */
export interface ToolDefinition {
  readonly name: string
  readonly description?: string
  /** A JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Whether the provider has to keep its calls to the schema, where it can. Its own choice when absent. */
  readonly strict?: boolean
  /** Cost in tokens by the counter of the assembly. Counted when absent. */
  readonly tokens?: number
  /** Its results stay as they are for as long as their turn stays in the history. Not sent. */
  readonly keepsOutput?: boolean
  /** What of a conversation that is no longer sent can be read with it: the notes on what was left out name it. Not sent. */
  readonly reads?: 'history' | 'files'
  /** Offered only in calls that send this layer in this form, or in one named after it (`FORM-…`). In all calls when absent. Not sent. */
  readonly offeredWith?: OfferedWith
  /** What was written out in the description and the schema, since it would have worked on its own. Not sent. */
  readonly neutralized?: NeutralizedSigns
}

/** The layer that tells the model what there is to read with a tool, and the form in which it does. */
export interface OfferedWith {
  readonly layer: string
  readonly form: string
}

/** Whether a layer that is sent in this form brings the tool along. */
export function isOfferedWith({ offeredWith }: ToolDefinition, layer: string, form: string): boolean {
  if (offeredWith?.layer !== layer) return false
  return form === offeredWith.form || form.startsWith(`${offeredWith.form}-`)
}
