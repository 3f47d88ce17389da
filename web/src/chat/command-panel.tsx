import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../parts/icon-button.tsx'
import type { CommandResult } from './use-commands.ts'

interface CommandPanelProps {
  readonly result: CommandResult
  onClose(): void
}

/** The result of a command, above the message field. No model reads it. */
export function CommandPanel({ result, onClose }: CommandPanelProps): ReactNode {
  return (
    <section aria-label={`Result of ${result.title}`} className="rounded-lg border border-line bg-ground text-sm">
      <div className="flex items-center justify-between gap-2 border-b border-line ps-3">
        <h2 className="truncate font-mono">{result.title}</h2>
        <IconButton label="Close the result" onClick={onClose}>
          <X size={14} aria-hidden />
        </IconButton>
      </div>
      <pre
        role="status"
        tabIndex={0}
        className="max-h-[30vh] overflow-auto px-3 py-2 font-mono text-xs whitespace-pre-wrap"
      >
        {result.text}
      </pre>
    </section>
  )
}
