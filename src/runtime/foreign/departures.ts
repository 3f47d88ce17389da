import { closeSync, mkdirSync, openSync, write as writeBytes } from 'node:fs'
import { readdir, readFile, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Caller } from '../../capability.ts'
import { type ForeignRequestHead, identifyingHeaders } from '../../foreign.ts'
import { decodeBody, defined } from '../../platform.ts'
import { cutName } from './analysis/analysed-body.ts'
import type { ForeignCallFacts, Departure, ForeignCallOutcome, RecordParts } from './foreign-call.ts'
import type { ForeignCutResult } from './foreign-cuts.ts'
import { growingDigest } from './growing-digest.ts'
import { type WireAnswer } from '../../wire.ts'

/** A call of another program that has left and is not on record yet: a value of the store. Its bodies are files. */
interface DepartureRow {
  readonly id: string
  readonly time: string
  readonly provider: string
  /** Of what left. */
  readonly sha256: string
  readonly bytes: number
  /** Absent where its body does not begin or end with it. */
  readonly model?: string
  readonly url: string
  readonly head: ForeignRequestHead
  readonly caller: Caller
  readonly cut?: Omit<ForeignCutResult, 'body'> & { readonly isCut: boolean; readonly came: ForeignRequestHead }
  /** Its body contains a secret and is not kept. */
  readonly isDirty?: true
  readonly ended?: EndedRow
  /** How often a process has begun to take it apart after the one that sent it. */
  readonly tries: number
}

type EndedRow = Omit<ForeignCallOutcome, 'admission' | 'answer'> & { readonly answer?: WireAnswer }

type DepartureFacts = Omit<ForeignCallFacts, 'said' | 'left' | 'departure' | 'lost'> & { readonly url: string }

/** A call that another process sent and did not put on record. */
export interface UnrecordedCall extends Pick<DepartureRow, 'head' | 'caller'> {
  /** `undefined`: how it ended is not known. */
  readonly ended: ForeignCallOutcome | undefined
  /** `isHopeless`: it is not to be taken apart, since several processes ended over it. */
  read(): Promise<{ readonly call: Omit<ForeignCallFacts, 'said' | 'left'>; readonly isHopeless: boolean }>
}

/** Attempts at taking a body apart, after which it is kept as it is. */
const MOST_TRIES = 10

/**
 * Keeps each call that leaves until it is on record, so that a process that is killed loses none. A row is on disk before the
 * call leaves. Its bodies are handed to the system by then: they survive the end of the process, and may be lost with the power.
 */
