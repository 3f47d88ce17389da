import type { ReactNode } from 'react'
import type { CommandList } from '../api/commands.ts'
import { useResource } from '../api/resources.ts'
import { allCommands } from '../chat/slash-commands.ts'
import { Dialog } from '../parts/dialog.tsx'
import { t } from '../language/language.ts'

const command = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : t`Ctrl`

const keys: readonly (readonly [string, string])[] = [
  [`${command} K`, t`Go to a session, a page or a command`],
  [`${command} Shift O`, t`Start a new conversation`],
  [`${command} I`, t`Open or close what the model reads`],
  ['/', t`Go to the message field; in the empty field: choose a command`],
  ['?', t`Show this list`],
  ['Enter', t`Send the message`],
  ['Shift Enter', t`Begin a new line`],
  ['Escape', t`Stop the answer; close a window`],
  ['Alt Y', t`Approve once the call that waits for you`],
  ['Alt N', t`Deny the call that waits for you`],
  ['↑ ↓', t`Move in a list of commands`],
  ['Tab', t`Go to the next control; in a list of commands: take the marked one`],
]

export default function KeysDialog({ onClose }: { onClose(): void }): ReactNode {
  const { data } = useResource<CommandList>('/api/commands', { revalidateOnFocus: false })
  return (
    <Dialog title={t`Keys and commands`} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-sm">
        {keys.map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              {key.split(' ').map((part) => (
                <kbd key={part} className="me-1 rounded border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">
                  {part}
                </kbd>
              ))}
            </dt>
            <dd className="text-soft">{what}</dd>
          </div>
        ))}
        {allCommands(data).map(({ name, argument, summary }) => (
          <div key={name} className="contents">
            <dt className="font-mono text-xs">
              /{name}
              {argument === undefined ? '' : ` ${argument}`}
            </dt>
            <dd className="text-soft">{summary}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
