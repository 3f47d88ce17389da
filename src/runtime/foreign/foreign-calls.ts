import type { Admission, ForeignCallService, ForeignCallStart, OpenForeignCall } from '../../capability.ts'
import { identifyCall } from '../../foreign.ts'
import type { Models } from '../../model.ts'
import { defined, errorMessage, keyedQueue } from '../../platform.ts'
import { type AnswerReader, readAnswer } from './answer-reader.ts'
import type { EndedCall } from './foreign-call.ts'
import type { ForeignCuts } from './foreign-cuts.ts'
import { type ForeignLimits, type HeldForeignCall } from './foreign-limits.ts'
import { type RecordParts, recordCall } from './record-call.ts'
import { findSecret } from './find-secret.ts'

interface ForeignCallParts extends RecordParts {
  readonly models: Pick<Models, 'server'>
  readonly limits: ForeignLimits
  readonly cuts: ForeignCuts
  readonly warn: (text: string) => void
}

/** Calls of other programs over one home. A fault in here lets the call through, is counted, and is reported once it has happened. */
export function createForeignCalls(parts: ForeignCallParts): ForeignCallService {
  const { clock, cuts, limits, models, warn } = parts
  const recording = keyedQueue<string>()
  let [open, recorded, lost] = [0, 0, 0]
  let lastFault: string | undefined

  function note(what: string, error: unknown): void {
    lastFault = `${what}: ${errorMessage(error)}`
    warn(`A call of another program went on, although its record is not whole: ${lastFault}`)
  }

  /** Runs work of ours on the way of a call. What it throws harms nobody but the record. */
  function guarded<Result>(what: string, work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      note(what, error)
      return undefined
    }
  }

  function write(ended: EndedCall, held: HeldForeignCall | undefined): void {
    // Calls of one program are written in their order: each is compared with the one before.
    const key = `${ended.head.headers['user-agent'] ?? ''} ${ended.caller.by}`
    void recording.add(key, async () => {
      try {
        const record = await recordCall(parts, ended)
        recorded += 1
        held?.settle(record.outcome)
      } catch (error) {
        lost += 1
        note('it was not recorded', error)
        guarded('what it cost was not counted', () => held?.settle(undefined))
      } finally {
        open -= 1
      }
    })
  }

  function begin(start: ForeignCallStart): OpenForeignCall {
    const id = clock.newId('call')
    const time = clock.time()
    const began = clock.monotonic()
    const stop = new AbortController()
    const noted: { admission?: Admission; url?: string; status?: number; firstByteMs?: number; reader?: AnswerReader } =
      {}
    /** The call as it leaves. */
    let leaving: ForeignCallStart & Pick<EndedCall, 'cut'> = start
    let held: HeldForeignCall | undefined
    let isOver = false
    open += 1

    async function admit(signal: AbortSignal): Promise<Admission> {
      try {
        const secret = parts.secrets && (await findSecret(start, parts.secrets))
        if (secret !== undefined && start.secrets === 'warn') warn(`A call of another program contains ${secret}.`)
        if (secret !== undefined && start.secrets === 'refuse') return refuseSecret(secret)
        if (start.assemble) leaving = await cutOf(start)
        const answer = await limits.hold({ id, start: leaving, signal, stop: () => stop.abort() })
        if ('refuse' in answer) return { type: 'refuse', code: 'over-budget', message: answer.refuse }
        held = answer.held
      } catch (error) {
        note('it was not checked', error)
      }
      return leaving.cut?.body ? { type: 'go', body: leaving.body } : { type: 'go' }
    }

    async function cutOf(came: ForeignCallStart): Promise<typeof leaving> {
      const cut = { ...(await cuts.cut(came)), came }
      if (cut.facts.state === 'failed') note('it was not cut', cut.facts.why)
      if (!cut.body) return { ...came, cut }
      const { 'content-encoding': _encoding, ...headers } = came.head.headers
      return { ...came, head: { ...came.head, headers }, body: cut.body, cut }
    }

    return {
      id,
      stop: stop.signal,
      async admit(signal) {
        const admission = await admit(signal)
        noted.admission = admission
        return admission
      },
      sent: (url) => void (noted.url = url),
      answered(status, headers) {
        noted.status = status
        guarded('its answer cannot be read', () => {
          const { format } = identifyCall(start.head, undefined)
          const { 'content-type': contentType = '', 'content-encoding': encoding } = headers
          if (format) noted.reader = readAnswer(format, { contentType, encoding })
        })
      },
      received(bytes) {
        noted.firstByteMs ??= clock.monotonic() - began
        if (!noted.reader) return
        const { reader } = noted
        guarded('its answer cannot be read', () => {
          reader.push(bytes)
          held?.grew(reader)
        })
      },
      end(end) {
        if (isOver) return
        isOver = true
        write(
          {
            ...leaving,
            ...defined(noted),
            id,
            time,
            end,
            admission: noted.admission,
            durationMs: clock.monotonic() - began,
          },
          held,
        )
      },
    }
  }

  return {
    server: (provider) => models.server?.(provider),
    begin,
    state: () => ({ open, recorded, lost, ...defined({ lastFault }) }),
    settled: () => recording.idle(),
  }
}

function refuseSecret(name: string): Admission {
  return {
    type: 'refuse',
    code: 'secret-in-body',
    message: `This call contains a secret of the gateway, ${name}, so it was not sent.`,
    hint: 'Take it out of what the program reads, or replace it. `foreword config set through.secrets warn` lets such calls through.',
  }
}
