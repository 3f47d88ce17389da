import { lstat, stat } from 'node:fs/promises'
import { sha256 } from '../platform.ts'
import type { AuditFacts } from '../session.ts'
import type { TextReader } from '../tool.ts'
import type { Pin } from './capability.ts'
import type { CapabilityHost } from './host.ts'

/** A file that a model reads as instructions. What a tool call changed in it waits until a person accepts it. */
export interface PinnedFile extends Pin {
  /** Reads it, or what was accepted of it. A change by hand is the normal way, and none that waits. */
  readonly read: TextReader
}

/** Stored between starts. Plain JSON. */
interface KeptFile {
  /** Without secrets that were known; `null`: there was no file. */
  readonly text: string | null
  /** SHA-256 of the text as it was. */
  readonly digest: string | null
  /** SHA-256 of the text that waits. */
  readonly waiting?: string
}

/** How far the time of a file and the times of a record may be apart, ms. */
const SLACK_MS = 50
/** The most calls that are looked at: those that ended after the change. */
const MOST_CALLS = 1000

/**
 * Compares a file with what was read of it last, whenever it is read. A change during a tool call waits: the time at which the
 * disk noted the change lies within the call, as the audit has it. Any other change is read, and recorded.
 * `reload` reads it again, once it is accepted.
 */
export function pinnedFile(
  { store, clock, writes, redact }: Pick<CapabilityHost, 'store' | 'clock' | 'writes' | 'redact'>,
  { path, name, reload }: { readonly path: string; readonly name: string; readonly reload: () => void | Promise<void> },
  read: TextReader,
): PinnedFile {
  const key = `pinned-file/${name}`
  let waiting: { readonly before: string | null; readonly text: string } | undefined

  function keptOf(text: string | null): KeptFile {
    return text === null ? { text, digest: null } : { text: redact(text), digest: sha256(text) }
  }

  async function put(kept: KeptFile, facts: AuditFacts | undefined): Promise<void> {
    if (!writes) return
    const time = clock.time()
    await store.transaction([
      { type: 'value', key, value: kept },
      ...(facts === undefined ? [] : [{ type: 'audit', facts, time } as const]),
    ])
  }

  async function isOfCall(): Promise<boolean> {
    // A link has a time of its own: a call could put one in the place of the file that leads to an older file.
    for (const { ctimeMs } of await Promise.all([lstat(path), stat(path)])) {
      const calls = await store.audit({ since: new Date(ctimeMs - SLACK_MS).toISOString(), limit: MOST_CALLS })
      const isDuring = calls.some(({ kind, time, durationMs }) => {
        const end = Date.parse(time)
        return kind === 'call' && durationMs !== undefined && end - durationMs - SLACK_MS <= ctimeMs
      })
      if (isDuring) return true
    }
    return false
  }

  return {
    async read(asked, ...more) {
      const found = await read(asked, ...more)
      if (asked !== path || found.type === 'unreadable') return found
      const text = found.type === 'text' ? found.text : null
      waiting = undefined
      const kept = (await store.value(key)) as KeptFile | undefined
      const now = keptOf(text)
      if (kept === undefined || kept.digest === now.digest) {
        if (kept === undefined || kept.waiting !== undefined) await put(now, undefined)
        return found
      }
      const digest = sha256(text ?? '')
      const facts = { kind: 'change', rule: name, digest } as const
      if (text !== null && (kept.waiting === digest || (await isOfCall().catch(() => true)))) {
        waiting = { before: kept.text, text }
        const reason = 'changed during a tool call, so it waits'
        const record: AuditFacts = { ...facts, by: 'tool', decision: 'refused', reason }
        if (kept.waiting !== digest) await put({ ...kept, waiting: digest }, record)
        return kept.text === null ? { type: 'missing' } : { type: 'text', text: kept.text }
      }
      const reason = `changed by other means from ${kept.digest ?? 'nothing'}, and read as it is now`
      await put(now, { ...facts, by: 'file', reason })
      return found
    },
    withheld() {
      if (waiting === undefined) return []
      const { before, text } = waiting
      const words = [`A tool call changed ${name}, which the model reads as instructions.`]
      const declared = { kind: 'prompt', name, offered: redact(text), accepted: before ?? undefined, words } as const
      return [{ name, accepted: undefined, offered: undefined, digest: sha256(text), declared }]
    },
    async accept(asked, digest) {
      if (waiting === undefined || asked !== name || sha256(waiting.text) !== digest) return false
      await put(keptOf(waiting.text), undefined)
      waiting = undefined
      await reload()
      return true
    },
    warnings: () =>
      waiting === undefined
        ? []
        : [`${name} was changed during a tool call, which does not count. Accept it with \`foreword accept ${name}\``],
  }
}
