import type { Entry } from '../session.ts'
import type { CallDescription } from '../tool.ts'
import { argvText, exactLine } from './exact-text.ts'

/**
 * Tells the calls of a turn line by line: `→` runs, `✗` does not, with the words of the command where they are known; and of
 * a proposal how a person decides about it. Give it every entry in turn.
 */
export function shownCalls(tell: (line: string) => void): (entry: Entry) => void {
  const words = new Map<string, string>()
  /** Calls of which it stands there already what became of them. */
  const told = new Set<string>()
  const denied = new Set<string>()
  const proposing = new Set<string>()

  function stopped(toolCallId: string, why: string): void {
    told.add(toolCallId)
    tell(`✗ ${words.get(toolCallId) ?? ''}`)
    tell(`  ${why}`)
  }

  function ended({ toolCallId, ok, output, durationMs }: Extract<Entry, { type: 'tool-end' }>): void {
    if (ok && proposing.has(toolCallId)) tellProposal(output)
    if (ok || denied.has(toolCallId)) return
    if (told.has(toolCallId)) tell(`  failed: ${output}`)
    else stopped(toolCallId, `${durationMs === 0 ? 'refused' : 'failed'}: ${output}`)
  }

  /** The model may not mention it. */
  function tellProposal(output: string): void {
    const [, id] = /"proposal_id":\s*"(\w+)"/.exec(output) ?? []
    if (id === undefined) return
    tell(`  ${id} waits for you:`)
    tell('  `foreword subjects confirm ID` writes it')
  }

  return (entry) => {
    if (entry.type === 'message') {
      for (const call of callsIn(entry)) words.set(call.toolCallId, callLine(call))
    } else if (entry.type === 'approval-request') {
      words.set(entry.toolCallId, callLine(entry.request))
    } else if (entry.type === 'approval' && entry.decision.type === 'deny') {
      denied.add(entry.toolCallId)
      stopped(entry.toolCallId, ['denied', entry.decision.reason].filter(Boolean).join(': '))
    } else if (entry.type === 'tool-start') {
      told.add(entry.toolCallId)
      if (PROPOSES.has(entry.toolName)) proposing.add(entry.toolCallId)
      tell(`→ ${words.get(entry.toolCallId) ?? callLine({ tool: entry.toolName, input: entry.input })}`)
    } else if (entry.type === 'tool-end') {
      ended(entry)
    }
  }
}

const PROPOSES: ReadonlySet<string> = new Set(['propose_notes_update', 'propose_taste_update'])

/** What a message of the model asks for. */
function callsIn({
  message,
}: Extract<Entry, { type: 'message' }>): readonly (CallDescription & { toolCallId: string })[] {
  if (message.role !== 'assistant' || typeof message.content === 'string') return []
  return message.content.flatMap((part) =>
    part.type === 'tool-call' ? [{ toolCallId: part.toolCallId, tool: part.toolName, input: part.input }] : [],
  )
}

/** A call in one line. */
function callLine({ tool, argv, command, input }: CallDescription): string {
  const words = argv === undefined ? exactLine(command ?? JSON.stringify(input) ?? '') : argvText(argv)
  return `${tool} ${words}`
}
