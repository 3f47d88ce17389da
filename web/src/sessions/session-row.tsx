import { Ellipsis, Pin } from 'lucide-react'
import type { ReactNode } from 'react'
import useSWR, { mutate } from 'swr'
import { Link, useLocation } from 'wouter'
import type { ListedSession } from '../api/resources.ts'
import { api, type ApiError } from '../api/client.ts'
import { downloadSession, labelSession } from '../api/session-requests.ts'
import { IconButton } from '../parts/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../parts/menu.tsx'
import { showToast } from '../parts/toasts.tsx'
import { dollars } from '../parts/numbers.ts'
import { programName } from '../parts/program-name.ts'
import { deleteWithUndo } from './pending-deletion.ts'
import { SessionStateMark } from './session-state.tsx'
import { t } from '../language/language.ts'

interface SessionRowProps {
  readonly session: ListedSession
  readonly current: boolean
  /** Opens the form for the title or the folder. */
  onEdit(what: 'title' | 'folder', session: ListedSession): void
}

/** One session of the list, with what can be done with it. */
export function SessionRow({ session, current, onEdit }: SessionRowProps): ReactNode {
  const [, navigate] = useLocation()
  const title = sessionTitle(session)
  return (
    <div className={`group relative rounded-lg hover:bg-line focus-within:bg-line ${current ? 'bg-line' : ''}`}>
      <Link
        href={`/sessions/${encodeURIComponent(session.id)}`}
        aria-current={current ? 'page' : undefined}
        onClick={() => {
          // The page of another program opens at once, without a field for messages that it does not have.
          if (session.program) void mutate(`/api/sessions/${encodeURIComponent(session.id)}`, session, false)
        }}
        className={`flex items-center gap-2 px-2 py-1.5 text-sm group-focus-within:pe-9 group-hover:pe-9 group-has-aria-expanded:pe-9 pointer-coarse:pe-9 ${current ? 'font-medium' : ''}`}
      >
        <SessionStateMark state={session.state} />
        <span className="min-w-0 flex-1 truncate">
          <bdi>{title}</bdi>
        </span>
        {session.program && (
          <>
            <span className="max-w-24 shrink-0 truncate text-xs text-soft">{programName(session.program)}</span>
            <ProgramCost session={session} />
          </>
        )}
        {session.pinned && <Pin size={12} className="shrink-0 text-soft" role="img" aria-label={t`pinned`} />}
      </Link>
      <Menu
        trigger={
          <IconButton
            label={t`Actions for ${title}`}
            className="absolute inset-y-0 end-0.5 my-auto opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100"
          >
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => onEdit('title', session)}>{t`Rename …`}</MenuItem>
        <MenuItem onSelect={() => void labelSession(session.id, { pinned: !session.pinned }).catch(report)}>
          {session.pinned ? t`Unpin` : t`Pin`}
        </MenuItem>
        <MenuItem onSelect={() => onEdit('folder', session)}>{t`Move to a folder …`}</MenuItem>
        {!session.program && (
          <MenuItem onSelect={() => void saveAsPage(session, title).catch(report)}>{t`Save as a page`}</MenuItem>
        )}
        <MenuItem onSelect={() => downloadSession(session.id)}>{t`Export`}</MenuItem>
        <MenuSeparator />
        <MenuItem
          danger
          onSelect={() => {
            const next = neighbour(session.id)
            deleteWithUndo(session.id, title)
            if (current) navigate('/')
            setTimeout(() => next?.focus())
          }}
        >
          {t`Delete`}
        </MenuItem>
      </Menu>
    </div>
  )
}

async function saveAsPage(session: ListedSession, title: string): Promise<void> {
  const { saveConversation } = await import('./save-conversation.ts')
  await saveConversation(session, title)
}

/** What the calls of another program cost, where any price is known. */
function ProgramCost({ session }: { readonly session: ListedSession }): ReactNode {
  const path = `/api/sessions/${encodeURIComponent(session.id)}?cost=true`
  // Read again after more calls.
  const { data } = useSWR<ListedSession, ApiError>([path, session.entries], () => api<ListedSession>(path), {
    keepPreviousData: true,
    revalidateOnFocus: false,
  })
  const money = data?.cost?.money
  if (money === undefined) return null
  return (
    <span className="shrink-0 text-xs text-soft tabular-nums" data-figure="money" data-value={money}>
      {dollars(money)}
    </span>
  )
}

/** Gives the focus back to the actions of a session, once the window that they opened is gone. */
export function focusActions(session: string): void {
  setTimeout(() => linkTo(session)?.parentElement?.querySelector('button')?.focus())
}

function linkTo(session: string): HTMLElement | undefined {
  const href = `/sessions/${encodeURIComponent(session)}`
  return rowLinks().find((row) => row.getAttribute('href') === href)
}

function rowLinks(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(`[aria-label="${t`Sessions`}"] li a[href^="/sessions/"]`)]
}

/** The row that takes the place of this one in the list, or the one above it. */
function neighbour(session: string): HTMLElement | undefined {
  const rows = rowLinks()
  const at = rows.indexOf(linkTo(session)!)
  return rows[at + 1] ?? rows[at - 1] ?? document.querySelector<HTMLElement>(`[aria-label="${t`New`}"] a`) ?? undefined
}

export function sessionTitle({ title, opening }: ListedSession): string {
  return title ?? opening ?? t`Untitled`
}

function report(error: ApiError): void {
  showToast({ text: error.message })
}
