import { useEffect, useRef, useState } from 'react'
import { api, ApiError } from '../api/client.ts'
import { untilReachable } from '../api/reachable.ts'
import { type Attempt, attemptOf } from './drafts.ts'
import type { HeldDraft } from './use-draft.ts'
import { t } from '../language/language.ts'

/** How long to wait before a message is sent again to a gateway that cannot be reached, ms: the last one for every further try. */
const WAITS_MS = [500, 1_000, 2_000, 5_000] as const

export interface Sending {
  /** Whether a message is on its way. */
  readonly busy: boolean
  /** Why the last one did not arrive. The draft is kept. */
  readonly error: Pick<ApiError, 'message' | 'hint'> | undefined
  setError(error: Pick<ApiError, 'message' | 'hint'> | undefined): void
  send(): Promise<void>
  giveUp(): void
}

interface SendingOptions {
  readonly session: string | undefined
  readonly held: HeldDraft
  /** The model of the next message, as far as it is known. */
  readonly model: string | undefined
  onSending(): void
  /** Called once the message is in the log of this session. */
  onSent(session: string): void
}

/**
 * Sends the draft. While the gateway cannot be reached it is sent again under the same key, so that it arrives once, also
 * where only the answer was lost or the page was loaded again meanwhile.
 */
export function useSending({ session, held, model, onSending, onSent }: SendingOptions): Sending {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Sending['error']>()
  const controller = useRef<AbortController>(undefined)
  useEffect(() => () => controller.current?.abort(), [])

  async function deliver(signal: AbortSignal): Promise<string> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await post(session, held, model, signal)
      } catch (failure) {
        if (signal.aborted || !mayArriveLater(failure)) throw failure
        setError({ message: failure.message, hint: t`The message is sent again by itself, and arrives once.` })
        await untilReachable(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)]!, signal)
      }
    }
  }

  return {
    busy,
    error,
    setError,
    giveUp: () => controller.current?.abort(),
    async send() {
      if (busy) return
      controller.current = new AbortController()
      const { signal } = controller.current
      setBusy(true)
      setError(undefined)
      onSending()
      try {
        const sent = await deliver(signal)
        held.clear()
        setError(undefined)
        onSent(sent)
      } catch (failure) {
        if (signal.aborted) {
          setError({ message: t`It is not known whether the message arrived.`, hint: UNKNOWN_HINT })
        } else {
          // It was refused, so it did not arrive. A session that was made for it is used by the next attempt.
          if (held.current().attempt?.session === undefined) held.change({ attempt: undefined })
          setError(withAdvice(failure as ApiError))
        }
      } finally {
        setBusy(false)
      }
    },
  }
}

export const UNKNOWN_HINT = t`Send it again as it is: a message that has arrived already is not sent twice.`

async function post(
  session: string | undefined,
  held: HeldDraft,
  model: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const draft = held.current()
  let attempt: Attempt = attemptOf(draft, () => crypto.randomUUID())
  held.change({ attempt })
  if (session === undefined && attempt.session === undefined && Object.keys(draft.chosen).length > 0) {
    const { id } = await api<{ readonly id: string }>('/api/sessions', { method: 'POST', body: draft.chosen, signal })
    attempt = { ...attempt, session: id }
    held.change({ attempt })
  }
  const target = session ?? attempt.session
  const body = {
    text: attempt.text,
    ...(attempt.files.length === 0 ? {} : { attachments: attempt.files }),
    ...(target === undefined ? {} : { session: target }),
    // Both by name, so that the conversation can go on with either.
    ...(attempt.beside === undefined ? {} : { beside: attempt.beside, ...(model === undefined ? {} : { model }) }),
  }
  const headers = { 'idempotency-key': attempt.key }
  const sent = await api<{ readonly session: string }>('/api/messages', { method: 'POST', body, headers, signal })
  return sent.session
}

/** Whether no answer came, or one of a gateway that is stopping. */
function mayArriveLater(failure: unknown): failure is ApiError {
  return failure instanceof ApiError && (failure.code === 'offline' || failure.code === 'closing')
}

function withAdvice({ message, hint }: ApiError): Pick<ApiError, 'message' | 'hint'> {
  return { message, hint: hint ?? t`The message is kept below. Change it or send it again.` }
}
