import type { Admission, Clock, ForeignCallService, ForeignCallStart, OpenForeignCall } from '../../capability.ts'
import { identifyCall } from '../../foreign.ts'
import type { Models } from '../../model.ts'
import { tokensWritten, responseReader, type WireFormat } from '../../wire.ts'
import { type Activity, decodingStream, defined, inSlices, type KnownSecrets } from '../../platform.ts'
import { type AnalysedBody, cutName } from './analysis/analysed-body.ts'
import type { RecordParts, ForeignCallFacts, Departure } from './foreign-call.ts'
import { type CallRecording, createCallRecorder } from './call-recorder.ts'
import { createDepartures } from './departures.ts'
import type { ForeignCuts } from './foreign-cuts.ts'
import type { ForeignLimits, ForeignHold } from './foreign-limits.ts'
import type { ReceivedBodies } from './received-bodies.ts'

interface ForeignCallParts extends RecordParts {
  readonly receive: ForeignCallService['receive']
  readonly models: Pick<Models, 'server'>
  readonly limits: ForeignLimits
  readonly cuts: ForeignCuts
  readonly activity: Activity
  /** The folder for the bodies of calls that are not on record yet. */
  readonly departures: string
  readonly warn: (text: string) => void
}

export interface RecoveringCalls extends ForeignCallService {
  /** Begins to record the calls that an earlier process has let leave and did not record. Resolves once they are known. */
  recover(): Promise<void>
}

/** Calls of other programs over one home. A fault in here lets the call through, is counted, and is reported once it has happened. */
export function createForeignCalls(parts: ForeignCallParts): RecoveringCalls {
  const { analysis, bodies, clock, cuts, limits, models, receive, warn } = parts
  const recorder = createCallRecorder(parts)
  const departures = createDepartures(parts)

  async function analysed(
    id: string,
    { head, body, plain, provider }: Pick<ForeignCallStart, 'head' | 'body' | 'plain' | 'provider'>,
  ): Promise<AnalysedBody | undefined> {
    try {
      const known = plain && bodies.beginningOf(plain)
      const before = known?.before.call
      const after = before === undefined ? {} : { after: { id: before, same: known!.same } }
      const isEncoded = plain === undefined || undefined
      const of = { id, head, bytes: plain ?? body, ...defined({ isEncoded }), ...after, provider }
      const said = await analysis.take({ ...of, counter: parts.counter.id })
      if (known) known.found.call = id
      return said
    } catch (error) {
      recorder.note('it was not taken apart', error)
      return undefined
    }
  }

  function begin(start: ForeignCallStart): OpenForeignCall {
    const id = clock.newId('call')
    const time = clock.time()
    let began = clock.monotonic()
    const stop = new AbortController()
    const noted: { admission?: Admission; url?: string; status?: number; firstByteMs?: number; reader?: AnswerReader } =
      {}
    /** What its body says: taken apart once, when it is first asked for. */
    let taken: Promise<AnalysedBody | undefined> | undefined
    const said = () => (taken ??= analysed(id, start))
    let leaving: ForeignCallStart & Pick<ForeignCallFacts, 'cut'> = start
    let left = said
    let isDirty = parts.secrets !== undefined
    let held: ForeignHold | undefined
    let recording: CallRecording | undefined
    let departing: Promise<Departure | undefined> | undefined
    let isOver = false
    let unread = 0
    const opened = recorder.opened()
    const { promise: over, resolve: forget } = Promise.withResolvers<void>()

    async function admit(signal: AbortSignal): Promise<Admission> {
      try {
        const secret = parts.secrets && (await findSecret(clock, start, parts.secrets, bodies))
        isDirty = secret !== undefined
        if (secret && (start.secrets === 'refuse' || secret.isToken)) return refuseSecret(secret)
        if (secret) warn(`A call of another program contains ${secret.name}.`)
        if (start.assemble) await cut()
      } catch (error) {
        recorder.note('it was not checked', error)
      }
      const settled = () => recorder.settled(start)
      const answer = await limits.hold({ id, start: leaving, said, left, settled, signal, stop: () => stop.abort() })
      if ('refuse' in answer) return { type: 'refuse', code: 'over-budget', message: answer.refuse }
      held = answer.held
      return leaving.cut?.body ? { type: 'go', body: leaving.body } : { type: 'go' }
    }

    async function cut(): Promise<void> {
      const made = await cuts.cut(start)
      if (made.facts.state === 'failed') recorder.note('it was not cut', made.facts.why)
      leaving = { ...start, cut: { ...made, came: start } }
      if (!made.body) return
      const { 'content-encoding': _encoding, ...headers } = start.head.headers
      leaving = { ...leaving, head: { ...start.head, headers }, body: made.body, plain: made.body }
      const sent = analysed(cutName(id), leaving)
      left = () => sent
    }

    const record = (): CallRecording =>
      (recording ??= recorder.begin(
        start,
        async () => ({
          ...leaving,
          id,
          time,
          departure: await departing,
          said: await said(),
          left: await left(),
          isDirty,
          ...defined({ url: noted.url }),
        }),
        departing,
      ))

    return {
      id,
      stop: stop.signal,
      async admit(signal) {
        const admission = await admit(signal)
        noted.admission = admission
        return admission
      },
      async sent(url) {
        noted.url = url
        departing = departures.leave({ ...leaving, id, time, isDirty, url }).catch((error: unknown) => {
          recorder.note('it left before that was written', error)
          return undefined
        })
        record()
        await departing
        // What it waited for before is no time of the provider's.
        began = clock.monotonic()
      },
      answered(status, headers) {
        noted.status = status
        recorder.guarded('its answer cannot be read', () => {
          const { format } = identifyCall(start.head, undefined)
          if (format) noted.reader = readAnswer(format, headers, (tokens) => held?.grew(tokens))
        })
      },
      received(bytes) {
        noted.firstByteMs ??= clock.monotonic() - began
        if (!noted.reader) {
          // Nothing else says how long an answer is that cannot be read.
          held?.grew(tokensWritten((unread += bytes.byteLength)))
          return
        }
        const { reader } = noted
        recorder.guarded('its answer cannot be read', () => reader.push(bytes))
      },
      end(end) {
        if (isOver) return
        isOver = true
        const { url: _, reader, ...rest } = noted
        const durationMs = clock.monotonic() - began
        const answer = reader?.end()
        // Who writes the record hears of it.
        answer?.catch(() => {})
        const ended = { ...defined({ ...rest, answer }), end, admission: noted.admission, durationMs }
        record().end(ended, held, () => {
          opened()
          forget()
        })
      },
      over,
    }
  }

  return {
    server: (provider) => models.server(provider),
    receive,
    begin,
    async recover() {
      for (const { head, caller, ended, read } of await departures.leftOver()) {
        const over = recorder.opened()
        const recording = recorder.begin({ head, caller }, async () => {
          const { call, isHopeless } = await read()
          const isKept = !call.lost && !isHopeless
          const said = isKept ? await analysed(call.id, { ...call, ...call.cut?.came }) : undefined
          return { ...call, said, left: isKept && call.cut?.body ? await analysed(cutName(call.id), call) : said }
        })
        if (ended) recording.end(ended, undefined, over)
        else over()
      }
    },
    state: recorder.state,
    idle: recorder.idle,
  }
}

