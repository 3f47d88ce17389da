import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type ManifestEntry, type Piece, toolCalls } from '../../../src/context.ts'
import { safeLink } from '../markdown/safe-link.ts'
import { shownPlace } from '../parts/shown-place.ts'

interface EntryOriginProps {
  readonly entry: ManifestEntry
  /** What was sent of it: the tools that were called in a turn lead to their cards. */
  readonly pieces: readonly Piece[]
}

const froms = {
  operator: 'From you, the owner',
  user: 'From a person',
  file: 'From a file',
  web: 'From the web',
  tool: 'From a tool',
  model: 'From the model',
} as const

/** Who or what a candidate comes from, with a way there where it can be opened. */
export function EntryOrigin({ entry, pieces }: EntryOriginProps): ReactNode {
  const { kind, ref } = entry.origin
  const address = kind === 'web' ? safeLink(ref) : undefined
  const settings = settingsPage(entry)
  const sessions = Array.from(ref.matchAll(/\bsession (session_\w+)/g), ([, id]) => id!)
  const calls = pieces.flatMap(({ content }) =>
    typeof content === 'object' && 'role' in content ? toolCalls(content) : [],
  )
  const isTurn = entry.layer === 'turn'
  const turn = isTurn && entry.slot === 'history' && ref !== 'earlier' ? entry.id.replace(/\/lead$/, '') : undefined
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 text-soft wrap-anywhere">
      <span>
        {isTurn ? 'From the conversation' : `${froms[kind]}: `}
        {isTurn ? null : address === undefined ? (
          <bdi>{ref}</bdi>
        ) : (
          <a className="text-accent underline" href={address} target="_blank" rel="noreferrer noopener">
            {address}
          </a>
        )}
      </span>
      {settings && (
        <Link className="text-accent underline" href={`/settings/${settings.page}`}>
          {settings.title}
        </Link>
      )}
      {sessions.map((session) => (
        <Link key={session} className="text-accent underline" href={`/sessions/${encodeURIComponent(session)}`}>
          Open the session
        </Link>
      ))}
      {entry.layer === 'attachment' && (
        <a className="text-accent underline" href={`/api/files/${encodeURIComponent(ref)}/content`} download>
          Download the file
        </a>
      )}
      {turn !== undefined && <ShowPlace place={turn} words="Show in the conversation" />}
      {kind === 'tool' && <ShowPlace place={ref} words="Show the call" />}
      {calls.map(({ toolCallId, toolName }) => (
        <ShowPlace key={toolCallId} place={toolCallId} words={`Show the call of ${toolName}`} />
      ))}
    </p>
  )
}

function ShowPlace({ place, words }: { readonly place: string; readonly words: string }): ReactNode {
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
  agent: { page: 'agents', title: 'Open the agents' },
  project: { page: 'projects', title: 'Open the projects' },
  subjects: { page: 'subjects', title: 'Open the subjects' },
}

const byLayer: Readonly<Record<string, SettingsLink>> = {
  'system-prompt': { page: 'prompt', title: 'Open the system prompt' },
  skills: { page: 'skills', title: 'Open the skills' },
}

function settingsPage({ slot, layer, origin }: ManifestEntry): SettingsLink | undefined {
  if (slot === 'tools') return { page: 'tools', title: 'Open tools and access' }
  return byOrigin[origin.ref.split(/[/ ]/)[0]!] ?? byLayer[layer]
}
