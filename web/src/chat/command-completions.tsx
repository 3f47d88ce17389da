import type { ReactNode } from 'react'
import type { ListedCommand } from '../api/commands.ts'

interface CommandCompletionsProps {
  readonly id: string
  readonly commands: readonly ListedCommand[]
  /** Position of the marked one. */
  readonly marked: number
  onChoose(command: ListedCommand): void
}

/** The commands that begin with what is typed. The focus stays in the field, which moves the mark. */
export function CommandCompletions({ id, commands, marked, onChoose }: CommandCompletionsProps): ReactNode {
  return (
    <ul
      id={id}
      role="listbox"
      aria-label="Commands"
      className="max-h-[30vh] overflow-y-auto rounded-lg border border-line bg-raised p-1 text-sm shadow-lg"
    >
      {commands.map((command, index) => (
        <li
          key={command.name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === marked}
          ref={index === marked ? showMarked : undefined}
          className={`flex cursor-pointer flex-wrap gap-x-2 rounded px-2 py-1 ${index === marked ? 'bg-line' : ''}`}
          onMouseDown={(event) => {
            event.preventDefault()
            onChoose(command)
          }}
        >
          <span className="font-mono">
            /{command.name}
            {command.argument === undefined ? '' : ` ${command.argument}`}
          </span>
          <span className="text-soft">{command.summary}</span>
        </li>
      ))}
    </ul>
  )
}

function showMarked(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
