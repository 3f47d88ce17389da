import { type ReactNode, useState } from 'react'
import { goOnFrom } from '../api/branches.ts'
import type { ApiError } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import type { Conversation, Turn } from './conversation.ts'
import { leafOf } from './open-turns.ts'

interface OtherBranchProps {
  readonly session: string
  readonly conversation: Conversation
  readonly running: Turn | undefined
  onStop(): Promise<void>
}

/** Says that a turn runs in a branch that is not on the screen, with the way to it. A message waits for that turn. */
export function OtherBranch({ session, conversation, running, onStop }: OtherBranchProps): ReactNode {
  const [error, setError] = useState<ApiError>()
  if (running === undefined || conversation.turns.some(({ id }) => id === running.id)) return null
  const show = (): void => void goOnFrom(session, leafOf(conversation, running.id)).catch(setError)
  return (
    <section
      aria-label="Another branch"
      className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-ground px-3 py-1 text-sm"
    >
      <p role="status" className="min-w-40 flex-1 text-soft">
        <span className="block">A turn runs in another branch. The next message waits for it.</span>
        <bdi className="block truncate text-ink">{running.text}</bdi>
      </p>
      <Button look="plain" onClick={show}>
        Show it
      </Button>
      <Button look="plain" onClick={() => void onStop()}>
        Stop it
      </Button>
      {error && <ErrorNote error={error} />}
    </section>
  )
}
