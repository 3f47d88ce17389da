import { dirname, join } from 'node:path'
import type { AnyCapability, WaitingChange } from '../../capability.ts'
import {
  type Clock,
  defined,
  errorMessage,
  rememberWhileUnchanged,
  serialQueue,
  sha256,
  withFileLock,
} from '../../platform.ts'
import { type AuditFacts, type SessionStore, StoreError } from '../../session.ts'
import {
  type AccessRead,
  accessPaths,
  accessText,
  fileDiff,
  findSandbox,
  isWider,
  narrowAccess,
  readAccess,
  readText,
  widenedText,
  widenings,
} from '../../tool.ts'
import { capabilitySettings, type Configuration } from '../configuration/configuration.ts'
import type { Environment } from '../../model.ts'
import { fileVersionWrites } from '../home/file-versions.ts'
import { createHome, homeAt } from '../home/home.ts'
import {
  acceptedAccess,
  acceptedWrite,
  type AcceptedPolicy,
  isAccepted,
  readAccepted,
  ACCESS_FILE,
} from './edit-access.ts'
import type { ToolPolicy } from './tool-policy.ts'

/** The policy of `tool-access.json`, as far as a person has accepted it. */
export interface PinnedPolicy extends ToolPolicy {
  /** Looks at the file for the first time: where nothing was accepted ever, it is accepted as it is. */
  start(): Promise<void>
}

/** What the file and what was accepted make together. */
interface Judged {
  /** What counts, with the environment. */
  readonly read: AccessRead
  /** What counts, without it. Absent where the file cannot be read. */
  readonly inForce?: AccessRead
  /** The file lets through more than that. */
  readonly isWider: boolean
  /** What is to be stored, where that is something else than what is. */
  readonly next?: AcceptedPolicy
  /** The file lets through more than what was accepted, and counts. */
  readonly counts?: boolean
  /** Why it waits, a clause. */
  readonly why?: string
}

/**
 * What a person accepted counts, less what the file forbids now. The file is read each time. What it lets through beyond that
 * counts as long as nothing runs without a sandbox, since nobody but the owner can have written it then; else it waits.
 */
