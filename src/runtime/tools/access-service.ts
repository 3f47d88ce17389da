import {
  type AccessPreviewOptions,
  type AccessPolicy,
  type AccessPreview,
  type AccessStep,
  type AccessTrial,
  type AccessView,
  type Clock,
  type RunningCapabilities,
  RuntimeError,
  type AccessService,
  type TrialAnswer,
} from '../../capability.ts'
import { defined, sha256 } from '../../platform.ts'
import type { AuditFacts, SessionStore } from '../../session.ts'
import {
  type Access,
  type AccessRead,
  accessAnswer,
  accessRules,
  changedTools,
  commandAnswer,
  commandPresets,
  editJson,
  fileDiff,
  readAccess,
  readText,
  SHELL_VARIABLES,
  type Tool,
  widenings,
  withTool,
} from '../../tool.ts'
import type { Environment } from '../../model.ts'
import { runtimeFailure } from '../failure.ts'
import { fileVersions } from '../home/file-versions.ts'
import { accessFilePath } from '../home/home.ts'
import { ACCESS_FILE, accessFailure, accessWrites, editAccess } from './edit-access.ts'
import type { ToolPolicy } from './tool-policy.ts'

/** How many of the newest calls of `shell` are looked through for commands that a prefix matches. */
const MOST_COMMANDS = 500

/** Changes of `tool-access.json` that a person sees before they are written. */
export function createAccessService({
  home,
  environment,
  store,
  clock,
  policy,
  capabilities,
  tools: standing,
}: {
  readonly home: string
  readonly environment: Environment
  readonly store: SessionStore
  readonly clock: Clock
  readonly policy: Pick<ToolPolicy, 'current' | 'waiting'>
  readonly capabilities: Pick<RunningCapabilities, 'ready' | 'turnTools'>
  /** Everything that can be called in any session. */
  readonly tools: () => readonly Tool[]
}): AccessService {
  const read = (text: string): AccessRead => readAccess(text, environment)
  const tools = async () => {
    await capabilities.ready()
    return [...capabilities.turnTools(), ...standing()]
  }

  async function current(): Promise<{ readonly path: string; readonly text: string }> {
    const path = await accessFilePath(home)
    const found = await readText(path)
    if (found.type === 'unreadable') {
      throw new RuntimeError(
        'storage',
        `${path} cannot be read: ${found.why}.`,
        {},
        { hint: 'Correct its permissions.' },
      )
    }
    return { path, text: found.type === 'text' ? found.text : '' }
  }

  async function described(path: string, text: string, known: readonly Tool[]): Promise<AccessView> {
    const file = read(text)
    return {
      path,
      text,
      digest: sha256(text),
      problems: file.type === 'faulty' ? file.problems : [],
      overrides: SHELL_VARIABLES.filter((name) => (environment[name]?.trim() ?? '') !== ''),
      rules: accessRules(
        file,
        known.map(({ name }) => name),
        await calledCommands(store),
      ),
      presets: commandPresets.map(({ name, allows, leaves, commands }) => ({
        name,
        allows,
        leaves,
        commands: commands.flatMap(({ begins }) => begins),
        isAllowed: file.type === 'access' && file.access.shell.presets.includes(name),
      })),
      ...(file.type === 'access' ? { policy: policyOf(file.access) } : {}),
      ...defined({ inForce: await inForce() }),
    }
  }

  async function inForce(): Promise<AccessPolicy | undefined> {
    if (!(await policy.waiting?.())) return undefined
    const counts = await policy.current()
    return counts.type === 'access' ? policyOf(counts.access) : undefined
  }

  async function preview({ text, steps = [], trial }: AccessPreviewOptions): Promise<AccessPreview> {
    const [{ path, text: now }, known] = await Promise.all([current(), tools()])
    const draft = steps.reduce(withStep, text ?? now)
    const [before, after] = [read(now), read(draft)]
    const digest = sha256(now)
    const shownChange = shownOf(before, after, known)
    return {
      ...(await described(path, draft, known)),
      digest,
      difference: draft === now ? '' : await fileDiff(ACCESS_FILE, now, draft),
      ...shownChange,
      shown: shownDigest(digest, draft, shownChange),
      ...(trial ? { trial: { before: tried(before, trial, known), after: tried(after, trial, known) } } : {}),
    }
  }

  return {
    preview,
    inForce: () => policy.current(),
    async view() {
      const [{ path, text }, known] = await Promise.all([current(), tools()])
      return described(path, text, known)
    },
    async save({ text, digest, shown, by }) {
      // A change in an editor that counts is noticed before, so that it is not taken for one that waits.
      await policy.current()
      const known = await tools()
      const change = (now: string): string => {
        if (sha256(now) !== digest) throw changed('The file tool-access.json has changed since you read it.')
        return text
      }
      const record = async (made: { readonly before: string; readonly after: string }): Promise<void> => {
        const shownChange = shownOf(read(made.before), read(made.after), known)
        if (shownDigest(digest, text, shownChange) !== shown) {
          throw changed('The change would let through something else than what was shown.')
        }
        const facts = [
          { kind: 'change', rule: ACCESS_FILE, reason: 'changed on the page' } as const,
          ...shownChange.changes.map(changeFacts),
        ].map((each) => ({ ...each, ...defined({ by }) }))
        try {
          await store.transaction(await accessWrites(store, made, facts, clock.time()))
        } catch (error) {
          throw runtimeFailure(error)
        }
      }
      const edited = await editAccess({ home, clock }, change, record).catch((error: unknown) => {
        throw accessFailure(error)
      })
      return described(edited.file, edited.after, known)
    },
    versions: () => fileVersions(store, ACCESS_FILE),
  }
}

