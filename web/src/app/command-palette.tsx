import { type ReactNode, useMemo } from 'react'
import { useLocation } from 'wouter'
import type { CommandList } from '../api/commands.ts'
import { type SessionPage, useResource } from '../api/resources.ts'
import { composeText } from '../chat/composed-text.ts'
import { allCommands } from '../chat/slash-commands.ts'
import { Dialog } from '../parts/dialog.tsx'
import { openOverlay } from '../parts/overlays.ts'
import { chooseTheme, themes } from '../parts/theme.ts'
import { sessionTitle } from '../sessions/session-row.tsx'
import { settingsPages } from '../settings/settings-pages.ts'
import { PaletteList } from './palette-list.tsx'
import type { PaletteGroup } from './palette-search.ts'

/** Sessions that it offers, newest activity first. */
const SESSIONS = 200

/** Finds a session, a page or a command by a few letters. */
export default function CommandPalette({ onClose }: { onClose(): void }): ReactNode {
  const { data: sessions } = useResource<SessionPage>(`/api/sessions?limit=${SESSIONS}`)
  const { data: commands } = useResource<CommandList>('/api/commands', { revalidateOnFocus: false })
  const [location, navigate] = useLocation()

  const groups = useMemo((): readonly PaletteGroup[] => {
    const does = (title: string, action: () => void, about?: string) => ({
      id: title,
      title,
      ...(about === undefined ? {} : { about }),
      run: () => {
        onClose()
        action()
      },
    })
    const write = (text: string): void => {
      if (location.startsWith('/settings')) navigate('/')
      composeText(text)
    }
    return [
      {
        title: 'Go to',
        items: [
          does('New conversation', () => navigate('/')),
          ...settingsPages.map(({ id, title }) => does(`Settings: ${title}`, () => navigate(`/settings/${id}`))),
          does('Keys and commands', () => openOverlay('keys')),
        ],
      },
      { title: 'Colours', items: themes.map(({ id, title }) => does(`Colours: ${title}`, () => chooseTheme(id))) },
      {
        title: 'Commands',
        items: allCommands(commands).map(({ name, argument, summary }) =>
          does(`/${name}`, () => write(`/${name}${argument === undefined ? '' : ' '}`), summary),
        ),
      },
      {
        title: 'Sessions',
        items: (sessions?.sessions ?? []).map((session) => ({
          ...does(sessionTitle(session), () => navigate(`/sessions/${encodeURIComponent(session.id)}`)),
          id: session.id,
        })),
      },
    ]
  }, [sessions, commands, location, navigate, onClose])

  return (
    <Dialog title="Command palette" onClose={onClose}>
      <PaletteList groups={groups} />
    </Dialog>
  )
}
