import type { CapabilityHost, WithheldTool } from '../../capability.ts'
import type { ToolDefinition } from '../../context.ts'
import { errorMessage, sha256 } from '../../platform.ts'
import type { AuditFacts } from '../../session.ts'
import { accessAnswer, type Tool, toolDefinition } from '../../tool.ts'
import { type Skill, TOOL_FILES, type ToolFiles } from './skill.ts'

type PinsHost = Pick<CapabilityHost, 'store' | 'clock' | 'writes' | 'access'>

export type PinnedSkills = ReturnType<typeof pinnedSkills>

interface AcceptedSkill {
  /** SHA-256 of its files that declare tools. */
  readonly digest: string
  readonly text: string
  readonly tools: readonly ToolDefinition[]
}

/** Stored between starts. Plain JSON. */
interface AcceptedSkills {
  readonly version: 1
  readonly accepted: Readonly<Record<string, AcceptedSkill>>
  readonly waiting: Readonly<Record<string, string>>
}

interface WaitingSkill {
  readonly skill: string
  readonly before: AcceptedSkill | undefined
  readonly now: AcceptedSkill
}

const KEY = 'skills/accepted'

/**
 * Pins the files that declare tools. What is there at the first start is accepted. Later a changed skill waits, and a
 * new one waits if the policy would let a tool of it run without asking.
 */
export function pinnedSkills({ store, clock, writes, access }: PinsHost) {
  let record: AcceptedSkills | undefined
  let waiting: readonly WaitingSkill[] = []
  let fault: string | undefined

  async function put(next: AcceptedSkills, facts: readonly AuditFacts[]): Promise<void> {
    const time = clock.time()
    await store.transaction([
      { type: 'value', key: KEY, value: next },
      ...facts.map((each) => ({ type: 'audit', facts: each, time }) as const),
    ])
    record = next
  }

  return {
    async compare(skills: readonly Skill[], tools: ReadonlyMap<string, readonly Tool[]>): Promise<void> {
      const found = await read(store)
      record = found
      const policy = await access()
      const accepted: Record<string, AcceptedSkill> = { ...found?.accepted }
      const waits: WaitingSkill[] = []
      for (const { name, toolFiles } of skills) {
        const own = tools.get(name) ?? []
        if (toolFiles === undefined || own.length === 0) continue
        const now = declarationOf(toolFiles, own)
        const before = accepted[name]
        if (before?.digest === now.digest) continue
        const isFree = own.some((tool) => accessAnswer(policy, tool).type === 'allow')
        if (found !== undefined && (before !== undefined || isFree)) waits.push({ skill: name, before, now })
        else accepted[name] = now
      }
      waiting = waits
      const next: AcceptedSkills = {
        version: 1,
        accepted,
        waiting: Object.fromEntries(waits.map(({ skill, now }) => [skill, now.digest])),
      }
      fault = undefined
      if (!writes || JSON.stringify(next) === JSON.stringify(found)) return
      try {
        const begun = waits.filter(({ skill, now }) => found?.waiting[skill] !== now.digest)
        await put(next, begun.map(waitingFacts))
      } catch (error) {
        fault = `what was accepted of the skills could not be stored: ${errorMessage(error)}`
      }
    },
    withheld: () => waiting.flatMap(withheldTools),

    /** Accepts the whole skill that declares this tool. Returns false where no such skill of this digest waits. */
    async accept(tool: string, digest: string): Promise<boolean> {
      const found = waiting.find(({ now }) => now.digest === digest && now.tools.some(({ name }) => name === tool))
      if (found === undefined || record === undefined) return false
      const { skill, now } = found
      const { [skill]: _, ...others } = record.waiting
      await put({ ...record, accepted: { ...record.accepted, [skill]: now }, waiting: others }, [])
      waiting = waiting.filter((each) => each !== found)
      return true
    },
    warnings: () => [
      ...(fault === undefined ? [] : [fault]),
      ...waiting.map(
        (each) =>
          `${sentenceOf(each)} They are withheld. Show the difference and accept it with \`foreword accept ${nameOf(each)}\``,
      ),
    ],
  }
}

/** What something else changed accepts nothing. Rejects where the store cannot be read. */
async function read(store: PinsHost['store']): Promise<AcceptedSkills | undefined> {
  const value = (await store.value(KEY)) as Partial<AcceptedSkills> | undefined | null
  if (value === undefined || value === null) return undefined
  const { version, accepted, waiting } = value
  const isWhole = version === 1 && typeof accepted === 'object' && typeof waiting === 'object'
  return isWhole ? { version, accepted, waiting } : { version: 1, accepted: {}, waiting: {} }
}

function declarationOf(files: ToolFiles, tools: readonly Tool[]): AcceptedSkill {
  const present = TOOL_FILES.filter((file) => files[file] !== undefined)
  const texts = present.map((file) => [file, files[file]!] as const)
  const text = present.length === 1 ? texts[0]![1] : texts.map(([file, each]) => `# ${file}\n${each}`).join('\n')
  return { digest: sha256(JSON.stringify(texts)), text, tools: tools.map(toolDefinition) }
}

function withheldTools({ skill, before, now }: WaitingSkill): readonly WithheldTool[] {
  const { digest, text, tools } = now
  const declared = {
    kind: 'declaration' as const,
    name: nameOf({ skill }),
    accepted: before?.text,
    offered: text,
    words: [sentenceOf({ skill, before, now })],
  }
  return tools.map((offered) => ({
    name: offered.name,
    accepted: before?.tools.find(({ name }) => name === offered.name),
    offered,
    digest,
    declared,
  }))
}

function nameOf({ skill }: Pick<WaitingSkill, 'skill'>): string {
  return `skills/${skill}`
}

function sentenceOf({ skill, before, now }: WaitingSkill): string {
  const names = now.tools.map(({ name }) => name).join(', ')
  return before === undefined
    ? `The skill ${skill} is new, and the policy lets tools of it run without asking: ${names}.`
    : `The skill ${skill} has changed the files that declare its tools: ${names}.`
}

function waitingFacts(each: WaitingSkill): AuditFacts {
  const reason = `waits: ${sentenceOf(each)}`.slice(0, 500)
  return { kind: 'change', rule: nameOf(each), digest: each.now.digest, by: 'file', decision: 'refused', reason }
}
