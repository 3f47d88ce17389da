import { Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { type SessionFolders, useResource } from '../api/resources.ts'
import { stateNames } from './session-state.tsx'

/** What a person looks for in the list; an empty text stands for anything. */
export interface WantedSessions {
  readonly words: string
  readonly folder: string
  readonly state: string
}

export const allSessions: WantedSessions = { words: '', folder: '', state: '' }

interface SessionFilterProps {
  readonly wanted: WantedSessions
  onChange(wanted: WantedSessions): void
}

export function SessionFilter({ wanted, onChange }: SessionFilterProps): ReactNode {
  const { data } = useResource<SessionFolders>('/api/session-folders', { revalidateOnMount: false })
  const folders = data?.folders.map(({ folder }) => folder) ?? []
  const shown = wanted.folder === '' || folders.includes(wanted.folder) ? folders : [wanted.folder, ...folders]
  return (
    <search className="flex flex-col gap-2 border-b border-line p-2">
      <div className="relative">
        <Search size={14} className="absolute start-2.5 top-2.5 text-soft" aria-hidden />
        <input
          type="search"
          aria-label="Search sessions"
          placeholder="Search titles and words"
          value={wanted.words}
          className="w-full rounded-lg border border-strong-line bg-ground py-1.5 ps-8 pe-2 text-sm"
          onChange={(event) => onChange({ ...wanted, words: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onChange({ ...wanted, words: '' })
          }}
        />
      </div>
      <div className="flex gap-2">
        <Choice
          label="Folder"
          all="All folders"
          value={wanted.folder}
          options={shown.map((folder) => [folder, folder])}
          onChange={(folder) => onChange({ ...wanted, folder })}
        />
        <Choice
          label="State"
          all="Any state"
          value={wanted.state}
          options={Object.entries(stateNames)}
          onChange={(state) => onChange({ ...wanted, state })}
        />
      </div>
    </search>
  )
}

interface ChoiceProps {
  readonly label: string
  /** Shown where nothing is chosen. */
  readonly all: string
  readonly value: string
  readonly options: readonly (readonly [value: string, title: string])[]
  onChange(value: string): void
}

function Choice({ label, all, value, options, onChange }: ChoiceProps): ReactNode {
  return (
    <select
      aria-label={label}
      value={value}
      className="min-w-0 flex-1 truncate rounded-lg border border-line bg-ground px-1.5 py-1 text-xs"
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{all}</option>
      {options.map(([option, title]) => (
        <option key={option} value={option}>
          {title}
        </option>
      ))}
    </select>
  )
}