export function pinnedPolicy(options: {
  readonly home: string
  readonly environment: Environment
  readonly store: SessionStore
  readonly clock: Clock
  /** `false`: another process works on the home, so nothing is stored. */
  readonly writes: boolean
  /** What runs beside the gateway and no sandbox confines, as clauses such as `the MCP server files runs without a sandbox`. */
  readonly programs: readonly string[]
  /** The same as it is configured now, since servers can be added while the gateway runs. */
  readonly programsNow?: () => Promise<readonly string[]>
  /** Gets a sentence when something begins to wait, and when something cannot be stored. */
  readonly warn: (text: string) => void
}): PinnedPolicy {
  const { home, environment, store, clock, writes, programs, programsNow, warn } = options
  const queue = serialQueue()
  /** The last file that was accepted whole, with its policy. */
  let whole: { readonly text: string; readonly read: AccessRead } | undefined

  /** What could run without a sandbox since this process began. Kept: it can have left something behind that still runs. */
  let [unconfined] = programs

  async function judged(text: string, accepted: AcceptedPolicy | undefined, isStart: boolean): Promise<Judged> {
    if (accepted) unconfined ??= accepted.unconfined ?? unconfinedBy(acceptedAccess(accepted))
    const isChanged = accepted !== undefined && !isAccepted(accepted, text)
    if (isChanged) unconfined ??= (await programsNow?.())?.[0]
    const why = unconfined ?? (isChanged ? await missingSandbox() : undefined)
    return judge(text, accepted, { environment, isStart, ...defined({ unconfined: why }) })
  }

  async function fileText(): Promise<string> {
    const [own, inContext] = accessPaths(home)
    let found = await readText(own)
    if (found.type === 'missing') found = await readText(inContext)
    if (found.type === 'unreadable') throw new Error(`it cannot be read: ${found.why}`)
    return found.type === 'text' ? found.text : ''
  }

  const paths = accessPaths(home)
  const remembered = rememberWhileUnchanged(
    clock,
    { folders: paths.map((path) => dirname(path)), files: paths },
    fileText,
  )

  async function current(isStart = false, read = fileText): Promise<AccessRead> {
    try {
      const text = await read()
      // Asked for each time: another process may have taken something back, and the file be as it was.
      const accepted = await readAccepted(store)
      const isWhole = accepted !== undefined && isAccepted(accepted, text)
      if (isWhole && whole?.text === text) return whole.read
      return await queue.add(() => decide(text, isStart))
    } catch (error) {
      return { type: 'faulty', problems: [errorMessage(error)] }
    }
  }

  async function decide(text: string, isStart: boolean): Promise<AccessRead> {
    const accepted = await readAccepted(store)
    const { read, next } = await judged(text, accepted, isStart)
    if (accepted && isAccepted(accepted, text)) whole = { text, read }
    if (next && writes) await (accepted === undefined ? storeFirst(next) : storeNext(isStart))
    return read
  }

  /** Where another process was first, what that one accepted counts. */
  async function storeFirst(first: AcceptedPolicy): Promise<void> {
    const now = clock.time()
    const isBlank = first.text.trim() === ''
    try {
      await store.transaction([
        acceptedWrite(first, now, 0),
        ...(isBlank ? [] : [{ type: 'audit', facts: firstFacts(first.text), time: now } as const]),
      ])
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'conflict') warn(unstored(error))
    }
  }

  /** Under the lock of every edit, so that a change that is accepted before it is in the file is not taken for another one. */
  async function storeNext(isStart: boolean): Promise<void> {
    try {
      await createHome(homeAt(home))
      await withFileLock(clock, join(homeAt(home).data, '.lock'), async () => {
        const text = await fileText()
        const accepted = await readAccepted(store)
        const { next, isWider: waits, inForce, counts, why } = await judged(text, accepted, isStart)
        if (!next || accepted === undefined) return
        const now = clock.time()
        const facts: AuditFacts[] = []
        if (waits && accepted.waiting !== next.waiting) {
          const words = waitingWords(inForce, text, why)
          facts.push(waitingFacts(text, words))
          warn(waitingText(words))
        }
        if (counts) facts.push(countingFacts(text, widenedWords(acceptedAccess(accepted), text)))
        await store.transaction([
          ...(counts
            ? await fileVersionWrites(store, { file: ACCESS_FILE, before: accepted.text, after: text, time: now })
            : []),
          acceptedWrite(next, now),
          ...facts.map((each) => ({ type: 'audit', facts: each, time: now }) as const),
        ])
      })
    } catch (error) {
      warn(unstored(error))
    }
  }

  async function waiting(): Promise<WaitingChange | undefined> {
    const text = await fileText().catch(() => undefined)
    const accepted = await readAccepted(store)
    if (text === undefined || accepted === undefined) return undefined
    const { isWider: waits, inForce, why } = await judged(text, accepted, false)
    if (!waits) return undefined
    return {
      kind: 'policy',
      name: ACCESS_FILE,
      digest: sha256(text),
      words: waitingWords(inForce, text, why),
      difference: await fileDiff(ACCESS_FILE, accepted.narrowed ?? accepted.text, text),
    }
  }

  return {
    current: () => current(),
    offering: () => current(false, remembered.value),
    close: remembered.close,
    async start() {
      await current(true)
    },
    waiting,
    async accept(digest, by) {
      return withFileLock(clock, join(homeAt(home).data, '.lock'), async () => {
        const change = await waiting()
        if (change === undefined || change.digest !== digest) return false
        const text = await fileText()
        if (sha256(text) !== digest) return false
        const { text: before } = (await readAccepted(store))!
        const reason = `accepted: ${change.words.join(' ')}`.slice(0, MOST_REASON)
        const facts: AuditFacts = { kind: 'change', rule: ACCESS_FILE, digest, reason, ...defined({ by }) }
        const now = clock.time()
        await store.transaction([
          ...(await fileVersionWrites(store, { file: ACCESS_FILE, before, after: text, time: now })),
          acceptedWrite({ text }, now),
          { type: 'audit', facts, time: now },
        ])
        return true
      })
    },
    async warnings() {
      const change = await waiting()
      return change ? [waitingText(change.words)] : []
    },
  }
}

/** What a configuration runs beside the gateway that no sandbox confines, as clauses. */
export function unconfinedPrograms(
  configuration: Configuration,
  capabilities: readonly AnyCapability[],
): readonly string[] {
  return [
    ...configuration.plugins.map((name) => `the plugin ${name} runs in the gateway`),
    ...configuration.capabilities.map((name) => `the module ${name} runs in the gateway`),
    ...capabilities.flatMap((each) => each.home?.unconfined?.(capabilitySettings(configuration, each)) ?? []),
  ]
}

function unstored(error: unknown): string {
  return `What was accepted of tool-access.json could not be stored: ${errorMessage(error)}`
}