function policyOf({ global: { enabled, mode }, shell }: Access): AccessPolicy {
  const { enabled: isOn, mode: commands, approval, allowAnyCwd } = shell
  return { enabled, mode, shell: { enabled: isOn, mode: commands, approval, allowAnyCwd } }
}

type ShownChange = Pick<AccessPreview, 'changes' | 'widens'>

function shownOf(before: AccessRead, after: AccessRead, known: readonly Tool[]): ShownChange {
  return { changes: changedTools(before, after, known), widens: widenings(before, after, known) }
}

function shownDigest(digest: string, text: string, { changes, widens }: ShownChange): string {
  return sha256(JSON.stringify([digest, text, changes, widens]))
}

function withStep(text: string, step: AccessStep): string {
  try {
    if (step.do === 'allow' || step.do === 'deny') return withTool(text, step.name, step.do === 'allow')
    return step.do === 'remove'
      ? editJson(text, [{ type: 'remove', path: [...step.path] }])
      : editJson(text, [{ type: step.do, path: step.path, value: step.value }])
  } catch (error) {
    throw accessFailure(error)
  }
}

function tried(read: AccessRead, { tool, command }: AccessTrial, known: readonly Tool[]): TrialAnswer {
  const answer =
    tool === 'shell' && command !== undefined
      ? commandAnswer(read, command)
      : accessAnswer(read, known.find(({ name }) => name === tool) ?? { name: tool })
  const access = answer.type === 'refuse' ? 'refused' : answer.type === 'ask' ? 'ask' : 'allowed'
  return { access, rule: answer.rule, ...defined({ reason: answer.type === 'refuse' ? answer.reason : undefined }) }
}

/** Commands that were called, the newest first, each once. */
async function calledCommands(store: SessionStore): Promise<readonly string[]> {
  const records = await store.audit({ tool: 'shell', last: MOST_COMMANDS })
  return [...new Set(records.toReversed().flatMap(({ command, input }) => command ?? commandIn(input) ?? []))]
}

/** The audit keeps the beginning of a long input, which is then no JSON. */
function commandIn(input: string | undefined): string | undefined {
  try {
    const { cmd } = JSON.parse(input ?? '{}') as { readonly cmd?: unknown }
    return typeof cmd === 'string' ? cmd : undefined
  } catch {
    return undefined
  }
}

function changeFacts({ name, after }: ShownChange['changes'][number]): AuditFacts {
  const decision = after.access === 'ask' ? 'asked' : after.access
  return { kind: 'change', tool: name, decision, rule: after.rule, reason: 'after a change on the page' }
}

function changed(message: string): RuntimeError {
  return new RuntimeError('changed', message, {}, { hint: 'Look at the difference again, then save.' })
}
