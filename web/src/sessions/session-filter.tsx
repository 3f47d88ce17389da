import { ListFilter, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { type SessionFolders, useResource } from '../api/resources.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { Select } from '../parts/fields.tsx'
import { Popover } from '../parts/popover.tsx'
import { stateNames } from './session-state.tsx'
import { t } from '../language/language.ts'

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
  const isFiltered = wanted.folder !== '' || wanted.state !== ''
  return (
    <search className="flex gap-1 p-2">
      <div className="relative min-w-0 flex-1">
        <Search size={14} className="absolute start-2.5 top-2.5 text-soft" aria-hidden />
        <input
          type="search"
          aria-label={t`Search sessions`}
          placeholder={t`Search`}
          value={wanted.words}
          className="w-full rounded-lg border border-strong-line bg-ground py-1.5 ps-8 pe-2 text-sm"
          onChange={(event) => onChange({ ...wanted, words: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onChange({ ...wanted, words: '' })
          }}
        />
      </div>
      <Popover
        label={t`Filter`}
        trigger={
          <IconButton
            label={isFiltered ? t`Filter: some sessions are not shown` : t`Filter`}
            look={isFiltered ? 'primary' : 'plain'}
          >
            <ListFilter size={15} aria-hidden />
          </IconButton>
        }
      >
        <div className="flex flex-col gap-3">
          <Select
            label={t`Folder`}
            value={wanted.folder}
            options={[{ value: '', title: t`All folders` }, ...shown.map((value) => ({ value, title: value }))]}
            onChange={({ target }) => onChange({ ...wanted, folder: target.value })}
          />
          <Select
            label={t`State`}
            value={wanted.state}
            options={[
              { value: '', title: t`Any state` },
              ...Object.entries(stateNames).map(([value, title]) => ({ value, title })),
            ]}
            onChange={({ target }) => onChange({ ...wanted, state: target.value })}
          />
        </div>
      </Popover>
    </search>
  )
}

/** Shown where the list has no session. */
export function NoSessions({ wanted, onChange }: SessionFilterProps): ReactNode {
  if (Object.values(wanted).join('').trim() === '')
    return <Empty>{t`No conversations yet. The first message begins one.`}</Empty>
  const all = (
    <Button look="plain" onClick={() => onChange(allSessions)}>
      {t`Show all`}
    </Button>
  )
  return <Empty action={all}>{t`Nothing matches.`}</Empty>
}
