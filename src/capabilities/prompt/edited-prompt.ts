import { defined } from '../../platform.ts'
import { type RecordStore, StoreError } from '../../session.ts'
import { type Clock, RuntimeError } from '../../capability.ts'
import { runtimeFailure } from '../../runtime.ts'

export type EditedPrompt = ReturnType<typeof createEditedPrompt>

export interface PromptVersion {
  readonly version: number
  /** ISO 8601. */
  readonly time: string
  readonly text: string | undefined
}

const KIND = 'prompt'
const ID = 'system'
const LONGEST = 200_000

export function createEditedPrompt(store: RecordStore, clock: Clock) {
  async function put(text: string | null, after?: number): Promise<PromptVersion> {
    try {
      const value = text === null ? null : { text }
      const change = { kind: KIND, id: ID, value, ...defined({ after }) }
      return promptVersion(await store.putRecord(change, clock.time()))
    } catch (error) {
      if (error instanceof StoreError && error.code === 'conflict') {
        throw new RuntimeError('changed', 'The system prompt has changed since you read it. Read it again.')
      }
      throw runtimeFailure(error)
    }
  }

  return {
    /** `undefined`: it is the one in the home, or the packaged one. Blank: none is sent. */
    async text(): Promise<string | undefined> {
      const record = await store.record(KIND, ID)
      return record && promptVersion(record).text
    },

    /** Newest first; one without text is a reset. */
    versions: async () => (await store.recordVersions(KIND, ID)).map(promptVersion),

    /** A blank text is the choice to send no system prompt. With `after`, a change of somebody else in between is `changed`. */
    async edit(text: string, after?: number): Promise<PromptVersion> {
      if (text.length > LONGEST) {
        throw new RuntimeError(
          'invalid-input',
          `The prompt has ${text.length} characters; the most is ${LONGEST}. Shorten it.`,
        )
      }
      return put(text, after)
    },
    reset: () => put(null),
    async restore(version: number): Promise<PromptVersion> {
      const found = (await store.recordVersions(KIND, ID)).find((each) => each.version === version)
      const text = found && promptVersion(found).text
      if (text === undefined) {
        const hint = 'List the versions with `foreword prompt versions`.'
        throw new RuntimeError('not-found', `The system prompt has no version ${version}.`, { version }, { hint })
      }
      return put(text)
    },
  }
}

function promptVersion({ version, time, value }: { version: number; time: string; value: unknown }): PromptVersion {
  return { version, time, text: value === null ? undefined : (value as { readonly text: string }).text }
}
