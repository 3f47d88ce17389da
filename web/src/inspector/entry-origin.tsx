import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { entryTurn, type ManifestEntry, type Piece, toolCalls } from '../../../src/context.ts'
import { useHasPage } from '../api/caller.ts'
import { safeLink } from '../markdown/safe-link.ts'
import { type ShownPlace, shownPlace } from '../parts/asked.ts'
import { originTitles } from './entry-words.ts'
import { t } from '../language/language.ts'

interface EntryOriginProps {
  readonly entry: ManifestEntry
  /** What was sent of it: the tools that were called in a turn lead to their cards. */
  readonly pieces: readonly Piece[]
  /** The call is of another program: nothing of it can be changed or looked up here. */
  readonly isForeign: boolean
}

/** Who or what a candidate comes from, with a way there where it can be opened. */
export function EntryOrigin({ entry, pieces, isForeign }: EntryOriginProps): ReactNode {
  const { kind, ref } = entry.origin
  const hasPage = useHasPage()
  const address = kind === 'web' ? safeLink(ref) : undefined
  const settings = isForeign ? undefined : settingsPage(entry)
  const sessions = Array.from(ref.matchAll(/\bsession (session_\w+)/g), ([, id]) => id!)
  const calls = pieces.flatMap(({ content }) =>
    typeof content === 'object' && 'role' in content ? toolCalls(content) : [],
  )
  const isTurn = entry.layer === 'turn'
  const turn = isForeign ? undefined : entryTurn(entry)
  const unpaired = entry.layer === 'unpaired' ? { toolCallId: ref } : {}
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 text-soft wrap-anywhere">
      <span>
        {isTurn
          ? t`From the conversation`
          : `${isForeign && kind === 'operator' ? t`From the program` : originTitles[kind]}: `}
        {isTurn ? null : address === undefined ? (
          <bdi>{entry.name ?? ref}</bdi>
        ) : (
          <a className="text-accent underline" href={address} target="_blank" rel="noreferrer noopener">
            {address}
          </a>
        )}
      </span>
      {settings && hasPage(settings.page.split('?')[0]!) && (
        <Link className="text-accent underline" href={`/settings/${settings.page}`}>
          {settings.title}
        </Link>
      )}
      {sessions.map((session) => (
        <Link key={session} className="text-accent underline" href={`/sessions/${encodeURIComponent(session)}`}>
          {t`Open the session`}
        </Link>
      ))}
      {entry.layer === 'attachment' && (
        <a className="text-accent underline" href={`/api/files/${encodeURIComponent(ref)}/content`} download>
          {t`Download the file`}
        </a>
      )}
      {turn !== undefined && entry.slot === 'history' && (
        <ShowPlace place={{ turn, ...unpaired }} words={t`Show in the conversation`} />
      )}
      {turn !== undefined &&
        calls.map(({ toolCallId, toolName }) => (
          <ShowPlace key={toolCallId} place={{ turn, toolCallId }} words={t`Show the call of ${toolName}`} />
        ))}
    </p>
  )
}

function ShowPlace({ place, words }: { readonly place: ShownPlace; readonly words: string }): ReactNode {
  return (
    <button type="button" className="cursor-pointer text-accent underline" onClick={() => shownPlace.ask(place)}>
      {words}
    </button>
  )
}

interface SettingsLink {
  readonly page: string
  readonly title: string
}

/** Pages of the settings where a person changes what a layer says, by the beginning of its origin, then by its name. */
const byOrigin: Readonly<Record<string, SettingsLink>> = {
  subjects: { page: 'subjects', title: t`Open the subjects` },
}

const byLayer: Readonly<Record<string, SettingsLink>> = {
  'system-prompt': { page: 'prompt', title: t`Open the system prompt` },
  skills: { page: 'skills', title: t`Open the skills` },
}

function settingsPage({ slot, layer, origin }: ManifestEntry): SettingsLink | undefined {
  if (slot === 'tools') return { page: 'tools', title: t`Open tools and access` }
  const [, record, id] = /^(agent|project)\/([^/ ]+)/.exec(origin.ref) ?? []
  if (id !== undefined)
    return {
      page: `${record}s?id=${encodeURIComponent(id)}`,
      title: record === 'agent' ? t`Open the agent` : t`Open the project`,
    }
  return byOrigin[origin.ref.split(/[/ ]/)[0]!] ?? byLayer[layer]
}
