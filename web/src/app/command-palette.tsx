import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { useHasPage, useMay } from '../api/caller.ts'
import type { CommandList } from '../api/commands.ts'
import { type SessionPage, useResource } from '../api/resources.ts'
import { useTemplates, withTemplates } from '../api/templates.ts'
import { composeText } from '../chat/composed-text.ts'
import { allCommands } from '../chat/slash-commands.ts'
import { Dialog } from '../parts/dialog.tsx'
import { openOverlay } from '../parts/overlays.ts'
import { chooseTheme, themes } from '../parts/theme.ts'
import { sessionTitle } from '../sessions/session-row.tsx'
import { pagesFor } from '../settings/settings-pages.ts'
import { findItems, type PaletteGroup } from './palette-search.ts'
import { chooseLanguage, languageTitle } from '../language/choice.ts'
import { languages, t } from '../language/language.ts'

/** Sessions that it offers, newest activity first. */
const SESSIONS = 200

/** Finds a session, a page or a command by a few letters. */
export default function CommandPalette({ onClose }: { onClose(): void }): ReactNode {
  const { data: sessions } = useResource<SessionPage>(`/api/sessions?limit=${SESSIONS}`)
  const { data: commands } = useResource<CommandList>('/api/commands', { revalidateOnFocus: false })
  const templates = useTemplates()
  const isOwner = useMay('admin')
  const hasPage = useHasPage()
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
        title: t`Go to`,
        items: [
          does(t`New conversation`, () => navigate('/')),
          ...pagesFor(isOwner, hasPage).map(({ id, title }) =>
            does(t`Settings: ${title}`, () => navigate(`/settings/${id}`)),
          ),
          does(t`Keys and commands`, () => openOverlay('keys')),
        ],
      },
      { title: t`Colours`, items: themes.map(({ id, title }) => does(t`Colours: ${title}`, () => chooseTheme(id))) },
      {
        title: t`Language`,
        items: languages.map((tag) => does(t`Language: ${languageTitle(tag)}`, () => chooseLanguage(tag))),
      },
      {
        title: t`Commands`,
        items: allCommands(commands && withTemplates(commands, templates)).map(({ name, argument, summary }) =>
          does(`/${name}`, () => write(`/${name}${argument === undefined ? '' : ' '}`), summary),
        ),
      },
      {
        title: t`Sessions`,
        items: (sessions?.sessions ?? []).map((session) => ({
          ...does(sessionTitle(session), () => navigate(`/sessions/${encodeURIComponent(session.id)}`)),
          id: session.id,
        })),
      },
    ]
  }, [sessions, commands, templates, isOwner, hasPage, location, navigate, onClose])

  return (
    <Dialog title={t`Command palette`} onClose={onClose}>
      <PaletteList groups={groups} />
    </Dialog>
  )
}

/** A field and what its letters find. The focus stays in the field; arrow keys move the mark, round and round. */
function PaletteList({ groups }: { readonly groups: readonly PaletteGroup[] }): ReactNode {
  const id = useId()
  const [letters, setLetters] = useState('')
  const [marked, setMarked] = useState<string>()
  const found = useMemo(() => findItems(groups, letters), [groups, letters])
  const items = found.flatMap((group) => group.items)
  const at = Math.max(
    0,
    items.findIndex((item) => item.id === marked),
  )

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || items.length === 0) return
    const { length } = items
    const target = { ArrowDown: (at + 1) % length, ArrowUp: at - 1, Home: 0, End: -1 }
    if (event.key === 'Enter') items[at]!.run()
    else if (Object.hasOwn(target, event.key)) setMarked(items.at(target[event.key as keyof typeof target])!.id)
    else return
    event.preventDefault()
  }

  return (
    <>
      <input
        ref={focusFirst}
        role="combobox"
        aria-label={t`Command palette`}
        aria-expanded
        aria-controls={id}
        aria-activedescendant={items.length === 0 ? undefined : `${id}-${at}`}
        autoComplete="off"
        spellCheck={false}
        value={letters}
        placeholder={t`Type to search`}
        className="mb-2 w-full rounded-lg border border-strong-line bg-ground px-3 py-1.5"
        onChange={(event) => {
          setLetters(event.target.value)
          setMarked(undefined)
        }}
        onKeyDown={onKeyDown}
      />
      {items.length === 0 && (
        <p role="status" className="p-3 text-sm text-soft">
          {t`Nothing has that name.`}
        </p>
      )}
      {/* As high with little in it: the field that one types into stays where it is. */}
      <div id={id} role="listbox" aria-label={t`Found`} className="h-[55vh] overflow-y-auto">
        {found.map(({ title, items: own }, index) => (
          <div key={title} role="group" aria-labelledby={`${id}-group-${index}`}>
            <p id={`${id}-group-${index}`} className="px-2 pt-2 text-xs text-soft">
              {title}
            </p>
            {own.map((item) => {
              const place = items.indexOf(item)
              return (
                <div
                  key={item.id}
                  id={`${id}-${place}`}
                  role="option"
                  aria-selected={place === at}
                  ref={place === at ? showMarked : undefined}
                  className="flex cursor-pointer flex-wrap gap-x-2 rounded px-2 py-1.5 text-sm aria-selected:bg-line"
                  onPointerMove={() => setMarked(item.id)}
                  onClick={() => item.run()}
                >
                  <bdi className="min-w-0">{item.title}</bdi>
                  {item.about !== undefined && <span className="text-soft">{item.about}</span>}
                </div>
              )
            })}
          </div>
        ))}
      </div>
    </>
  )
}

/** The dialog gives its focus to the element with this attribute, which React itself does not set. */
function focusFirst(element: HTMLInputElement | null): void {
  element?.setAttribute('autofocus', '')
}

function showMarked(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