export function createDepartures({ store, clock, secrets, bodies, departures: folder }: DepartureParts) {
  /** Rows take the first free place, so that there are never more places than calls at once. */
  const taken = new Set<number>()
  const fileOf = (name: string) => join(folder, name.replace(' ', '.'))
  const keyOf = (place: number) => `departure/${place}`

  const write = (place: number, row: DepartureRow) => {
    const text = JSON.stringify(row)
    return store.putValue(keyOf(place), JSON.parse(secrets?.redact(text) ?? text))
  }

  /** One trip to another thread, for the bytes: the rest takes less time than such a trip. */
  async function keep(name: string, body: Uint8Array): Promise<void> {
    if (body.byteLength === 0) return
    const file = openFile(fileOf(name))
    try {
      for (let at = 0; at < body.byteLength;) at += (await promisify(writeBytes)(file, body, at)).bytesWritten
    } finally {
      closeSync(file)
    }
  }

  function openFile(path: string): number {
    try {
      return openSync(path, 'w', 0o600)
    } catch {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return openSync(path, 'w', 0o600)
    }
  }

  function departure(place: number, row: DepartureRow): Departure {
    let isRecorded = false
    return {
      sha256: row.sha256,
      async ended({ end, status, answer, durationMs, firstByteMs }) {
        const said = await answer?.catch(() => undefined)
        if (isRecorded) return
        await write(place, { ...row, ended: { end, durationMs, ...defined({ status, answer: said, firstByteMs }) } })
      },
      recorded() {
        isRecorded = true
        return { type: 'value', key: keyOf(place), value: null }
      },
      async forget() {
        taken.delete(place)
        const names = row.cut?.isCut ? [row.id, cutName(row.id)] : [row.id]
        // One less look at the disk than `rm` takes. A body that was not kept has no file.
        await Promise.all(names.map((name) => unlink(fileOf(name)).catch(() => {})))
      },
    }
  }

  return {
    /** Resolves once the call may leave. Rejects where it could not be written. */
    async leave(call: DepartureFacts): Promise<Departure> {
      let place = 0
      while (taken.has(place)) place += 1
      taken.add(place)
      const { id, time, provider, url, body, caller, head, cut, isDirty } = call
      const kept = isDirty ? [] : [keep(id, cut?.came.body ?? body), ...(cut?.body ? [keep(cutName(id), body)] : [])]
      const [sha256] = await Promise.all([digest(body), ...kept])
      const row: DepartureRow = {
        id,
        time,
        provider,
        sha256,
        bytes: body.byteLength,
        ...defined({ model: modelIn(body), isDirty: isDirty || undefined }),
        url,
        head: cleanHead(head),
        caller,
        ...(cut && { cut: cutRow(cut) }),
        tries: 0,
      }
      await write(place, row)
      return departure(place, row)
    },
    /** What an earlier process has left behind. Removes the files of calls that are on record. */
    async leftOver(): Promise<readonly UnrecordedCall[]> {
      const rows: [place: number, row: DepartureRow][] = []
      for (let place = 0; ; place += 1) {
        const row = (await store.value(keyOf(place))) as DepartureRow | null | undefined
        if (row === undefined) break
        if (row === null) continue
        rows.push([place, row])
        taken.add(place)
      }
      const needed = new Set(rows.flatMap(([, { id }]) => [fileOf(id), fileOf(cutName(id))]))
      const files = (await readdir(folder).catch(() => [])).map((name) => join(folder, name))
      await Promise.all(files.filter((file) => !needed.has(file)).map((file) => rm(file, { force: true })))
      return rows
        .toSorted(([, one], [, other]) => (one.time < other.time ? -1 : 1))
        .map(([place, row]) => ({
          head: row.head,
          caller: row.caller,
          ended: row.ended && { ...row.ended, admission: undefined, answer: Promise.resolve(row.ended.answer) },
          async read() {
            const next = { ...row, tries: row.tries + 1 }
            await write(place, next)
            return { call: await readCall(row, departure(place, next)), isHopeless: row.tries >= MOST_TRIES }
          },
        }))
    },
  }

  async function readCall(row: DepartureRow, own: Departure): Promise<Omit<ForeignCallFacts, 'said' | 'left'>> {
    const { id, sha256, bytes, model, head, cut, isDirty = false, ended: _, tries: __, ...facts } = row
    const read = (name: string) => readFile(fileOf(name)).catch(() => new Uint8Array())
    const [came, left] = await Promise.all([read(id), cut?.isCut ? read(cutName(id)) : undefined])
    const body = left ?? came
    // A file may be shorter than its row says where the power failed.
    const isWhole = body.byteLength === bytes && (await digest(body)) === sha256
    const encoding = (cut?.came ?? head).headers['content-encoding']
    const decoded = isWhole ? await decodeBody(came, encoding, { most: LARGEST }) : undefined
    const plain = decoded && 'body' in decoded ? decoded.body : undefined
    const nothing = new Uint8Array()
    return {
      ...facts,
      id,
      head,
      isDirty,
      departure: own,
      overBudget: { type: 'refuse' },
      secrets: 'warn',
      ...(isWhole
        ? { body, plain: left ?? plain }
        : { body: nothing, plain: nothing, lost: { sha256, bytes, ...defined({ model }) } }),
      ...(cut &&
        isWhole && { cut: { ...cut, ...defined({ body: left }), came: { body: came, plain, head: cut.came } } }),
    }
  }

  async function digest(body: Uint8Array): Promise<string> {
    const known = bodies.beginningOf(body)
    const { sha256, digests } = await growingDigest(clock, body, known?.before.digests ?? [], known?.same ?? 0)
    if (known) known.found.digests = digests
    return sha256
  }
}

type DepartureParts = Pick<RecordParts, 'store' | 'clock' | 'secrets' | 'bodies'> & {
  /** The folder of the bodies. */
  readonly departures: string
}

/** The most that a body became before it left, bytes: what `through.maxBodyMegabytes` is at most. */
const LARGEST = 1024 ** 3

/** With what says whose call it is, and without what may be a secret of its program. */
function cleanHead({ method, path, headers }: ForeignRequestHead): ForeignRequestHead {
  const said = Object.entries(headers).filter(([name]) => identifyingHeaders.has(name))
  return { method, path, headers: Object.fromEntries(said) }
}

function cutRow({ body, came, ...cut }: NonNullable<ForeignCallFacts['cut']>): DepartureRow['cut'] {
  return { ...cut, isCut: body !== undefined, came: cleanHead(came.head) }
}

/** Bytes at either end of a body in which its model is looked for. */
const NEAR_THE_END = 4_000

/** A name within a text of the body has its quotes escaped, and is not found. */
function modelIn(body: Uint8Array): string | undefined {
  for (const part of [body.subarray(0, NEAR_THE_END), body.subarray(-NEAR_THE_END)]) {
    const model = /"model"\s*:\s*"([^"\\]{1,200})"/.exec(Buffer.from(part).toString('latin1'))?.[1]
    if (model !== undefined) return model
  }
  return undefined
}