interface FoundSecret {
  readonly name: string
  /** It opens this gateway. */
  readonly isToken: boolean
}

function refuseSecret({ name, isToken }: FoundSecret): Admission {
  return {
    type: 'refuse',
    code: 'secret-in-body',
    message: `This call contains a secret of the gateway, ${name}, so it was not sent.`,
    hint: isToken
      ? 'Take it out of what the program reads.'
      : 'Take it out of what the program reads, or replace it. `foreword config set through.secrets warn` lets such calls through.',
  }
}

/** A secret in a body, or in the path of the call; `undefined` where there is none. */
async function findSecret(
  clock: Clock,
  { body, plain, head, holdsToken }: Pick<ForeignCallStart, 'body' | 'plain' | 'head' | 'holdsToken'>,
  { count, find, findInBytes }: Pick<KnownSecrets, 'count' | 'find' | 'findInBytes'>,
  bodies: Pick<ReceivedBodies, 'beginningOf'>,
): Promise<FoundSecret | undefined> {
  // What is not in the encoding that it names is read as it is.
  const bytes = plain ?? body
  let name = find(head.path)
  const beginning = bodies.beginningOf(bytes)
  const secrets = count()
  // What was searched is not searched again, but for a secret that is not over where that ends.
  const begin = beginning?.before.withoutSecrets === secrets ? Math.max(0, beginning.same - LONGEST) : 0
  // In slices: a long body would stop every other stream.
  const length = Math.ceil((bytes.byteLength - begin) / SEARCHED)
  const starts = Array.from({ length }, (_, index) => begin + index * SEARCHED)
  await inSlices(clock, starts, (from) => void (name ??= findInBytes(bytes.subarray(from, from + SEARCHED + LONGEST))))
  if (name === undefined && beginning) beginning.found.withoutSecrets = secrets
  return name === undefined ? undefined : { name, isToken: holdsToken?.(bytes) ?? false }
}

/** Bytes in which secrets are looked for at once, and those of the longest secret in its longest form. */
const SEARCHED = 1024 * 1024
const LONGEST = 64 * 1024

type AnswerReader = ReturnType<typeof readAnswer>

/** `headers`: of the answer. `grew` is told of each part that was read, with the tokens that are written by then, about. */
function readAnswer(
  format: WireFormat,
  headers: Parameters<OpenForeignCall['answered']>[1],
  grew: (tokens: number) => void,
) {
  const reader = responseReader(format, headers)
  const decoder = decodingStream(headers['content-encoding'])
  const over = Promise.withResolvers<void>()
  const write = (bytes: Uint8Array) => {
    reader.write(bytes)
    grew(reader.size())
  }
  if (decoder) {
    decoder.on('data', write)
    // What broke off is read as far as it came.
    decoder.once('error', () => over.resolve())
    decoder.once('end', () => over.resolve())
  } else over.resolve()
  return {
    push: (bytes: Uint8Array) => void (decoder ? decoder.write(bytes) : write(bytes)),
    async end() {
      decoder?.end()
      await over.promise
      return reader.end()
    },
  }
}
