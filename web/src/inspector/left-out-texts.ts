import {
  type AnyMessage,
  type Manifest,
  type ManifestEntry,
  type Scenario,
  toolCalls,
  toolResults,
} from '../../../src/context.ts'
import { contentText } from './share-texts.ts'
import { t } from '../language/language.ts'

/** A text that was left out, with a name where one candidate is several. */
interface LeftOutText {
  readonly name?: string
  readonly text: string
}

type Turn = Scenario['history'][number]

/** The texts of a candidate that was left out, from the input of its call. Empty where the input does not have them any more. */
export function leftOutTexts(entry: ManifestEntry, manifest: Manifest, scenario: Scenario): readonly LeftOutText[] {
  const { id, layer, reason } = entry
  const { history, current, layers, attachments } = scenario
  const turns = [...history, current]
  switch (layer) {
    case 'attachment': {
      const file = attachments.find((each) => each.id === id)
      return file?.text === undefined ? [] : [{ name: file.name, text: file.text }]
    }
    case 'turn':
      if (id === 'earlier') return earlierTexts(manifest, scenario)
      return textOf(turns.find((turn) => turn.id === id.replace(/\/lead$/, '')))
    case 'unpaired':
      return partnerless(turns, String(reason?.['toolCallId'] ?? ''))
    case 'user':
    case 'assistant':
    case 'tool':
      return messageOf(turns, id)
    default:
      return layers.flatMap((each) => {
        if (each.id !== id || each.layer !== layer) return []
        const text = each.renditions?.[0]?.text ?? each.text ?? ''
        return text === '' ? [] : [{ text }]
      })
  }
}

/** Turns that the account counts together, each by its number. */
function earlierTexts(manifest: Manifest, scenario: Scenario): readonly LeftOutText[] {
  const named = new Set(manifest.entries.map(({ id }) => id.split('/')[0]))
  return scenario.history
    .flatMap((turn, index) => (named.has(turn.id) ? [] : [{ turn, index }]))
    .flatMap(({ turn, index }) =>
      textOf(turn).map(({ text }) => ({ name: t`turn ${numberInConversation(index, manifest, scenario)}`, text })),
    )
}

/** As `turnNumber` counts the turns of the account: `index` is the place in the history that was read, which may begin later. */
export function numberInConversation(index: number, { cut }: Manifest, { history, earlier }: Scenario): number {
  return index + 1 + (cut?.first?.[index] === history[index]?.id ? 0 : (earlier?.turns ?? 0))
}

function textOf(turn: Turn | undefined): readonly LeftOutText[] {
  if (turn === undefined) return []
  return [{ text: turn.messages.map((message) => contentText(message as AnyMessage)).join('\n\n') }]
}

/** One message of a turn: `TURN/NUMBER`. */
function messageOf(turns: readonly Turn[], id: string): readonly LeftOutText[] {
  const [, turn, number] = /^(.*)\/(\d+)$/s.exec(id) ?? []
  const message = turns.find((each) => each.id === turn)?.messages[Number(number) - 1]
  return message === undefined ? [] : [{ text: contentText(message as AnyMessage) }]
}

/** The messages with a call that has no result, or with a result that has no call. */
function partnerless(turns: readonly Turn[], toolCallId: string): readonly LeftOutText[] {
  return turns
    .flatMap(({ messages }) => messages as readonly AnyMessage[])
    .filter((message) =>
      message.role === 'system'
        ? false
        : [...toolCalls(message), ...toolResults(message)].some((part) => part.toolCallId === toolCallId),
    )
    .map((message) => ({ text: contentText(message) }))
}

/** Enough to have every turn that the account names, tokens, rounded so that all rows ask for the same. */
export function historyTokens({ entries }: Manifest): number {
  const tokens = entries.reduce((sum, { slot, fullTokens }) => sum + (slot === 'history' ? fullTokens : 0), 0)
  return Math.min(10_000_000, 2 ** Math.ceil(Math.log2(Math.max(1024, tokens * 2))))
}