const MOST_REASON = 500

/** Whether a policy lets programs run without a sandbox, as a clause. One that cannot be read may have. */
function unconfinedBy(read: AccessRead): string | undefined {
  if (read.type === 'faulty') return 'what was accepted cannot be read'
  return read.access.sandbox.enabled ? undefined : 'programs may run without a sandbox (sandbox.enabled)'
}

async function missingSandbox(): Promise<string | undefined> {
  const found = await findSandbox()
  return found.type === 'none' ? `there is no sandbox for programs: ${found.why}` : undefined
}

interface Circumstances {
  readonly environment: Environment
  readonly isStart: boolean
  /** What may have written the file beside its owner, a clause. */
  readonly unconfined?: string
}

function judge(
  text: string,
  accepted: AcceptedPolicy | undefined,
  { environment, isStart, unconfined }: Circumstances,
): Judged {
  const file = readAccess(text, {})
  const read = readAccess(text, environment)
  if (file.type === 'faulty') return { read, isWider: false }
  if (accepted === undefined) return { read, inForce: file, isWider: false, next: { text } }
  if (isAccepted(accepted, text)) return { read, inForce: file, isWider: false }
  // A program that saves a file may empty it first: that alone takes nothing back.
  const isBlank = text.trim() === '' && !isStart
  const before = acceptedAccess(accepted)
  const both = narrowAccess(before, file)
  const waiting = sha256(text)
  const widens = isWider(both, file)
  // Who edits it may have been asked to by a text that was read.
  const asksLess = widens && widenings(both, file, []).some(({ kind }) => kind === 'untrusted')
  if (!widens || (unconfined === undefined && !asksLess && accepted.waiting !== waiting)) {
    const next = { text, ...defined({ unconfined }) }
    return { read, inForce: file, isWider: false, counts: widens, ...(isBlank ? {} : { next }) }
  }
  const narrowed = both.type === 'access' && isWider(both, before) && !isBlank ? accessText(both.access) : undefined
  const next = { ...accepted, ...defined({ narrowed, unconfined }), waiting }
  return {
    read: both.type === 'access' ? readAccess(accessText(both.access), environment) : both,
    inForce: both,
    isWider: true,
    ...defined({ why: unconfined ?? accepted.unconfined }),
    ...(narrowed === undefined && accepted.waiting === waiting ? {} : { next }),
  }
}

/** What a policy lets through beyond what counts, in sentences. */
export function widenedWords(inForce: AccessRead | undefined, text: string): readonly string[] {
  if (inForce === undefined) return []
  // Which tools there are is not known here: a name stands for the tool.
  const words = widenings(inForce, readAccess(text, {}), []).map((each) =>
    widenedText(each.kind === 'tools' && !each.name.endsWith('*') ? { ...each, kind: 'tool' } : each),
  )
  return words.length > 0 ? words : ['A tool that reads the session may be called.']
}

/** The last sentence says what could have written the file, where something could. */
function waitingWords(inForce: AccessRead | undefined, text: string, why: string | undefined): readonly string[] {
  return [...widenedWords(inForce, text), ...(why === undefined ? [] : [`${WAITS} ${why}.`])]
}

const WAITS = 'It waits for you because'

function countingFacts(text: string, words: readonly string[]): AuditFacts {
  const reason = `changed by other means while nothing ran without a sandbox: ${words.join(' ')}`.slice(0, MOST_REASON)
  return { kind: 'change', rule: ACCESS_FILE, digest: sha256(text), by: 'file', reason }
}

function firstFacts(text: string): AuditFacts {
  return { kind: 'change', rule: ACCESS_FILE, digest: sha256(text), by: 'start', reason: 'accepted as it was found' }
}

function waitingFacts(text: string, words: readonly string[]): AuditFacts {
  const reason = `changed by other means and wider, so it waits: ${words.join(' ')}`.slice(0, MOST_REASON)
  return { kind: 'change', rule: ACCESS_FILE, digest: sha256(text), by: 'file', decision: 'refused', reason }
}

function waitingText(words: readonly string[]): string {
  const [first = '', ...others] = words.filter((each) => !each.startsWith(WAITS))
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  const why = words.find((each) => each.startsWith(WAITS))
  return (
    `The file tool-access.json was changed by other means and lets through more than you accepted, which does not count yet: ` +
    `${first.replace(/\.$/, '')}${more}. Show the difference and accept it with \`foreword accept\`${why === undefined ? '' : `. ${why}`}`
  )
}
