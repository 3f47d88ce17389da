import {
  type Budget,
  type ContextOverflowError,
  type ToolDefinition,
  verbatim,
  type VerbatimAssembly,
  type VerbatimInput,
} from '../../context.ts'
import { type CallRecord, referredContent, type SessionStore } from '../../session.ts'
import { orOverflow } from '../calls/attempt-call.ts'
import { missingContent } from '../calls/call-input.ts'
import { countedInSlices } from '../calls/counted-in-slices.ts'
import type { Counters } from '../models/counters.ts'
import type { RecordedOptions } from './wire-proof.ts'

/** What is recorded of a call that sent its caller's own messages and tools: `verbatim` refers to `{tools, messages}`. */
interface VerbatimRecord {
  readonly verbatim: string
  readonly counter: string
  readonly budget: Budget
  /** How the call was made. Absent in records of older versions. */
  readonly options?: RecordedOptions
}

/** Writes the messages and tools beside the log and answers the record of them. */
export async function recordVerbatim(
  store: SessionStore,
  input: VerbatimInput,
  options: RecordedOptions,
  holds?: readonly string[],
): Promise<VerbatimRecord> {
  const { messages, tools = [], budget, counter } = input
  const reference = `sha256:${await store.putContent(JSON.stringify({ tools, messages }), holds)}`
  return { verbatim: reference, counter: counter.id, budget, options }
}

/** Whether an earlier call was sent as its caller wrote it. */
export function isVerbatim({ input }: CallRecord): boolean {
  return typeof (input as Partial<VerbatimRecord>).verbatim === 'string'
}

/** The input of such a call. Rejects with `missing-content` where it is gone. */
export async function restoreVerbatim(
  store: SessionStore,
  { id, model, input }: CallRecord,
  counters: Counters,
): Promise<VerbatimInput> {
  const { verbatim: reference, counter, budget } = input as VerbatimRecord
  const text = await referredContent(store, reference)
  if (text === undefined) throw await missingContent(store, reference, id)
  const { tools, messages } = JSON.parse(text) as Pick<VerbatimInput, 'messages'> & { tools: readonly ToolDefinition[] }
  return { tools, messages, budget, counter: await counters(counter), model }
}

/** Accounts for a call, and counts long texts without keeping others waiting; an overflow is an answer too. */
export function verbatimInSlices(input: VerbatimInput): Promise<VerbatimAssembly | ContextOverflowError> {
  return countedInSlices(input.counter, (counter) => orOverflow(() => verbatim({ ...input, counter })))
}
