import { Command } from 'cmdk'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import type { CommandList } from '../api/commands.ts'
import { type SessionPage, useResource } from '../api/resources.ts'
import { composeText } from '../chat/composed-text.ts'
import { allCommands } from '../chat/slash-commands.ts'
import { Dialog } from '../parts/dialog.tsx'
import { openOverlay } from '../parts/overlays.ts'
import { chooseTheme, themes } from '../parts/theme.ts'
import { settingsPages } from '../settings/settings-pages.ts'

/** Sessions that it offers, newest activity first. */
const SESSIONS = 200

/** Finds a session, a page or a command by a few letters. */
export default function CommandPalette({ onClose }: { onClose(): void }): ReactNode {
  const { data: sessions } = useResource<SessionPage>(`/api/sessions?limit=${SESSIONS}`)
  const { data: commands } = useResource<CommandList>('/api/commands', { revalidateOnFocus: false })
  const [location, navigate] = useLocation()
  const [search, setSearch] = useState('')

  const does = (action: () => void) => (): void => {
    onClose()
    action()
  }
  const goes = (path: string) => does(() => navigate(path))
  const writes = (text: string) =>
    does(() => {
      if (location.startsWith('/settings')) navigate('/')
      composeText(text)
    })

  return (
    <Dialog title="Command palette" onClose={onClose}>
      <Command label="Command palette" loop>
        <Command.Input
          ref={focusFirst}
          value={search}
          onValueChange={setSearch}
          placeholder="Type to search"
          className="mb-2 w-full rounded-lg border border-strong-line bg-ground px-3 py-1.5"
        />
        <Command.List className="max-h-[55vh] overflow-y-auto">
          <Command.Empty className="p-3 text-sm text-soft">Nothing is called so.</Command.Empty>
          <Group title="Go to">
            <Item value="New conversation" onSelect={goes('/')} />
            {settingsPages.map(({ id, title }) => (
              <Item key={id} value={`Settings: ${title}`} onSelect={goes(`/settings/${id}`)} />
            ))}
            <Item value="Keys and commands" onSelect={() => openOverlay('keys')} />
          </Group>
          <Group title="Colours">
            {themes.map(({ id, title }) => (
              <Item key={id} value={`Colours: ${title}`} onSelect={does(() => chooseTheme(id))} />
            ))}
          </Group>
          <Group title="Commands">
            {allCommands(commands).map(({ name, argument, summary }) => (
              <Item
                key={name}
                value={`/${name}`}
                about={summary}
                onSelect={writes(`/${name}${argument === undefined ? '' : ' '}`)}
              />
            ))}
          </Group>
          <Group title="Sessions">
            {(sessions?.sessions ?? []).map(({ id, title = 'Untitled' }) => (
              <Item key={id} value={title} id={id} onSelect={goes(`/sessions/${encodeURIComponent(id)}`)} />
            ))}
          </Group>
        </Command.List>
      </Command>
    </Dialog>
  )
}

/** The dialog gives its focus to the element with this attribute, which React itself does not set. */
function focusFirst(element: HTMLInputElement | null): void {
  element?.setAttribute('autofocus', '')
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <Command.Group
      heading={title}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-soft"
    >
      {children}
    </Command.Group>
  )
}

interface ItemProps {
  readonly value: string
  readonly about?: string
  /** Tells two of one title apart. */
  readonly id?: string
  onSelect(): void
}

function Item({ value, about, id, onSelect }: ItemProps): ReactNode {
  return (
    <Command.Item
      value={id === undefined ? value : `${value} ${id}`}
      {...(about === undefined ? {} : { keywords: [about] })}
      onSelect={onSelect}
      className="flex cursor-pointer flex-wrap gap-x-2 rounded px-2 py-1.5 text-sm data-[selected=true]:bg-line"
    >
      <span className="min-w-0">{value}</span>
      {about !== undefined && <span className="text-soft">{about}</span>}
    </Command.Item>
  )
}
