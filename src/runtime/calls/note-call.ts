import {
  type Assembly,
  ContextOverflowError,
  type Manifest,
  type Message,
  messageTokens,
  type TokenCounter,
  type VerbatimAssembly,
} from '../../context.ts'
import type { RecordedOptions } from './call-input.ts'
import type { CallRecord } from '../../session.ts'

/** What is recorded of a call that asks for a note: an earlier call of the session, and the message behind its request. */
export interface NoteCallInput {
  readonly noteOf: string
  readonly instruction: string
  readonly counter: string
  readonly options: RecordedOptions
}

/** What a call that asks for a note was made from; `undefined` for other calls. */
export function noteCallInput({ input }: CallRecord): NoteCallInput | undefined {
  return typeof (input as Partial<NoteCallInput>).noteOf === 'string' ? (input as NoteCallInput) : undefined
}

/** The request of an earlier call, byte for byte, with one message more: its account names that message, too. */
export function withInstruction(
  { request, manifest, pieces }: Assembly | VerbatimAssembly,
  instruction: string,
  counter: TokenCounter,
): Assembly {
  const message: Message = { role: 'user', content: instruction }
  const tokens = messageTokens(counter, message)
  const entry: Manifest['entries'][number] = {
    id: 'note-request',
    layer: 'note-request',
    slot: 'after-input',
    outcome: 'included',
    form: 'full',
    tokens,
    fullTokens: tokens,
    origin: { kind: 'operator', ref: 'foreword' },
  }
  const { cut: _cut, ...account } = manifest
  return {
    request: { ...request, messages: [...(request.messages as Message[]), message] },
    manifest: {
      ...account,
      used: manifest.used + tokens,
      slots: { ...manifest.slots, 'after-input': manifest.slots['after-input'] + tokens },
      entries: [...manifest.entries, entry],
    },
    pieces: [...pieces, { entry: manifest.entries.length, tokens, content: message }],
  }
}

export async function noteCallAgain(
  { noteOf, instruction }: NoteCallInput,
  counter: TokenCounter,
  again: (call: string) => Promise<Assembly | VerbatimAssembly | ContextOverflowError>,
): Promise<Assembly | ContextOverflowError> {
  const base = await again(noteOf)
  return base instanceof ContextOverflowError ? base : withInstruction(base, instruction, counter)
}
